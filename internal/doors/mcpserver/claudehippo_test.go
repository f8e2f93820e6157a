package mcpserver_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/models"
)

// connectHippo returns a session that lists the tools of claude-hippo, with the built-in model and surprise, before
// initialize.
func connectHippo(t *testing.T, b driver.Backend) *session {
	t.Helper()
	m, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, done: make(chan error, 1)}
	s.clock.set(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s.engine = enginetest.Open(t, enginetest.Options{Backend: b, Config: engine.Config{Now: s.clock.now, Models: []embedding.Model{{Embedder: m, Instant: true}}}})
	s.engine.Score(engine.Surprise{Options: surprise.Default(surprise.Nearest)}, nil)
	open := func(context.Context) (*engine.Engine, error) { return s.engine, nil }
	s.serve(mcpserver.New(open, &mcpserver.Options{Version: "v1.2.3", Now: s.clock.now, Tools: []string{"claude-hippo"}}))
	t.Cleanup(s.end)
	return s
}

func startHippo(t *testing.T, b driver.Backend) *session {
	t.Helper()
	s := connectHippo(t, b)
	s.hello()
	return s
}

// remembered is the result of hippo_remember.
type remembered struct {
	Success     bool
	ID          int64
	ContentHash string `json:"content_hash"`
	Duplicate   bool
	Score       float64 `json:"surprise_score"`
	Components  parts   `json:"surprise_components"`
}

type parts struct {
	Outlier    float64  `json:"embedding_outlier"`
	Engagement float64  `json:"engagement"`
	Explicit   float64  `json:"explicit"`
	Loss       *float64 `json:"prediction_loss"`
}

// ask calls a tool that must succeed, and decodes the JSON of its text.
func ask[T any](s *session, tool string, args object) T {
	s.t.Helper()
	var out T
	text := s.must(tool, args, nil).Text
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		s.t.Fatalf("%s(%v): %v: %s", tool, args, err, text)
	}
	return out
}

func (s *session) remember(content string, more object) remembered {
	s.t.Helper()
	args := object{"content": content}
	maps.Copy(args, more)
	return ask[remembered](s, "hippo_remember", args)
}

// numbered replaces numbers of memories by names, in the order in which they come.
type numbered struct{ known []string }

func (n *numbered) hide(text string) string {
	return regexp.MustCompile(`\b[4-9]\d{15}\b`).ReplaceAllStringFunc(text, func(number string) string {
		i := slices.Index(n.known, number)
		if i < 0 {
			i = len(n.known)
			n.known = append(n.known, number)
		}
		return fmt.Sprintf("number-%d", i+1)
	})
}

func (n *numbered) show(text string) string {
	for i, number := range n.known {
		text = strings.ReplaceAll(text, fmt.Sprintf("number-%d", i+1), number)
	}
	return text
}

// The sessions in testdata/claude-hippo are answered as they are written there. Scores, which follow from the model, are
// left out.
func TestTranscripts_ClaudeHippo(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/claude-hippo/*.transcript")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts (%v)", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n := &numbered{}
			scores := regexp.MustCompile(`("(?:surprise_score|embedding_outlier|score|cosine_similarity|mean_surprise|relevance_score|distance)": )-?[0-9][0-9.e-]*`)
			got := exchanged(t, connectHippo(t, memstore.New(nil)), string(b), n.show, func(answer string) string {
				return scores.ReplaceAllString(n.hide(answer), "${1}S")
			})
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(b), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// Storing answers with all parts of the surprise; the same text again is a duplicate, and text that was forgotten
// is stored again.
func TestClaudeHippo_Remembers(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	one := s.remember(queue, object{"tags": []string{"ops", "Deploy"}, "memory_type": "Decision", "importance": 0.5, "metadata": object{"ticket": 7}})
	if !one.Success || one.Duplicate || one.ID < 1<<52 || one.ContentHash != hashed(queue) || one.Score <= 0 || one.Components.Outlier != 1 || one.Components.Explicit != .5 || one.Components.Loss != nil {
		t.Errorf("got %+v", one)
	}
	again := s.remember(strings.ToUpper(queue), nil)
	if !again.Duplicate || again.ID != one.ID || again.Score != one.Score || again.Components != one.Components {
		t.Errorf("got %+v, want the first one, %+v", again, one)
	}
	if got := ask[object](s, "hippo_forget", object{"id": one.ID}); got["deleted"] != 1.0 {
		t.Errorf("got %v", got)
	}
	if new := s.remember(queue, nil); new.Duplicate || new.ID == one.ID {
		t.Errorf("what was forgotten is lost: %+v", new)
	}
	l, err := memory.List(t.Context(), s.engine.In(hippo.LocalScope("")), api.List{})
	if err != nil || l.Total != 1 || l.Memories[0].Type != "Observation" {
		t.Errorf("got %+v (%v)", l, err)
	}
}

// rowOf is a row of claude-hippo, every field of it.
type rowOf struct {
	ID           int64           `json:"id"`
	ContentHash  string          `json:"content_hash"`
	Content      string          `json:"content"`
	Tags         []string        `json:"tags"`
	MemoryType   *string         `json:"memory_type"`
	Metadata     json.RawMessage `json:"metadata"`
	CreatedAt    float64         `json:"created_at"`
	UpdatedAt    float64         `json:"updated_at"`
	CreatedAtISO string          `json:"created_at_iso"`
	UpdatedAtISO string          `json:"updated_at_iso"`
}

type hitOf struct {
	Memory     rowOf              `json:"memory"`
	Score      float64            `json:"score"`
	Similarity float64            `json:"cosine_similarity"`
	Surprise   *float64           `json:"surprise_score"`
	Relevance  *float64           `json:"relevance_score"`
	Debug      map[string]float64 `json:"debug_info"`
}

// The modes of a recall rank as documented.
func TestClaudeHippo_Recalls(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	port := s.remember("The staging server listens on port 8080", object{"importance": 1})
	drain := s.remember(queue, nil)
	s.remember("Cats sleep most of the day", nil)
	s.relate("The staging server listens on port 8080", queue, "related")
	ids := func(hits []hitOf) (out []int64) {
		for _, h := range hits {
			out = append(out, h.Memory.ID)
		}
		return out
	}
	query := object{"query": "on which port does the staging server listen"}
	with := func(more object) object {
		maps.Copy(more, query)
		return more
	}
	for _, mode := range []string{"", "semantic", " Exact ", "hybrid"} {
		hits := ask[[]hitOf](s, "hippo_recall", with(object{"mode": mode, "limit": "2"}))
		if len(hits) == 0 || len(hits) > 2 || hits[0].Memory.ID != port.ID {
			t.Fatalf("%s: got %+v", mode, hits)
		}
		h := hits[0]
		if h.Surprise == nil || h.Relevance != nil || h.Debug != nil || h.Similarity <= .5 || h.Similarity > 1 {
			t.Errorf("%s: got %+v", mode, h)
		}
		if want := .7*h.Similarity + .3**h.Surprise; h.Score < want-.002 || h.Score > want+.002 {
			t.Errorf("%s: got score %v, want %v", mode, h.Score, want)
		}
	}
	plain := ask[[]hitOf](s, "hippo_recall", with(object{"no_surprise_boost": true, "limit": 1}))[0]
	if plain.Score != plain.Similarity {
		t.Errorf("without surprise: got %+v", plain)
	}
	for _, args := range []object{{"mode": "assoc"}, {"mode": "hebbian", "no_surprise_boost": "true"}, {"mode": "associative", "seed_id": port.ID}} {
		hits := ask[[]hitOf](s, "hippo_recall", with(args))
		if diff := cmp.Diff([]int64{port.ID, drain.ID}, ids(hits)); diff != "" || hits[0].Score != 1 || hits[1].Score != .5 {
			t.Errorf("%v: got %+v", args, hits)
		}
	}
	seeded := ask[[]hitOf](s, "hippo_recall", with(object{"mode": "associative", "seed_id": drain.ID}))
	if diff := cmp.Diff([]int64{drain.ID, port.ID}, ids(seeded)); diff != "" {
		t.Error(diff)
	}
	if both := ask[[]hitOf](s, "hippo_recall", with(object{"mode": "mixed", "seed_id": strconv.FormatInt(drain.ID, 10)})); !slices.Contains(ids(both), drain.ID) || !slices.Contains(ids(both), port.ID) {
		t.Errorf("got %+v", both)
	}
	more := ask[[]hitOf](s, "retrieve_memory", with(object{"n_results": 1}))
	if len(more) != 1 || more[0].Relevance == nil || len(more[0].Debug) != 1 {
		t.Errorf("retrieve_memory: got %+v", more)
	}
	row := more[0].Memory
	row.Metadata = nil
	want := rowOf{
		ID: port.ID, ContentHash: hashed(row.Content), Content: "The staging server listens on port 8080", Tags: []string{}, MemoryType: new("Observation"),
		CreatedAt: 1772366400, UpdatedAt: 1772366400, CreatedAtISO: "2026-03-01T12:00:00.000Z", UpdatedAtISO: "2026-03-01T12:00:00.000Z",
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Error(diff)
	}
}

// A memory is forgotten by its number, its hash of either kind, and its ID; what is not there is no error.
func TestClaudeHippo_Forgets(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	const text = "The Job Queue drains"
	for i, by := range []func(remembered) object{
		func(r remembered) object { return object{"id": r.ID} },
		func(r remembered) object { return object{"id": fmt.Sprint(r.ID)} },
		func(r remembered) object { return object{"content_hash": r.ContentHash} },
		func(r remembered) object { return object{"content_hash": r.ContentHash[:10], "id": 1} },
		func(remembered) object { return object{"content_hash": rawHash(text)} },
		func(remembered) object { return object{"id": s.uuid(text)} },
		func(remembered) object { return object{"uuids": []string{s.uuid(text)[28:]}} },
	} {
		args := by(s.remember(text, nil))
		for _, tool := range []string{"hippo_forget", "delete_memory"} {
			args["dry_run"] = true
			if got := ask[object](s, tool, args); got["deleted"] != 1.0 || got["dry_run"] != true || got["success"] != true {
				t.Errorf("%d %s: a dry run gives %v", i, tool, got)
			}
		}
		delete(args, "dry_run")
		for _, want := range []float64{1, 0} {
			if got := ask[object](s, "hippo_forget", args); got["deleted"] != want || got["dry_run"] != false {
				t.Errorf("%d: got %v, want %v", i, got, want)
			}
		}
		args["restore"] = true
		if i >= 4 { // the hash of the raw text, and digits of an ID, that others have too by now
			continue
		}
		if got := ask[object](s, "hippo_forget", args); got["restored"] != 1.0 {
			t.Errorf("%d: got %v", i, got)
		}
	}
}

// rawHash is the hash of a text as it is.
func rawHash(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// uuid returns the ID of a text.
func (s *session) uuid(text string) string {
	s.t.Helper()
	id, err := memory.Resolve(s.t.Context(), s.engine.In(hippo.LocalScope("")), hashed(text), api.PreferLive)
	if err != nil {
		s.t.Fatal(err)
	}
	return id.String()
}

// delete_memory also selects.
func TestClaudeHippo_DeletesSelected(t *testing.T) {
	t.Parallel()
	for want, args := range map[string]object{
		`"deleted":2,"dry_run":false,"deleted_count":2`: {"tags": "a,b"},
		`"deleted":1,"dry_run":false,"deleted_count":1`: {"tags": []string{"a", "b"}, "tag_match": "all"},
		`"deleted":1,"dry_run":true,"deleted_count":1`:  {"memory_type": "note", "dry_run": true},
		`"deleted":3,"dry_run":false,"deleted_count":3`: {"before": "2027-01-01"},
		`"deleted":0,"dry_run":false,"deleted_count":0`: {"after": "2027-01-01"},
	} {
		s := startHippo(t, memstore.New(nil))
		s.remember("one", object{"tags": "a", "type": "note"})
		s.remember("two", object{"tags": "a,b"})
		s.remember("three", nil)
		if got := s.must("delete_memory", args, nil).Text; !strings.Contains(got, want) {
			t.Errorf("%v: got %s, want %s", args, got, want)
		}
	}
}

// The numbers of memories stay, on every store, also when it is opened again; on the file of another program they are
// the ids of its rows.
func TestClaudeHippo_Numbers(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(context.Context, string) (driver.Backend, error){
		"sqlite": func(ctx context.Context, p string) (driver.Backend, error) { return sqlitestore.Open(ctx, p, nil) },
		"dir":    func(ctx context.Context, p string) (driver.Backend, error) { return dirstore.Open(ctx, p, nil) },
		"shared": func(ctx context.Context, p string) (driver.Backend, error) { return sharedstore.Open(ctx, p, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "m")
			var ids []int64
			for round := range 2 {
				b, err := open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				s := startHippo(t, b)
				for i, text := range []string{"one", "two"} {
					r := s.remember(text, nil)
					if ids = append(ids, r.ID); round == 1 && (!r.Duplicate || r.ID != ids[i]) {
						t.Errorf("%s is %d, was %d", text, r.ID, ids[i])
					}
					if name == "shared" && r.ID != int64(i+1) {
						t.Errorf("%s is %d, want the id of its row", text, r.ID)
					}
				}
				s.end()
				if err := s.engine.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// hippo_forget of Hippo also takes a number and a hash.
func TestForget_NumberAndHash(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, field := range []string{"id", "uuids", "content_hash"} {
		r := s.remember("to be forgotten", nil)
		args := map[string]object{"id": {"id": r.ID}, "uuids": {"uuids": []int64{r.ID}}, "content_hash": {"content_hash": r.ContentHash}}[field]
		if o := s.must("hippo_forget", args, nil); !strings.Contains(o.Text, "Forgot 1") {
			t.Errorf("%s: got %+v", field, o)
		}
	}
	for _, id := range []any{-1, 1.5, 4503599627370497, true} {
		if o := s.tool("hippo_forget", object{"id": id}); !o.IsError {
			t.Errorf("%v: got %+v", id, o)
		}
	}
}

// Calls that are wrong name the field, and change nothing.
func TestClaudeHippo_Refuses(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	r := s.remember("kept", nil)
	for _, x := range []exchange{
		{"hippo_remember", object{}, "content: is required"},
		{"hippo_remember", object{"content": " \n"}, "content: is required"},
		{"hippo_remember", object{"content": 5}, "content: must be a text, got 5"},
		{"hippo_remember", object{"content": "x", "tags": 5}, "tags: must be a list of texts"},
		{"hippo_remember", object{"content": "x", "tags": []any{1}}, "tags[0]: must be a text, got 1"},
		{"hippo_remember", object{"content": "x", "metadata": []int{1}}, "metadata: must be an object"},
		{"hippo_remember", object{"content": "x", "metadata": object{"_hippo": 1}}, "metadata._hippo: is reserved"},
		{"hippo_remember", object{"content": "x", "memory_type": []int{1}}, "memory_type: must be a text"},
		{"hippo_remember", object{"content": "x", "memory_type": strings.Repeat("x", 100)}, "memory_type: must be at most"},
		{"hippo_remember", object{"content": "password = hunter2x9QzLw7Rt"}, "[secret]"},
		{"store_memory", object{"content": "x", "colour": 1}, "colour: is unknown: known are content"},
		{"hippo_recall", object{"query": " "}, "query: is required"},
		{"hippo_recall", object{"query": "x", "limit": 0}, "limit: must be between 1 and 1000, got 0"},
		{"hippo_recall", object{"query": "x", "limit": 1, "n_results": 1}, "n_results: is another name of limit"},
		{"hippo_recall", object{"query": "x", "mode": "psychic"}, "mode: must be one of semantic"},
		{"hippo_recall", object{"query": "x", "mode": "hybrid", "seed_id": 12}, "[not_found]"},
		{"hippo_recall", object{"query": "x", "no_surprise_boost": "perhaps"}, "no_surprise_boost: must be true or false"},
		{"hippo_list_recent", object{"n": 1001}, "n: must be between 1 and 1000"},
		{"hippo_forget", object{}, "content_hash: or id is required"},
		{"hippo_forget", object{"content_hash": "xyz!"}, "content_hash: must be a UUID, or"},
		{"hippo_forget", object{"content_hash": 17}, "content_hash: must be a text, got 17"},
		{"hippo_forget", object{"id": -1}, "id: must be the number of a memory"},
		{"hippo_forget", object{"id": r.ID, "dry_run": 1}, "dry_run: must be true or false"},
		{"hippo_forget", object{"uuids": []string{"x"}}, "uuids[0]: must be a UUID"},
		{"hippo_forget", object{"restore": true, "id": 12}, "[not_found]"},
		{"delete_memory", object{"tags": []string{}}, "tags: must have at least one element"},
		{"delete_memory", object{"memory_type": ""}, "memory_type: must not be empty"},
		{"delete_memory", object{"tags": "a", "id": r.ID}, "tags: and content_hash, id or uuids exclude each other"},
		{"delete_memory", object{"after": "2026-02-02", "before": "2026-02-01"}, "before: must be after"},
		{"delete_memory", object{"before": "soon"}, "before"},
		{"ping", object{"loud": 1}, "loud: is unknown; no arguments are known here"},
	} {
		if o := s.tool(x.tool, x.args); !o.IsError || !strings.Contains(o.Text, x.want) {
			t.Errorf("%s(%v): got %+v, want %q", x.tool, x.args, o, x.want)
		}
	}
	l, err := memory.List(t.Context(), s.engine.In(hippo.LocalScope("")), api.List{})
	if err != nil || l.Total != 1 || l.Memories[0].Version != 1 {
		t.Fatalf("got %+v (%v), want the memory there was", l, err)
	}
}

// A scope also bounds these tools.
func TestClaudeHippo_Scope(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	r := s.remember("not for others", nil)
	s.end()
	s.serveIn(hippo.Scope{Projects: []string{"elsewhere"}, Rights: hippo.RightRead}, []string{"claude-hippo"})
	for _, x := range []exchange{
		{"hippo_recall", object{"query": "others"}, "[]"},
		{"hippo_list_recent", object{}, `{"memories":[],"count":0}`},
		{"hippo_session_summary", object{}, `"total_memories":0`},
		{"ping", object{}, `"alive":0,"total":0`},
		{"hippo_forget", object{"id": r.ID}, `"deleted":0`},
		{"hippo_forget", object{"content_hash": r.ContentHash}, `"deleted":0`},
		{"hippo_recall", object{"query": "others", "mode": "associative", "seed_id": r.ID}, "[not_found]"},
		{"hippo_remember", object{"content": "x"}, "[forbidden]"},
	} {
		if o := s.tool(x.tool, x.args); !strings.Contains(o.Text, x.want) {
			t.Errorf("%s: got %+v, want %q", x.tool, o, x.want)
		}
	}
}

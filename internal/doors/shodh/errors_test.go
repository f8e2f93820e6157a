package shodh_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// refusal is a request that is refused, with the field that its error names, and what the error says.
type refusal struct {
	method, path string
	body         any
	status       int
	field, says  string
}

// refusals are requests that are refused for what they say, in every way that an operation can be asked wrongly.
func refusals() map[string]refusal {
	long := strings.Repeat("x", hippo.MaxContent+1)
	many := make([]string, hippo.MaxTags+1)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	remember := func(k string, v any) object { return object{"content": "text", k: v} }
	out := map[string]refusal{
		"remember_empty":        {"POST", "/api/remember", object{}, 400, "content", "is required"},
		"remember_blank":        {"POST", "/api/remember", object{"content": "\n "}, 400, "content", "must not be blank"},
		"remember_null":         {"POST", "/api/remember", object{"content": nil}, 400, "content", "is required"},
		"remember_number":       {"POST", "/api/remember", object{"content": 7}, 400, "content", "must be a text, got 7"},
		"remember_long":         {"POST", "/api/remember", object{"content": long}, 400, "content", fmt.Sprint(hippo.MaxContent)},
		"remember_control":      {"POST", "/api/remember", object{"content": "a\x00b"}, 400, "content", "control characters"},
		"remember_type":         {"POST", "/api/remember", remember("type", "Banana"), 400, "type", "one of Observation, Decision"},
		"remember_two_types":    {"POST", "/api/remember", object{"content": "x", "type": "Task", "memory_type": "Error"}, 400, "memory_type", "another name of type"},
		"remember_tags_blank":   {"POST", "/api/remember", remember("tags", []any{"a", " "}), 400, "tags[1]", "must not be empty"},
		"remember_tags_many":    {"POST", "/api/remember", remember("tags", many), 400, "tags", fmt.Sprint(hippo.MaxTags)},
		"remember_source":       {"POST", "/api/remember", remember("source_type", "god"), 400, "source_type", "one of user, system"},
		"remember_credible":     {"POST", "/api/remember", remember("credibility", 1.5), 400, "credibility", "between 0 and 1"},
		"remember_valence":      {"POST", "/api/remember", remember("emotional_valence", -1.01), 400, "emotional_valence", "between -1 and 1"},
		"remember_episode":      {"POST", "/api/remember", remember("episode_id", strings.Repeat("e", hippo.MaxName+1)), 400, "episode_id", fmt.Sprint(hippo.MaxName)},
		"remember_meta_large":   {"POST", "/api/remember", remember("metadata", object{"a": strings.Repeat("x", hippo.MaxMetadata)}), 400, "metadata", fmt.Sprint(hippo.MaxMetadata)},
		"remember_meta_field":   {"POST", "/api/remember", remember("metadata", object{"credibility": 7}), 400, "metadata.credibility", "between 0 and 1"},
		"remember_meta_twice":   {"POST", "/api/remember", object{"content": "x", "emotion": "joy", "metadata": object{"emotion": "rage"}}, 400, "metadata.emotion", "must be the same"},
		"remember_unknown_same": {"POST", "/api/remember", object{"content": "x", "colour": "red", "metadata": object{"colour": "blue"}}, 400, "metadata", "another value"},
		"remember_created":      {"POST", "/api/remember", remember("created_at", "yesterday"), 400, "created_at", "a time"},
		"remember_created_far":  {"POST", "/api/remember", remember("created_at", 1e15), 400, "created_at", "a time"},
		"remember_secret":       {"POST", "/api/remember", remember("content", "token ghp_"+secretDigits), 400, "content", "looks like a secret"},
		"recall_empty":          {"POST", "/api/recall", object{}, 400, "query", "is required"},
		"recall_blank":          {"POST", "/api/recall", object{"query": " "}, 400, "query", "must not be blank"},
		"recall_zero":           {"POST", "/api/recall", object{"query": "q", "limit": 0}, 400, "limit", "between 1 and 100, got 0"},
		"recall_mode":           {"POST", "/api/recall", object{"query": "q", "mode": "psychic"}, 400, "mode", "one of semantic"},
		"recall_types":          {"POST", "/api/recall", object{"query": "q", "memory_types": []string{"Task", "Nap"}}, 400, "memory_types[1]", "one of Observation"},
		"tags_missing":          {"POST", "/api/recall/by-tags", object{}, 400, "tags", "is required"},
		"tags_none":             {"POST", "/api/recall/by-tags", object{"tags": []string{}}, 400, "tags", "is required"},
		"tags_blank":            {"POST", "/api/recall/by-tags", object{"tags": []string{""}}, 400, "tags", "must not be blank"},
		"tags_many":             {"POST", "/api/recall/by-tags", object{"tags": many}, 400, "tags", fmt.Sprint(hippo.MaxTags)},
		"tags_contradiction":    {"POST", "/api/recall/by-tags", object{"tags": []string{"a"}, "match": "any", "match_all": true}, 400, "match", "contradict"},
		"context_missing":       {"POST", "/api/context", object{"text": "x"}, 400, "context", "is required"},
		"context_blank":         {"POST", "/api/context", object{"context": " "}, 400, "context", "must not be blank"},
		"context_results":       {"POST", "/api/context", object{"context": "x", "max_results": 21}, 400, "max_results", "between 1 and 20"},
		"forget_tags_missing":   {"POST", "/api/forget/by-tags", object{}, 400, "tags", "is required"},
		"forget_tags_unknown":   {"POST", "/api/forget/by-tags", object{"tags": []string{"a"}, "before": "2026-01-01"}, 400, "before", "is unknown: known are tags, match_all, match, type, dry_run; nothing was changed"},
		"forget_tags_type":      {"POST", "/api/forget/by-tags", object{"tags": []string{"a"}, "memory_type": " "}, 400, "memory_type", "must be one of Observation"},
		"forget_tags_dry_run":   {"POST", "/api/forget/by-tags", object{"tags": []string{"a"}, "dry_run": ""}, 400, "dry_run", "must be true or false"},
		"list_zero":             {"GET", "/api/memories?limit=0", nil, 400, "limit", "between 1 and 100, got 0"},
		"list_limit":            {"GET", "/api/memories?limit=101", nil, 400, "limit", "between 1 and 100"},
		"list_text":             {"GET", "/api/memories?limit=ten", nil, 400, "limit", "a whole number"},
		"list_offset":           {"GET", "/api/memories?offset=-1", nil, 400, "offset", "must not be negative"},
		"list_offset_huge":      {"GET", "/api/memories?offset=99999999999999999999", nil, 400, "offset", "a whole number"},
		"list_type":             {"GET", "/api/memories?type=Nap", nil, 400, "type", "one of Observation"},
		"list_two_names":        {"GET", "/api/memories?type=Task&memory_type=Error", nil, 400, "memory_type", "another name of type"},
		"list_escape":           {"GET", "/api/memories?limit=%zz", nil, 400, "query", "must be a list such as limit=20"},
		"consolidate_missing":   {"POST", "/api/consolidate", object{}, 400, "time_horizon", "is required"},
		"consolidate_unknown":   {"POST", "/api/consolidate", object{"time_horizon": "hourly"}, 400, "time_horizon", "one of daily"},
	}
	for _, path := range []string{"/api/remember", "/api/recall", "/api/recall/by-tags", "/api/context", "/api/forget/by-tags", "/api/consolidate"} {
		for name, body := range map[string]string{
			"empty": "", "text": "hello", "list": "[1]", "null": "null", "cut": `{"content":"x"`, "twice": `{} {}`,
			"deep": strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000),
		} {
			out[path+"_"+name] = refusal{"POST", path, body, 400, "body", "body: must be "}
		}
		out[path+"_utf8"] = refusal{"POST", path, "{\"content\":\"\xff\xfe\"}", 400, "body", "is not UTF-8"}
		out[path+"_surrogate"] = refusal{"POST", path, `{"content":"\ud800"}`, 400, "body", "half of a surrogate pair"}
		out[path+"_repeated"] = refusal{"POST", path, `{"tags":["a"],"metadata":{"k":1,"k":2}}`, 400, "k", "is given twice in one object"}
	}
	return out
}

// TestRefusals: a bad request is refused with a text that names the field and says what it must be, and
// changes nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := start(t)
	kept := s.remember(object{"content": "kept", "tags": []string{"a"}})
	for name, tc := range refusals() {
		a := s.send(tc.method, tc.path, tc.body)
		if a.status != tc.status || a.text("details", "field") != tc.field || !strings.Contains(a.text("error"), tc.says) || a.text("code") == "" {
			t.Errorf("%s: got %d %.300s, want %d, field %q, %q", name, a.status, a.body, tc.status, tc.field, tc.says)
		}
	}
	for name, body := range map[string]any{
		"tags": object{"tags": "a"}, "type": object{"memory_type": "Nap"}, "metadata": object{"metadata": 5}, "content": object{"content": "other"},
		"quality": object{"quality_score": 2}, "secret": object{"metadata": object{"k": "ghp_" + secretDigits}}, "list": "[]",
	} {
		if a := s.send("PATCH", "/api/memories/"+kept, body); a.status != 400 || a.text("details", "field") == "" {
			t.Errorf("updateMemory, %s: got %d %s, want 400 with the field", name, a.status, a.body)
		}
	}
	a := s.must(200, "GET", "/api/memories", nil)
	if a.count("total") != 1 || a.text("memories", 0, "content") != "kept" || a.get("memories", 0, "updated_at") != a.get("memories", 0, "created_at") {
		t.Errorf("a refused request changed something: %s", a.body)
	}
	if s.log.String() != "" {
		t.Errorf("a refused request is logged: %.300s", s.log)
	}
}

// TestBodyLimit: a body over the limit is refused before it is read to its end.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/api/remember", "/api/recall", "/api/context", "/api/forget/by-tags"} {
		a := s.send("POST", path, `{"content":"`+strings.Repeat("x", 5<<20)+`"}`)
		if a.status != http.StatusRequestEntityTooLarge || a.text("error") != "body: must be at most 4194304 bytes" || a.text("code") != "too_large" {
			t.Errorf("%s: got %d %.200s", path, a.status, a.body)
		}
	}
	endless := &counter{}
	r, _ := newRequest(t, "POST", "/api/remember", nil)
	r.Body = io.NopCloser(endless)
	r = r.WithContext(httpd.WithCaller(r.Context(), httpd.Caller{Scope: owner()}))
	if a := recorded(s.mux, r); a.status != http.StatusRequestEntityTooLarge || endless.n > 6<<20 {
		t.Errorf("of an endless body %d bytes were read: %d %s", endless.n, a.status, a.body)
	}
	// The largest content is stored, also with its characters escaped.
	s.must(201, "POST", "/api/remember", `{"content":"`+strings.Repeat("\\u0041", hippo.MaxContent)+`"}`)
}

// counter is an endless body.
type counter struct{ n int }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	c.n += len(p)
	return len(p), nil
}

// broken is a body of a client that went away.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestBrokenBody: a client that goes away in the middle of a body stores nothing.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	s := start(t)
	r, _ := newRequest(t, "POST", "/api/remember", nil)
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"content":"half"`), broken{}))
	r = r.WithContext(httpd.WithCaller(r.Context(), httpd.Caller{Scope: owner()}))
	if a := recorded(s.mux, r); a.status != 400 || !strings.Contains(a.text("error"), "could not be read to its end") {
		t.Errorf("got %d %s", a.status, a.body)
	}
	if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 0 {
		t.Errorf("%d memories are stored", got)
	}
}

// TestIDs: a memory is found by every form of its ID, and by no other.
func TestIDs(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.remember(object{"content": "the memory"})
	hash := hashOf("the memory")
	for _, ref := range []string{
		id, strings.ToUpper(id), id[:13], id[len(id)-8:], strings.ReplaceAll(id, "-", ""), hash, strings.ToUpper(hash), hash[:12], "%20" + id + "%20",
	} {
		if a := s.send("GET", "/api/memories/"+ref, nil); a.status != 200 || a.text("id") != id {
			t.Errorf("%s: got %d %s", ref, a.status, a.body)
		}
		if a := s.send("PATCH", "/api/memories/"+ref, object{"metadata": object{"ref": ref}}); a.status != 200 || a.text("metadata", "ref") != ref {
			t.Errorf("PATCH %s: got %d %s", ref, a.status, a.body)
		}
	}
	for _, ref := range []string{
		"0", "1", "12", "nonsense", "-1", "%00", "..%2f..%2fetc", "' OR 1=1", "01234567-89ab-4cde-8f01-23456789abcd", hash[:63] + "x", hash[:60] + "0000",
		strings.Repeat("a", 5000), "%ff%fe", "<script>",
	} {
		for _, c := range [][2]string{{"GET", "/api/memories/"}, {"PATCH", "/api/memories/"}, {"DELETE", "/api/forget/"}} {
			a := s.send(c[0], c[1]+strings.ReplaceAll(ref, " ", "%20"), object{})
			if a.status != 404 || a.text("code") != "not_found" || len(a.body) > 500 {
				t.Errorf("%s %.40s: got %d %.300s, want 404", c[0], ref, a.status, a.body)
			}
		}
	}
	if a := s.send("DELETE", "/api/forget/"+id[len(id)-8:], nil); a.status != 200 {
		t.Errorf("got %d %s", a.status, a.body)
	}
}

// TestIDs_Ambiguous: a reference that fits several memories changes none of them.
func TestIDs_Ambiguous(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i := range 2 {
		_, err := memory.Record(t.Context(), s.engine.In(owner()), &hippo.Memory{Content: "same", ID: hippo.ID{0: byte(i + 1), 14: 1, 15: 2}, Importance: hippo.Importance{Base: .5}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, ref := range []string{hashOf("same"), "00000102"} {
		a := s.send("DELETE", "/api/forget/"+ref, nil)
		if a.status != 400 || len(list(a.get("details", "candidates"))) != 2 {
			t.Errorf("%s: got %d %s", ref, a.status, a.body)
		}
	}
	if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 2 {
		t.Errorf("%d memories are left, want 2", got)
	}
}

// TestFailures: a failure of the server has a status of its own, is logged, and does not show the client what
// the server has on its disk.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err    error
		status int
		code   string
		public bool
	}{
		{hippo.Fieldf("content", "must not be that"), 400, "invalid", true},
		{&hippo.SecretError{Field: "content", Line: 1, Column: 1, Rule: "password"}, 400, "secret", true},
		{hippo.ErrForbidden, 403, "forbidden", true},
		{hippo.ErrNotFound, 404, "not_found", true},
		{hippo.ErrConflict, 409, "conflict", true},
		{hippo.ErrUnsupported, 501, "unsupported", true},
		{hippo.ErrReadOnly, 503, "read_only", false},
		{hippo.ErrFull, 507, "full", false},
		{hippo.ErrUnavailable, 503, "unavailable", false},
		{hippo.ErrCorrupt, 500, "corrupt", false},
		{context.Canceled, 503, "canceled", false},
		{errors.New("disk on fire"), 500, "internal", false},
	} {
		s := start(t)
		failure := fmt.Errorf("open /srv/hippo/memory.db: %w", tc.err)
		s.serve(func(context.Context) (*engine.Engine, error) { return nil, failure })
		a := s.send("GET", "/api/stats", nil)
		if a.status != tc.status || a.text("code") != tc.code || !tc.public && strings.Contains(a.text("error"), "/srv/") {
			t.Errorf("%v: got %d %s, want %d %s", tc.err, a.status, a.body, tc.status, tc.code)
		}
		if logged := strings.Contains(s.log.String(), "/srv/hippo"); logged == (tc.public || tc.code == "canceled") {
			t.Errorf("%v: the log has it: %v", tc.err, logged)
		}
	}
}

// TestHealth: health says only its status to callers without a token, and the rest to others.
func TestHealth(t *testing.T) {
	t.Parallel()
	nobody := hippo.Scope{}
	s := start(t)
	s.advance(90 * time.Second)
	for want, err := range map[string]error{"healthy": nil, "unhealthy": fmt.Errorf("%w: /srv/hippo", hippo.ErrUnavailable)} {
		s.serve(func(context.Context) (*engine.Engine, error) { return s.engine, err })
		s.advance(90 * time.Second)
		a := s.as(nobody, "GET", "/api/health", nil)
		if a.status != 200 || string(a.body) != `{"status":"`+want+`"}`+"\n" {
			t.Errorf("%v: got %d %s", err, a.status, a.body)
		}
		a = s.as(hippo.Scope{Rights: hippo.RightRead}, "GET", "/api/health", nil)
		if a.status != 200 || string(a.body) != `{"status":"`+want+`","version":"v1.2.3","uptime_seconds":90}`+"\n" {
			t.Errorf("%v: got %d %s", err, a.status, a.body)
		}
	}
	e := s.newEngine("no model")
	s.serve(func(context.Context) (*engine.Engine, error) { return e, nil })
	if a := s.as(nobody, "GET", "/api/health", nil); a.text("status") != "healthy" {
		t.Errorf("got %s", a.body)
	}
	if a := s.send("GET", "/api/health", nil); a.text("status") != "degraded" {
		t.Errorf("got %s", a.body)
	}
	synctest.Test(t, func(t *testing.T) { // a store that is still being opened does not keep the caller waiting
		slow := func(ctx context.Context) (*engine.Engine, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		s := &server{t: t, doc: s.doc, log: &syncBuffer{}}
		s.serve(slow)
		began := time.Now()
		a := s.as(nobody, "GET", "/api/health", nil)
		if d := time.Since(began); a.status != 200 || a.text("status") != "degraded" || d != time.Second {
			t.Errorf("after %v: got %d %s", d, a.status, a.body)
		}
	})
}

// TestTolerance: names and forms of other implementations are understood.
func TestTolerance(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, tc := range map[string]struct {
		given object
		path  []any
		want  any
	}{
		"memory_type":        {object{"memory_type": "Decision"}, []any{"type"}, "Decision"},
		"experience_type":    {object{"experience_type": "Decision"}, []any{"type"}, "Decision"},
		"type_twice":         {object{"type": "Task", "memory_type": "Task"}, []any{"type"}, "Task"},
		"lower_case":         {object{"type": "decision"}, []any{"type"}, "Decision"},
		"snake_case":         {object{"type": "code_edit"}, []any{"type"}, "CodeEdit"},
		"importance":         {object{"importance": .9}, []any{"quality_score"}, .9},
		"quality":            {object{"quality_score": .9}, []any{"quality_score"}, .9},
		"quality_inside":     {object{"metadata": object{"quality_score": .9}}, []any{"quality_score"}, .9},
		"created_seconds":    {object{"created_at": 1700000000.5}, []any{"created_at"}, "2023-11-14T22:13:20.5Z"},
		"created_text":       {object{"created_at": "2023-11-14T23:13:20+01:00"}, []any{"created_at"}, "2023-11-14T22:13:20Z"},
		"null":               {object{"emotion": nil, "tags": nil, "metadata": nil, "type": nil}, []any{"type"}, "Observation"},
		"user":               {object{"user_id": "ann"}, []any{"user_id"}, "ann"},
		"unknown":            {object{"preceding_memory_id": "x7"}, []any{"metadata", "preceding_memory_id"}, "x7"},
		"emotion_inside":     {object{"metadata": object{"emotion": "joy"}}, []any{"emotion"}, "joy"},
		"emotion_inside_out": {object{"metadata": object{"emotion": "joy"}}, []any{"metadata", "emotion"}, nil},
		"emotion_null":       {object{"metadata": object{"emotion": nil}}, []any{"emotion"}, nil},
		"sequence_zero":      {object{"sequence_number": 0}, []any{"sequence_number"}, 0.0},
		"sequence_negative":  {object{"sequence_number": -3}, []any{"sequence_number"}, -3.0},
		"sequence_large":     {object{"sequence_number": 1 << 40}, []any{"sequence_number"}, float64(1 << 40)},
		"episode_empty":      {object{"episode_id": ""}, []any{"episode_id"}, nil},
		"credibility_zero":   {object{"credibility": 0}, []any{"credibility"}, 0.0},
		"markup":             {object{"emotion": "<b>&joy</b>"}, []any{"emotion"}, "<b>&joy</b>"},
	} {
		tc.given["content"] = "tolerance " + name
		a := s.send("POST", "/api/remember", tc.given)
		if a.status != 201 {
			t.Errorf("%s: got %d %s", name, a.status, a.body)
			continue
		}
		got := s.must(200, "GET", "/api/memories/"+a.text("id"), nil)
		if d := cmp.Diff(tc.want, got.get(tc.path...)); d != "" {
			t.Errorf("%s: -want +got\n%s%s", name, d, got.body)
		}
	}
	for name, tc := range map[string]struct {
		path string
		body object
	}{
		"recall_n":         {"/api/recall", object{"query": "tolerance", "n": 2, "mode": "hebbian", "user_id": "u"}},
		"recall_n_results": {"/api/recall", object{"query": "tolerance", "n_results": 2, "mode": "Semantic"}},
		"recall_max":       {"/api/recall", object{"query": "tolerance", "max_results": 2.0, "oversample_factor": 6}},
		"context_query":    {"/api/context", object{"query": "tolerance markup", "limit": 2, "auto_ingest": false}},
	} {
		a := s.send("POST", tc.path, tc.body)
		if a.status != 200 || name != "context_query" && a.count("count") != 2 {
			t.Errorf("%s: got %d %.300s", name, a.status, a.body)
		}
	}
}

// secretDigits are what makes a text look like a token.
const secretDigits = "aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3dE5"

// Of a query that is longer than one may be the beginning counts, and the answer notes it.
func TestRecall_LongQuery(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.remember(object{"content": "retries without jitter took the gateway down"})
	a := s.must(200, "POST", "/api/recall", object{"query": "gateway jitter " + strings.Repeat("outage ", hippo.MaxQuery)})
	if a.count("count") != 1 || !strings.HasPrefix(a.text("degraded", 0), "only the first 81") {
		t.Errorf("got %.400s", a.body)
	}
}

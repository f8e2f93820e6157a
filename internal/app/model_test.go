package app_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// pulled gives the test a cache of its own and puts models in it whose files have
// the right form and nothing in them, and returns their identities.
func pulled(t *testing.T, ids ...string) map[string]string {
	t.Helper()
	t.Setenv("HIPPO_MODELS", filepath.Join(t.TempDir(), "models"))
	out := make(map[string]string)
	for _, id := range ids {
		cache := hub.New(nil)
		s, err := cache.Lookup(id)
		if err != nil {
			t.Fatal(err)
		}
		from := t.TempDir()
		for name, text := range map[string]string{
			hub.ConfigFile:    fmt.Sprintf(`{"hidden_size":%d}`, s.Dimension),
			hub.TokenizerFile: "{}",
			hub.WeightsFile:   string(binary.LittleEndian.AppendUint64(nil, 2)) + "{}",
		} {
			write(t, filepath.Join(from, name), text)
		}
		l, err := cache.Pull(t.Context(), id, &hub.PullOptions{From: from})
		if err != nil {
			t.Fatal(err)
		}
		out[id] = l.Identity()
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// folder returns a copy of a tiny model with random weights.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "retrieval", "embed", "bert", "testdata", "bert"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// filled returns a store with n memories; counts says how many of them each model
// has embedded, in vectors of dimension numbers.
func filled(t *testing.T, n, dimension int, counts map[string]int) config.Store {
	t.Helper()
	s := config.Store{Kind: "sqlite", Path: filepath.Join(t.TempDir(), "memory.db")}
	e, err := app.Open(t.Context(), config.Config{Store: s, Model: config.Model{Name: config.NoModel}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var ids []hippo.ID
	for i := range n {
		m, err := memory.Record(t.Context(), local(e), &hippo.Memory{Content: fmt.Sprintf("We had pizza, number %d", i)})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.ID)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := sqlitestore.Open(t.Context(), s.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	unit := make([]float32, dimension)
	unit[0] = 1
	for model, n := range counts {
		var vs []driver.Vector
		for _, id := range ids[:n] {
			vs = append(vs, driver.Vector{ID: id, Values: unit})
		}
		if err := b.PutVectors(t.Context(), model, vs); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

// openWith opens a store with a model until the test ends.
func openWith(t *testing.T, s config.Store, model string) *engine.Engine {
	t.Helper()
	m, err := config.ParseModel(model, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	e, err := app.Open(t.Context(), config.Config{Store: s, Model: m}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// ids are the models of an engine, the most wanted first, without revisions.
func ids(st api.Status) []string {
	out := make([]string, len(st.Models))
	for i, m := range st.Models {
		out[i], _, _ = strings.Cut(m.ID, "@")
	}
	return out
}

func statusOf(t *testing.T, e *engine.Engine) api.Status {
	t.Helper()
	st, err := memory.Status(t.Context(), local(e))
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// The wanted model is first, the one that has most of the vectors next if its very
// files are here, the built-in one last; what cannot be had is said.
func TestOpen_Models(t *testing.T) { //nolint:paralleltest // the cache is named by the environment
	is := pulled(t, "nomic", "bge-m3")
	empty, mine := t.TempDir(), folder(t)
	for _, c := range []struct {
		name     string
		wanted   string
		vectors  map[string]int
		want     []string
		degraded string
	}{
		{name: "builtin", wanted: "builtin", want: []string{"contextual", "multilingual", "builtin"}},
		{name: "builtin_after_another", wanted: "builtin", vectors: map[string]int{is["nomic"]: 3}, want: []string{"contextual", "multilingual", "builtin"}},
		{name: "none", wanted: "none", vectors: map[string]int{is["nomic"]: 3}, want: []string{}},
		{name: "first", wanted: "nomic", want: []string{"nomic", "multilingual", "builtin"}},
		{name: "alias", wanted: "BGE_M3", want: []string{"bge-m3", "multilingual", "builtin"}},
		{name: "folder", wanted: mine, want: []string{"folder", "multilingual", "builtin"}},
		{name: "same", wanted: "nomic", vectors: map[string]int{is["nomic"]: 3, is["bge-m3"]: 2}, want: []string{"nomic", "multilingual", "builtin"}},
		{name: "former", wanted: "nomic", vectors: map[string]int{is["nomic"]: 1, is["bge-m3"]: 3}, want: []string{"nomic", "bge-m3", "multilingual", "builtin"}},
		{name: "former_of_folder", wanted: mine, vectors: map[string]int{is["bge-m3"]: 3}, want: []string{"folder", "bge-m3", "multilingual", "builtin"}},
		{name: "former_of_other_revision", wanted: "nomic", vectors: map[string]int{"bge-m3@other": 3}, want: []string{"nomic", "multilingual", "builtin"}},
		{name: "former_not_here", wanted: "nomic", vectors: map[string]int{"e5-base@a-b": 3}, want: []string{"nomic", "multilingual", "builtin"}},
		{name: "former_not_known", wanted: "nomic", vectors: map[string]int{"folder@a-b": 3, "openai:host/m": 3, "../x": 3}, want: []string{"nomic", "multilingual", "builtin"}},
		{name: "not_here", wanted: "e5-base", want: []string{"contextual", "multilingual", "builtin"}, degraded: "semantic search: model e5-base: model e5-base is not here: unavailable: get it with: hippo model pull e5-base"},
		{name: "not_known", wanted: "gpt", want: []string{"contextual", "multilingual", "builtin"}, degraded: `semantic search: model gpt: model: "gpt" is not known: want builtin, minilm-l6-v2`},
		{name: "empty_folder", wanted: empty, want: []string{"contextual", "multilingual", "builtin"}, degraded: "semantic search: model " + empty + ": model: the folder " + empty + " has no config.json"},
	} {
		t.Run(c.name, func(t *testing.T) { //nolint:paralleltest // as above
			e := openWith(t, filled(t, 3, 4, c.vectors), c.wanted)
			st := statusOf(t, e)
			if diff := cmp.Diff(c.want, ids(st)); diff != "" {
				t.Errorf("models: %s", diff)
			}
			if said := strings.Join(st.Degraded, "; "); !strings.Contains(said, c.degraded) {
				t.Errorf("degraded: %q, want %q", said, c.degraded)
			}
			a, err := query.Search(t.Context(), local(e), hippo.Query{Text: "pizza"})
			if err != nil || a.Total != 3 {
				t.Errorf("search: %+v (%v), want all 3", a, err)
			}
			if c.degraded != "" && (a == nil || !strings.Contains(strings.Join(a.Degraded, "; "), c.degraded)) {
				t.Errorf("the answer says %+v, the status %q", a, st.Degraded)
			}
		})
	}
}

// A damaged model is like one that is not here.
func TestOpen_Damaged(t *testing.T) { //nolint:paralleltest // the cache is named by the environment
	pulled(t, "nomic")
	l, err := hub.New(nil).Resolve(t.Context(), "nomic")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(l.Dir, hub.WeightsFile), "x")
	st := statusOf(t, openWith(t, filled(t, 1, 4, nil), "nomic"))
	if diff := cmp.Diff([]string{"contextual", "multilingual", "builtin"}, ids(st)); diff != "" {
		t.Error(diff)
	}
	if len(st.Degraded) == 0 || !strings.Contains(st.Degraded[0], "model.safetensors has 1 bytes, want 10") || !strings.Contains(st.Degraded[0], "hippo model pull nomic") {
		t.Errorf("degraded: %q", st.Degraded)
	}
}

// ask searches for whatever is found; no memory shares a word with what the tests
// ask for.
func ask(t *testing.T, e *engine.Engine, text string) *hippo.Answer {
	t.Helper()
	a, err := query.Search(t.Context(), local(e), hippo.Query{Text: text, Relevance: &hippo.Range{Max: math.Inf(1)}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// While a model catches up, the built-in one serves: nothing half-embedded is.
func TestOpen_CannotLoad(t *testing.T) { //nolint:paralleltest // the cache is named by the environment
	is := pulled(t, "nomic")
	for name, n := range map[string]int{"small": 3, "large": 30} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // as above
			e := openWith(t, filled(t, n, 4, nil), "nomic")
			if err := e.Ready(t.Context()); !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrUnsupported) {
				t.Errorf("Ready: %v, want why it cannot be loaded", err)
			}
			if err := e.Embed(t.Context(), func(int, int) {}); err == nil || !strings.Contains(err.Error(), "config.json") {
				t.Errorf("Embed: %v, want what is wrong", err)
			}
			a := ask(t, e, "dinner food")
			if a.Total == 0 {
				t.Errorf("the built-in model does not serve: %+v", a)
			}
			if said := strings.Join(a.Degraded, "; "); !strings.Contains(said, is["nomic"]) || !strings.Contains(said, "config.json") {
				t.Errorf("degraded: %q, want the model and what is wrong", said)
			}
		})
	}
}

// The file of weights is cut off while a program uses it: the error says so, and
// the built-in model goes on.
func TestOpen_CutOffWhileInUse(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	e := openWith(t, filled(t, 30, 4, nil), dir)
	if err := e.Embed(t.Context(), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if a := ask(t, e, "dinner food"); a.Total == 0 || len(a.Degraded) != 0 {
		t.Fatalf("before: %+v", a)
	}
	if err := os.Truncate(filepath.Join(dir, hub.WeightsFile), 100); err != nil {
		t.Fatal(err)
	}
	a := ask(t, e, "restaurant meal")
	if said := strings.Join(a.Degraded, "; "); !strings.Contains(said, "semantic search: ") || !strings.Contains(said, "model.safetensors") || !strings.Contains(said, "corrupt") {
		t.Errorf("degraded: %q, want the file", said)
	}
	if a.Total == 0 {
		t.Errorf("the built-in model does not serve: %+v", a)
	}
}

// A folder that disappears is no harm to a program that has loaded it, nor to the
// next one, which says what is missing.
func TestOpen_FolderDisappears(t *testing.T) {
	t.Parallel()
	dir, s := folder(t), filled(t, 30, 4, nil)
	e := openWith(t, s, dir)
	if err := e.Embed(t.Context(), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Skipf("this system keeps files that are open: %v", err)
	}
	if a := ask(t, e, "dinner food"); a.Total == 0 {
		t.Errorf("got %+v, want an answer", a)
	}
	a := ask(t, openWith(t, s, dir), "dinner food")
	if said := strings.Join(a.Degraded, "; "); a.Total == 0 || !strings.Contains(said, "has no config.json") {
		t.Errorf("got %+v, want an answer and what is missing", a)
	}
}

// No endpoint is asked before a store is open. The dimension of a model that the store
// has no vectors of is learned in the background; meanwhile the built-in one serves.
func TestOpen_EndpointIsAskedInBackground(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-release
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		items := make([]string, len(in.Input))
		for i := range items {
			items[i] = fmt.Sprintf(`{"index":%d,"embedding":[1,2,3,4]}`, i)
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(items, ","))
	}))
	t.Cleanup(server.Close)
	name, store := server.URL+"/v1#m", filled(t, 3, 4, nil)
	id := "openai:" + strings.TrimPrefix(server.URL, "http://") + "/m"
	e := openWith(t, store, name)
	st := statusOf(t, e)
	if len(st.Models) != 3 || st.Models[0].ID != id || st.Models[0].Serving || !st.Models[2].Serving {
		t.Errorf("models %+v, want %s, and that the built-in one serves", st.Models, id)
	}
	if len(st.Degraded) != 1 || !strings.Contains(st.Degraded[0], id) {
		t.Errorf("degraded: %q, want the model", st.Degraded)
	}
	close(release)
	if err := e.Embed(t.Context(), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	st = statusOf(t, e)
	if !st.Models[0].Serving || st.Models[0].Embedded != 3 || len(st.Degraded) != 0 {
		t.Errorf("models %+v, degraded %q, want that the model has all 3 and serves", st.Models, st.Degraded)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests, want one for the dimension and one for the memories", n)
	}
	e = openWith(t, store, name)
	if err := e.Embed(t.Context(), func(int, int) {}); err != nil || asked.Load() != 2 {
		t.Errorf("%v after %d requests, want none for a store that has the vectors", err, asked.Load()-2)
	}
}

func TestOpenModel(t *testing.T) { //nolint:paralleltest // the cache is named by the environment
	pulled(t, "nomic")
	none := func(name string) string { // but for the folder of models
		if name == "HIPPO_MODELS" {
			return os.Getenv(name)
		}
		return ""
	}
	dir := folder(t)
	for name, space := range map[string]string{"builtin": "all-MiniLM-L6-v2", "static": "all-MiniLM-L6-v2", dir: "folder@"} {
		m, err := app.OpenModel(t.Context(), name, none)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(m.Model().Space, space) || m.Instant != (name != dir) {
			t.Errorf("%s: got %+v, instant %v, want space %s", name, m.Model(), m.Instant, space)
		}
		v, err := m.Embed(t.Context(), embed.Query, []string{"It is loaded."})
		if err == nil {
			err = embed.Check(m.Model(), 1, v)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c, ok := m.Embedder.(interface{ Close() error }); ok {
			if err := c.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := m.Embed(t.Context(), embed.Query, []string{"It is closed."}); !errors.Is(err, hippo.ErrUnavailable) {
				t.Errorf("%s: got %v after Close", name, err)
			}
		}
	}
	for _, c := range []struct {
		name, say string
		kind      error
	}{
		{"", "must not be empty", hippo.ErrInvalid},
		{"gpt", "is not known", hippo.ErrInvalid},
		{"none", "", hippo.ErrInvalid},
		{"e5-base", "hippo model pull e5-base", hippo.ErrUnavailable},
		{t.TempDir(), "has no config.json", hippo.ErrInvalid},
		{"nomic", "config.json", nil},
		{"~nobody/model", "only ~ and ~/ are understood", hippo.ErrInvalid},
		{"ftp://host/v1#m", "must be like http", hippo.ErrInvalid},
	} {
		_, err := app.OpenModel(t.Context(), c.name, none)
		if err == nil || c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%q: got %v, want %v with %q", c.name, err, c.kind, c.say)
		}
	}
}

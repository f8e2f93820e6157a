package engine_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tester is what a test, a benchmark and a check of rapid have in common.
type tester interface {
	rapid.TB
	Cleanup(func())
	Context() context.Context
}

// clock stands still until a test moves it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

// newClock returns a clock that shows a Sunday noon.
func newClock() *clock { return &clock{at: enginetest.Noon()} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(days int, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.AddDate(0, 0, days).Add(d)
}

// fixture is an engine, as the owner of the store sees it. Its clock moves when the test says
// so.
type fixture struct {
	*engine.Memories
	*clock
	t     tester
	store *store.Store
	end   func() // closes the engine, once
}

// options of a fixture; the zero value is an engine in RAM without models.
type options struct {
	backend  driver.Backend // nil: a new one in RAM
	path     string         // of the file of the index
	models   []embedding.Model
	tokens   embed.TokenEmbedder
	weights  *rank.Weights
	degraded []string
	zone     *time.Location // nil: UTC
	clock    *clock         // nil: a new one
	surprise engine.Surprise
	history  *hippo.Retention // nil: the default
}

func open(t tester, o options) *fixture {
	t.Helper()
	if o.clock == nil {
		o.clock = newClock()
	}
	opened := enginetest.Options{Backend: o.backend, Zone: o.zone, Path: o.path, Retention: o.history, Config: engine.Config{
		Now: o.clock.now, Models: o.models, Tokens: o.tokens, Weights: o.weights, Degraded: o.degraded,
	}}
	e := enginetest.New(t, &opened)
	if o.surprise.Mode != "" {
		e.Score(o.surprise, nil)
	}
	f := &fixture{Memories: e.In(hippo.LocalScope("")), clock: o.clock, t: t, store: opened.Store}
	f.end = sync.OnceFunc(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(f.end)
	return f
}

// openReranking opens an engine with a reranker, and models if any.
func openReranking(t tester, models ...embedding.Model) *fixture {
	t.Helper()
	return open(t, options{tokens: &embedtest.Tokens{}, models: models})
}

// openWithModels opens an engine with models and without a reranker.
func openWithModels(t tester, models ...embedding.Model) *fixture {
	t.Helper()
	return open(t, options{models: models})
}

// openWeighted opens an engine whose rankers have other weights.
func openWeighted(t tester, change func(*rank.Weights)) *fixture {
	t.Helper()
	return open(t, options{weights: changed(change)})
}

// changed returns weights that a function changed, if it is not nil.
func changed(change func(*rank.Weights)) *rank.Weights {
	w := rank.DefaultWeights()
	if change != nil {
		change(&w)
	}
	return &w
}

func instant(w *embedtest.Words) embedding.Model { return embedding.Model{Embedder: w, Instant: true} }

func slow(e embed.Embedder) embedding.Model { return embedding.Model{Embedder: e} }

// persistent is a back end that outlives the stores that use it, as a file does.
type persistent struct{ driver.Backend }

func (persistent) Close() error { return nil }

func newPersistent() driver.Backend { return persistent{memstore.New(nil)} }

// record records a memory a second after what was before.
func (f *fixture) record(content string, importance float64, situation ...string) hippo.ID {
	f.t.Helper()
	f.advance(0, time.Second)
	m, err := memory.Record(f.t.Context(), f.Memories, &hippo.Memory{
		Content: content, Situation: situation, Importance: hippo.Importance{Base: importance},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return m.ID
}

// put imports memories, so that they have the IDs and times that they say.
func (f *fixture) put(ms ...*hippo.Memory) {
	f.t.Helper()
	r, err := transfer.New(f.Memories).Import(f.t.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		for _, m := range ms {
			if !yield(m.Clone(), nil) {
				return
			}
		}
	}, nil)
	if err != nil || r.Added != len(ms) {
		f.t.Fatalf("imported %+v (%v), want %d", r, err, len(ms))
	}
}

// turn is the n-th memory of a test, and the n-th of its session.
func turn(n int, session, content string) *hippo.Memory {
	return &hippo.Memory{
		ID: hippo.ID{0: byte(n * 89), 14: byte(n >> 8), 15: byte(n), 1: 1}, Content: content, Trust: hippo.TrustNormal,
		CreatedAt:  time.Date(2026, 2, 1, 0, 0, n, 0, time.UTC),
		Importance: hippo.Importance{Base: .5, Value: .5},
		Source:     hippo.Source{Kind: hippo.SourceAgent, Session: session, Seq: n},
	}
}

// idOf is the ID of turn n.
func idOf(n int) hippo.ID { return turn(n, "", "").ID }

// live lets n active days pass: days on which something else is searched.
func (f *fixture) live(n int) {
	f.t.Helper()
	for range n {
		f.advance(1, 0)
		f.search(hippo.Query{Text: "zzzzunheardof"})
	}
}

func (f *fixture) search(q hippo.Query) *hippo.Answer {
	f.t.Helper()
	a, err := query.Search(f.t.Context(), f.Memories, q)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func (f *fixture) flush() {
	f.t.Helper()
	if err := f.Flush(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) get(id hippo.ID) *hippo.Memory {
	f.t.Helper()
	ms, err := memory.Get(f.t.Context(), f.Memories, []hippo.ID{id})
	if err != nil {
		f.t.Fatal(err)
	}
	return ms[0]
}

func (f *fixture) vote(up, down []hippo.ID) {
	f.t.Helper()
	if _, err := memory.Reinforce(f.t.Context(), f.Memories, up, down); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) forget(id hippo.ID) {
	f.t.Helper()
	if _, err := memory.Forget(f.t.Context(), f.Memories, []hippo.ID{id}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) restore(id hippo.ID) {
	f.t.Helper()
	if _, err := memory.Restore(f.t.Context(), f.Memories, []hippo.ID{id}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) purge(id hippo.ID) {
	f.t.Helper()
	if err := memory.Purge(f.t.Context(), f.Memories, []hippo.ID{id}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) modify(id hippo.ID, c api.Change) {
	f.t.Helper()
	if _, err := memory.Modify(f.t.Context(), f.Memories, id, c); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) status() api.Status {
	f.t.Helper()
	s, err := memory.Status(f.t.Context(), f.Memories)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func contents(a *hippo.Answer) []string {
	var out []string
	for _, h := range a.Hits {
		out = append(out, h.Memory.Content)
	}
	return out
}

func (f *fixture) wantOrder(q hippo.Query, want ...string) {
	f.t.Helper()
	if diff := cmp.Diff(want, contents(f.search(q))); diff != "" {
		f.t.Errorf("%+v (-want +got):\n%s", q, diff)
	}
}

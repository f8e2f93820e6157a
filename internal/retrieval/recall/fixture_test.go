package recall_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tester is what a test and a check of rapid have in common.
type tester interface {
	rapid.TB
	Cleanup(func())
	Context() context.Context
}

// fixture is a searcher over an index of a store in RAM. Searches leave no trace there.
type fixture struct {
	t        tester
	now      time.Time
	store    *store.Store
	scope    hippo.Scope
	index    *index.Index
	searcher *recall.Searcher
	pages    *recall.Pages
}

// open opens one that reranks, unless tokens is nil, with the vectors of instant models.
func open(t tester, tokens embed.TokenEmbedder, words ...*embedtest.Words) *fixture {
	t.Helper()
	f := &fixture{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), scope: hippo.LocalScope("")}
	clock := func() time.Time { return f.now }
	f.store = store.New(memstore.New(nil), &store.Options{Now: clock, Zone: time.UTC})
	var models []embedding.Model
	for _, w := range words {
		models = append(models, embedding.Model{Embedder: w, Instant: true})
	}
	o := &index.Options{Tokens: tokens}
	o.Models, o.Instant = embedding.Indexed(models)
	var err error
	if f.index, err = index.Open(t.Context(), f.store, o); err != nil {
		t.Fatal(err)
	}
	follower := embedding.New(embedding.Config{Store: f.store, Index: f.index, Models: models})
	w := rank.DefaultWeights()
	w.Confidence.Weak = 0 // a weak answer is cut, which tests of packages rank and engine cover
	f.searcher = recall.New(recall.Config{
		Index: f.index, Relations: relations{f.store}, Embedder: follower, Tokens: tokens, Weights: &w, Now: clock,
	})
	f.pages = recall.NewPages(clock)
	t.Cleanup(func() {
		for _, c := range []func() error{follower.Close, f.index.Close, f.store.Close} {
			if err := c(); err != nil {
				t.Error(err)
			}
		}
	})
	return f
}

// openReranking opens a fixture that reranks.
func openReranking(t tester, words ...*embedtest.Words) *fixture {
	t.Helper()
	return open(t, &embedtest.Tokens{}, words...)
}

// relations are those of a store, with the weights that are stored.
type relations struct{ store *store.Store }

func (r relations) Relations(ctx context.Context, scope hippo.Scope, ids []hippo.ID, at time.Time, limit int) ([]hippo.Relation, error) {
	return r.store.In(scope).Relations(ctx, ids, at, limit)
}

// search answers a query as the engine does, but for what it counts.
func (f *fixture) search(q hippo.Query) *hippo.Answer {
	f.t.Helper()
	q.Ranker, q.Count = cmp.Or(q.Ranker, hippo.RankerHippo), cmp.Or(q.Count, hippo.DefaultCount)
	r := f.pages.Get(f.scope, &q)
	if r == nil {
		r = f.recall(q)
		f.pages.Put(f.scope, &q, r)
	}
	a := &hippo.Answer{Total: r.Total, Distribution: r.Distribution, Ranker: q.Ranker, Judgement: r.Judgement, Degraded: r.Degraded}
	for _, h := range r.Page(q.Offset, q.Count) {
		ms, err := f.store.Get(f.t.Context(), []hippo.ID{h.ID})
		if err != nil || len(ms) != 1 {
			f.t.Fatalf("got %v (%v), want the hit %v", ms, err, h.ID)
		}
		a.Hits = append(a.Hits, hippo.Hit{Memory: ms[0], Relevance: h.Relevance, Signals: h.Signals, Same: h.Same, Explanation: h.Explanation})
	}
	return a
}

// recall ranks what a query finds.
func (f *fixture) recall(q hippo.Query) *recall.Ranking {
	f.t.Helper()
	if err := f.index.CatchUp(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	plan, err := f.searcher.Plan(f.scope, &q)
	if err != nil {
		f.t.Fatal(err)
	}
	r, err := f.searcher.Recall(f.t.Context(), plan, 1)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Question = nil // it holds models, which are not compared
	return r
}

// put adds memories with the IDs and times that they say.
func (f *fixture) put(ms ...*hippo.Memory) {
	f.t.Helper()
	clones := make([]*hippo.Memory, len(ms))
	for i, m := range ms {
		clones[i] = m.Clone()
	}
	done, err := f.store.In(f.scope).Import(f.t.Context(), hippo.Calendar{}, clones)
	if err != nil || slices.ContainsFunc(done, func(o store.Outcome) bool { return o != store.Added }) {
		f.t.Fatalf("got %v of %d (%v)", done, len(ms), err)
	}
}

// update changes a memory.
func (f *fixture) update(id hippo.ID, change func(*hippo.Memory)) {
	f.t.Helper()
	_, err := f.store.In(f.scope).Update(f.t.Context(), []hippo.ID{id}, func(m *hippo.Memory, _ hippo.Day) error {
		change(m)
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) forget(id hippo.ID) {
	f.t.Helper()
	f.update(id, func(m *hippo.Memory) { m.ForgottenAt = f.now })
}

func (f *fixture) relate(rs ...hippo.Relation) {
	f.t.Helper()
	if _, err := f.store.In(f.scope).Relate(f.t.Context(), rs, nil); err != nil {
		f.t.Fatal(err)
	}
}

// turn is the n-th memory of a test, and the n-th of its session.
func turn(n int, session, content string) *hippo.Memory {
	return &hippo.Memory{
		ID: idOf(n), Content: content, Trust: hippo.TrustNormal,
		CreatedAt:  time.Date(2026, 2, 1, 0, 0, n, 0, time.UTC),
		Importance: hippo.Importance{Base: .5, Value: .5},
		Source:     hippo.Source{Kind: hippo.SourceAgent, Session: session, Seq: n},
	}
}

// idOf is the ID of turn n.
func idOf(n int) hippo.ID { return hippo.ID{0: byte(n * 89), 14: byte(n >> 8), 15: byte(n), 1: 1} }

func contents(a *hippo.Answer) []string {
	var out []string
	for _, h := range a.Hits {
		out = append(out, h.Memory.Content)
	}
	return out
}

func (f *fixture) wantOrder(q hippo.Query, want ...string) {
	f.t.Helper()
	if d := gocmp.Diff(want, contents(f.search(q))); d != "" {
		f.t.Errorf("%+v (-want +got):\n%s", q, d)
	}
}

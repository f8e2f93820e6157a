package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// weighed opens an engine that looks closely, with weights that change alters.
func weighed(t *testing.T, change func(*rank.Weights)) *mind {
	t.Helper()
	l := &life{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return l.now }
	s, pieces := store.New(memstore.New(nil), &store.Options{Now: clock, Zone: time.UTC}), &wordPieces{}
	x, err := index.Open(t.Context(), s, &index.Options{Pieces: pieces})
	if err != nil {
		t.Fatal(err)
	}
	w := rank.DefaultWeights()
	change(&w)
	l.Engine = engine.New(engine.Config{Store: s, Index: x, Now: clock, Pieces: pieces, Weights: &w})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return &mind{life: l, store: s}
}

// idOf is the ID of turn n.
func idOf(n int) hippo.ID { return turn(n, "", "").ID }

func (m *mind) relate(from int, kind string, to int, weight float64) {
	m.t.Helper()
	err := m.Relate(m.t.Context(), []hippo.Relation{{From: idOf(from), To: idOf(to), Kind: kind, Weight: weight}})
	if err != nil {
		m.t.Fatal(err)
	}
}

// learned is the weight of the learned relation of two turns, 0 if there is none.
func (m *mind) learned(a, b int) float64 {
	m.t.Helper()
	if err := m.Flush(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	rs, err := m.Relations(m.t.Context(), []hippo.ID{idOf(a)})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, r := range rs {
		if r.Kind == hippo.CoRecalled && r.Other(idOf(a)) == idOf(b) {
			return r.Weight
		}
	}
	return 0
}

// days searches once a day, so many days.
func (m *mind) days(n int, query string) {
	m.t.Helper()
	for range n {
		m.now = m.now.AddDate(0, 0, 1)
		m.search(hippo.Query{Text: query})
		if err := m.Flush(m.t.Context()); err != nil {
			m.t.Fatal(err)
		}
	}
}

// Two memories are found together for days. Afterwards the one comes before an
// equally relevant third when the other is found, and only then.
func TestCoRecall_ChangesTheOrder(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*rank.Weights)
		order  []string
	}{
		"learned":      {func(*rank.Weights) {}, []string{"gateway timeout alpha", "gateway beta one", "gateway gamma two"}},
		"without":      {func(w *rank.Weights) { w.Relations.Bound = 0 }, []string{"gateway timeout alpha", "gateway gamma two", "gateway beta one"}},
		"learns never": {func(w *rank.Weights) { w.Relations.Learn = 1e-9 }, []string{"gateway timeout alpha", "gateway gamma two", "gateway beta one"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weighed(t, func(w *rank.Weights) {
				w.PriorBound = 0 // accesses are not what is tested
				w.Relations.Pull = 0
				tc.change(w)
			})
			m.put(turn(1, "", "gateway timeout alpha"), turn(2, "", "gateway beta one"), turn(3, "", "gateway gamma two"))
			m.days(6, "alpha beta")
			m.wantOrder(hippo.Query{Text: "gateway timeout", NoTouch: true}, tc.order...)
		})
	}
}

func TestCoRecall_IsLearnedOnceADay(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "blue"))
	for range 20 {
		m.search(hippo.Query{Text: "red"})
	}
	if w := m.learned(1, 2); w != .1 {
		t.Errorf("after twenty searches on one day the weight is %v, want .1", w)
	}
	if w := m.learned(1, 3); w != 0 {
		t.Errorf("memories that were not found together have weight %v", w)
	}
	before := .1
	for range 400 {
		m.days(1, "red")
		w := m.learned(1, 2)
		if w > .83 || w < before-1e-9 {
			t.Fatalf("the weight goes from %v to %v", before, w)
		}
		before = w
	}
	if before < .82 {
		t.Errorf("after a year the weight is %v", before)
	}
	m.now = m.now.AddDate(0, 0, 30)
	if w := m.learned(1, 2); w < .41 || w > .42 {
		t.Errorf("a month later it is %v, want half", w)
	}
	m.now = m.now.AddDate(1, 0, 0)
	m.search(hippo.Query{Text: "blue beta"}) // a pair that is learned: what faded goes
	m.learned(1, 2)
	for r, err := range m.ExportRelations(t.Context()) {
		if err != nil || r == hippo.CoRecall(idOf(1), idOf(2)) || r.Other(idOf(1)) == idOf(2) {
			t.Errorf("what faded is still there: %v, %v", r, err)
		}
	}
}

func TestCoRecall_WhatTeaches(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		q    hippo.Query
		want bool
	}{
		"a search":             {hippo.Query{Text: "red"}, true},
		"one without a trace":  {hippo.Query{Text: "red", NoTouch: true}, false},
		"a later page":         {hippo.Query{Text: "red", Offset: 1}, false},
		"a page of one":        {hippo.Query{Text: "red", Count: 1}, false},
		"a look at everything": {hippo.Query{}, false},
		"another ranker":       {hippo.Query{Text: "red", Ranker: hippo.RankerBM25}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newTalk(t)
			m.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "red gamma"))
			m.search(tc.q)
			if got := m.learned(1, 2) > 0; got != tc.want {
				t.Errorf("learned: %v", got)
			}
		})
	}
}

// A search teaches at most the pairs of its first three hits.
func TestCoRecall_IsBounded(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	for n := range 12 {
		m.put(turn(n+1, "", fmt.Sprintf("red number%d", n)))
	}
	m.search(hippo.Query{Text: "red", Count: 12})
	m.learned(1, 2)
	n := 0
	for _, err := range m.ExportRelations(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 {
		t.Errorf("%d pairs are learned, want 3", n)
	}
}

func TestRelate_PullsWhatDoesNotMatch(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "gateway timeout"), turn(2, "", "raise the pool"), turn(3, "", "bread needs salt"), turn(4, "", "gateway here"))
	q := hippo.Query{Text: "gateway timeout", NoTouch: true}
	m.wantOrder(q, "gateway timeout", "gateway here")
	m.relate(2, "fixes", 1, 1)
	m.relate(2, "needs", 3, 1) // not of a hit
	a := m.search(q)
	if got := contents(a); !slices.Contains(got, "raise the pool") || slices.Contains(got, "bread needs salt") || got[0] != "gateway timeout" {
		t.Errorf("found %q", got)
	}
	if a.Total != 3 || a.Distribution.Sum() != 3 {
		t.Errorf("total %d, distribution %v", a.Total, a.Distribution)
	}
	for _, h := range a.Hits {
		if h.Memory.ID == idOf(2) && (h.Signals.Related != a.Hits[0].Relevance || h.Signals.BM25 != 0) {
			t.Errorf("signals are %+v", h.Signals)
		}
	}
	q.Explain = true
	for _, h := range m.search(q).Hits {
		if x := h.Explanation; (x.Because == "related") != (h.Memory.ID == idOf(2)) || (len(x.Evidence) == 0) != (x.Because != "") {
			t.Errorf("%q is explained by %+v", h.Memory.Content, x)
		}
	}
	m.search(hippo.Query{Text: "gateway timeout"})
	if m.learned(1, 2) != 0 {
		t.Error("what a relation pulled in is learned")
	}
	m.wantOrder(hippo.Query{Text: "gateway timeout", NoTouch: true, Filter: hippo.Filter{Projects: []string{"x"}}})
	m.wantOrder(hippo.Query{Text: "gateway timeout", NoTouch: true, Relevance: &hippo.Range{Min: .99, Max: 1}})
	if _, err := m.Forget(t.Context(), []hippo.ID{idOf(2)}); err != nil {
		t.Fatal(err)
	}
	m.wantOrder(q, "gateway timeout", "gateway here")
}

// A weak relation that was learned lifts what matches; it does not pull.
func TestCoRecall_PullsAboveALimit(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "gateway timeout"), turn(2, "", "pool timer"))
	m.days(1, "timeout timer")
	for day := 1; day < 12; day++ {
		got := len(m.search(hippo.Query{Text: "gateway", NoTouch: true}).Hits) == 2
		if want := m.learned(1, 2) > .3; got != want {
			t.Errorf("day %d, weight %v: pulled %v", day, m.learned(1, 2), got)
		}
		m.days(1, "timeout timer")
	}
	if m.learned(1, 2) <= .3 {
		t.Errorf("the weight is %v: the test tests little", m.learned(1, 2))
	}
}

func TestRelate_HoldsForATime(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "gateway timeout"), turn(2, "", "raise the pool"))
	r := hippo.Relation{From: idOf(1), To: idOf(2), Kind: "then", Weight: 1, ValidUntil: m.now.AddDate(0, 0, 10)}
	if err := m.Relate(t.Context(), []hippo.Relation{r}); err != nil {
		t.Fatal(err)
	}
	q := hippo.Query{Text: "gateway", NoTouch: true}
	m.wantOrder(q, "gateway timeout", "raise the pool")
	m.now = m.now.AddDate(0, 0, 10)
	m.wantOrder(q, "gateway timeout")
	q.Filter.ValidAt = m.now.AddDate(0, 0, -1)
	m.wantOrder(q, "gateway timeout", "raise the pool")
}

func TestRelate_Refuses(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "one"), turn(2, "", "two"))
	r := func(from, to int, kind string) hippo.Relation {
		return hippo.Relation{From: idOf(from), To: idOf(to), Kind: kind, Weight: .5}
	}
	for name, tc := range map[string]struct {
		rs   []hippo.Relation
		want error
	}{
		"nothing":          {nil, hippo.ErrInvalid},
		"unknown":          {[]hippo.Relation{r(1, 2, "a"), r(1, 9, "a")}, hippo.ErrNotFound},
		"to itself":        {[]hippo.Relation{r(1, 1, "a")}, hippo.ErrInvalid},
		"what is learned":  {[]hippo.Relation{hippo.CoRecall(idOf(1), idOf(2))}, hippo.ErrInvalid},
		"one bad of two":   {[]hippo.Relation{r(1, 2, "a"), r(1, 2, "")}, hippo.ErrInvalid},
		"far too many":     {make([]hippo.Relation, hippo.MaxIDs+1), hippo.ErrInvalid},
		"too heavy by far": {[]hippo.Relation{{From: idOf(1), To: idOf(2), Kind: "a", Weight: 7}}, hippo.ErrInvalid},
	} {
		if err := m.Relate(t.Context(), tc.rs); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for r, err := range m.ExportRelations(t.Context()) {
		t.Errorf("%v was stored (%v)", r, err)
	}
	if err := m.Unrelate(t.Context(), []hippo.Relation{r(1, 2, "a")}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("unrelate: %v", err)
	}
	m.relate(1, "a", 2, .5)
	if err := m.Unrelate(t.Context(), []hippo.Relation{r(1, 2, "a")}); err != nil {
		t.Error(err)
	}
	if _, err := m.Relations(t.Context(), []hippo.ID{idOf(9)}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("relations of an unknown memory: %v", err)
	}
}

// counts counts the reads of relations.
type counts struct {
	driver.Backend
	reads int
}

func (c *counts) Relations(ctx context.Context, q driver.RelationQuery) ([]hippo.Relation, error) {
	c.reads++
	return c.Backend.Relations(ctx, q)
}

func TestRelate_ReadsOnceOrNever(t *testing.T) {
	t.Parallel()
	c := &counts{Backend: newKept()}
	m := openTalk(t, c, &wordPieces{})
	m.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "blue"))
	m.search(hippo.Query{Text: "red", NoTouch: true})
	if c.reads != 0 {
		t.Errorf("%d reads without relations", c.reads)
	}
	m.relate(1, "a", 3, .5)
	m.search(hippo.Query{Text: "red", NoTouch: true})
	if c.reads != 1 {
		t.Errorf("%d reads of a search", c.reads)
	}
}

// Whatever is related, in whatever way: what is pulled is behind what pulls it, no
// hit comes twice, counts agree, and no text rises by more than the bound.
func TestRelate_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m, plain := newTalk(t), newTalk(t)
		defer m.end()
		defer plain.end()
		n := rapid.IntRange(2, 9).Draw(rt, "memories")
		for i := range n {
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"red", "green", "blue", "grey", "black"}), 1, 4).Draw(rt, "words")
			x := turn(i+1, "", fmt.Sprint(words))
			m.put(x)
			plain.put(x)
		}
		for range rapid.IntRange(0, 6).Draw(rt, "relations") {
			a, b := rapid.IntRange(1, n).Draw(rt, "a"), rapid.IntRange(1, n).Draw(rt, "b")
			if a != b {
				m.relate(a, "a", b, rapid.Float64Range(.01, 1).Draw(rt, "weight"))
			}
		}
		q := hippo.Query{Text: "red green", NoTouch: true}
		with, without := m.search(q), plain.search(q)
		if len(with.Hits) != with.Total || with.Distribution.Sum() != with.Total {
			rt.Fatalf("%d hits, total %d, distribution %v", len(with.Hits), with.Total, with.Distribution)
		}
		text := make(map[hippo.ID]float64)
		for _, h := range without.Hits {
			text[h.Memory.ID] = h.Signals.Text
		}
		seen := make(map[hippo.ID]bool)
		for i, h := range with.Hits {
			before, matched := text[h.Memory.ID]
			bound := max(before+.05*(1-before), .6*with.Hits[0].Signals.Text) + 1e-9
			if seen[h.Memory.ID] || i > 0 && h.Relevance > with.Hits[i-1].Relevance || h.Signals.Text > bound || matched && h.Signals.Text < before {
				rt.Fatalf("hit %d of %+v, was %v", i, with.Hits, before)
			}
			seen[h.Memory.ID] = true
		}
		for id := range text {
			if !seen[id] {
				rt.Fatalf("%v is no hit any more", id)
			}
		}
	})
}

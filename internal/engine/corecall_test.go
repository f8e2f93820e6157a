package engine_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// learned is the weight of the learned relation of two turns, 0 if there is none.
func (f *fixture) learned(a, b int) float64 {
	f.t.Helper()
	f.flush()
	rs, err := f.Relations().Of(f.t.Context(), []hippo.ID{idOf(a)})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, r := range rs {
		if r.Kind == hippo.CoRecalled && r.Other(idOf(a)) == idOf(b) {
			return r.Weight
		}
	}
	return 0
}

// searchDaily searches once a day, on n days.
func (f *fixture) searchDaily(n int, query string) {
	f.t.Helper()
	for range n {
		f.advance(1, 0)
		f.search(hippo.Query{Text: query})
		f.flush()
	}
}

// Two memories are found together for days. Afterwards the one comes before an equally
// relevant third when the other is found, and only then.
func TestCoRecall_ChangesTheOrder(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*rank.Weights)
		order  []string
	}{
		"learned":      {func(*rank.Weights) {}, []string{"gateway timeout alpha", "gateway beta one", "gateway gamma two"}},
		"without":      {func(w *rank.Weights) { w.Relations.Boost = 0 }, []string{"gateway timeout alpha", "gateway gamma two", "gateway beta one"}},
		"learns never": {func(w *rank.Weights) { w.Relations.Learn = 1e-9 }, []string{"gateway timeout alpha", "gateway gamma two", "gateway beta one"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, options{tokens: &embedtest.Tokens{}, weights: changed(func(w *rank.Weights) {
				w.Prior.Bound = 0 // accesses are not what is tested
				w.Relations.Pull = 0
				tc.change(w)
			})})
			f.put(turn(1, "", "gateway timeout alpha"), turn(2, "", "gateway beta one"), turn(3, "", "gateway gamma two"))
			f.searchDaily(6, "alpha beta")
			f.wantOrder(hippo.Query{Text: "gateway timeout", NoTouch: true}, tc.order...)
		})
	}
}

func TestCoRecall_IsLearnedOnceADay(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "blue"))
	for range 20 {
		f.search(hippo.Query{Text: "red"})
	}
	if w := f.learned(1, 2); w != .1 {
		t.Errorf("after twenty searches on one day the weight is %v, want .1", w)
	}
	if w := f.learned(1, 3); w != 0 {
		t.Errorf("memories that were not found together have weight %v", w)
	}
	before := .1
	for range 400 {
		f.searchDaily(1, "red")
		w := f.learned(1, 2)
		if w > .83 || w < before-1e-9 {
			t.Fatalf("the weight goes from %v to %v", before, w)
		}
		before = w
	}
	if before < .82 {
		t.Errorf("after a year the weight is %v", before)
	}
	f.advance(30, 0)
	if w := f.learned(1, 2); w < .41 || w > .42 {
		t.Errorf("a month later it is %v, want half", w)
	}
	f.advance(365, 0)
	f.search(hippo.Query{Text: "blue beta"}) // learns a pair, and drops what has faded
	f.learned(1, 2)
	for r, err := range f.Transfer().ExportRelations(t.Context()) {
		if err != nil || r == hippo.CoRecall(idOf(1), idOf(2)) || r.Other(idOf(1)) == idOf(2) {
			t.Errorf("what has faded is still there: %v, %v", r, err)
		}
	}
}

func TestCoRecall_WhatLearns(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		q    hippo.Query
		want bool
	}{
		"a search":                 {hippo.Query{Text: "red"}, true},
		"one that leaves no trace": {hippo.Query{Text: "red", NoTouch: true}, false},
		"a later page":             {hippo.Query{Text: "red", Offset: 1}, false},
		"a page of one":            {hippo.Query{Text: "red", Count: 1}, false},
		"a search for everything":  {hippo.Query{}, false},
		"another ranker":           {hippo.Query{Text: "red", Ranker: hippo.RankerBM25}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openReranking(t)
			f.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "red gamma"))
			f.search(tc.q)
			if got := f.learned(1, 2) > 0; got != tc.want {
				t.Errorf("learned: %v", got)
			}
		})
	}
}

// A search learns at most the pairs of its first three hits.
func TestCoRecall_IsBounded(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	for n := range 12 {
		f.put(turn(n+1, "", fmt.Sprintf("red number%d", n)))
	}
	f.search(hippo.Query{Text: "red", Count: 12})
	f.learned(1, 2)
	n := 0
	for _, err := range f.Transfer().ExportRelations(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 {
		t.Errorf("%d pairs are learned, want 3", n)
	}
}

// A weak learned relation boosts what matches; it does not pull.
func TestCoRecall_PullsAboveALimit(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "gateway timeout"), turn(2, "", "pool timer"))
	f.searchDaily(1, "timeout timer")
	for day := 1; day < 12; day++ {
		got := len(f.search(hippo.Query{Text: "gateway", NoTouch: true}).Hits) == 2
		if want := f.learned(1, 2) > .3; got != want {
			t.Errorf("day %d, weight %v: pulled %v", day, f.learned(1, 2), got)
		}
		f.searchDaily(1, "timeout timer")
	}
	if f.learned(1, 2) <= .3 {
		t.Errorf("the weight is %v: the test tests little", f.learned(1, 2))
	}
}

// scans counts how often all relations are read.
type scans struct {
	driver.Backend
	n atomic.Int32
}

func (s *scans) Close() error { return nil }

func (s *scans) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	s.n.Add(1)
	return s.Backend.AllRelations(ctx)
}

// Relations that have faded are dropped once a day, by the process that began the day. Other
// processes of that day do not read all relations when they end.
func TestCoRecall_IsPrunedOnceADay(t *testing.T) {
	t.Parallel()
	b, c := &scans{Backend: newPersistent()}, newClock()
	f := open(t, options{backend: b, clock: c})
	f.put(turn(1, "", "gateway alpha"), turn(2, "", "gateway beta"))
	f.end()
	for day := range 3 {
		c.advance(1, 0)
		for range 4 { // processes
			f := open(t, options{backend: b, clock: c})
			f.search(hippo.Query{Text: "gateway"})
			f.end()
		}
		if got := int(b.n.Load()); got != day+2 { // the import began a day, too
			t.Errorf("day %d: all relations were read %d times", day, got)
		}
	}
}

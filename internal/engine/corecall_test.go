package engine_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// learned is the weight of the learned relation of two turns, 0 if there is none.
func (f *fixture) learned(a, b int) float64 {
	f.t.Helper()
	f.flush()
	rs, err := knowledge.RelationsOf(f.t.Context(), f.Memories, []hippo.ID{idOf(a)})
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

// votedDaily votes once a day, on n days, for turns as answers to a question.
func (f *fixture) votedDaily(n int, query string, turns ...int) {
	f.t.Helper()
	for range n {
		f.advance(1, 0)
		f.search(hippo.Query{Text: query})
		f.voted(query, turns...)
		f.flush()
	}
}

// voted votes for turns as answers to a question.
func (f *fixture) voted(query string, turns ...int) {
	f.t.Helper()
	b := api.Reinforce{Query: query}
	for _, n := range turns {
		b.Up = append(b.Up, idOf(n))
	}
	f.cast(b)
}

// openAssociating opens an engine in which relations alone are tested.
func openAssociating(t tester, change func(*rank.Weights)) *fixture {
	t.Helper()
	return openLearning(t, func(w *rank.Weights) {
		w.Learning.Shift, w.Prior.Bound, w.Relations.MinPull = 0, 0, 2
		if change != nil {
			change(w)
		}
	})
}

// Two memories answer a question for days. Afterwards the one comes before an equally relevant third
// when the other is found, and only then.
func TestCoRecall_ChangesTheOrder(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*rank.Weights)
		order  []string
	}{
		"learned":      {nil, []string{"gateway timeout alpha", "gateway beta one", "gateway gamma two"}},
		"without":      {func(w *rank.Weights) { w.Relations.Boost = 0 }, []string{"gateway timeout alpha", "gateway gamma two", "gateway beta one"}},
		"learns never": {func(w *rank.Weights) { w.Relations.Learn = 1e-15 }, []string{"gateway timeout alpha", "gateway gamma two", "gateway beta one"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openAssociating(t, tc.change)
			f.put(turn(1, "", "gateway timeout alpha"), turn(2, "", "gateway beta one"), turn(3, "", "gateway gamma two"))
			f.votedDaily(6, "alpha beta", 1, 2)
			f.wantOrder(hippo.Query{Text: "gateway timeout", NoTouch: true}, tc.order...)
		})
	}
}

// Searching alone teaches nothing: a month of it leaves the answers to all questions as they were.
func TestCoRecall_SearchingAloneMovesNothing(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	f.put(turn(1, "", "gateway timeout alpha"), turn(2, "", "gateway beta one"), turn(3, "", "gateway gamma two"))
	answers := func() (out []float64) {
		for _, text := range []string{"gateway", "gateway timeout", "beta", "gateway one"} {
			for _, h := range f.search(hippo.Query{Text: text, NoTouch: true}).Hits {
				out = append(out, float64(h.Memory.ID[15]), h.Signals.Text, h.Relevance)
			}
		}
		return out
	}
	f.search(hippo.Query{Text: "gateway"})
	f.flush()
	before := answers()
	for range 30 { // within a day, which has its own effect on importance
		f.search(hippo.Query{Text: "gateway one"})
		f.search(hippo.Query{Text: "gateway beta"})
		f.flush()
	}
	if d := cmp.Diff(before, answers()); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
	for r, err := range transfer.New(f.Memories).ExportRelations(t.Context()) {
		t.Errorf("learned %+v (%v)", r, err)
	}
}

func TestCoRecall_IsLearnedOnceADay(t *testing.T) {
	t.Parallel()
	f := openAssociating(t, nil)
	f.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "blue"))
	for range 20 {
		f.voted("red", 1, 2)
		f.flush()
	}
	if w := f.learned(1, 2); w != .1 {
		t.Errorf("after twenty votes on one day the weight is %v, want .1", w)
	}
	if w := f.learned(1, 3); w != 0 {
		t.Errorf("memories that were not used together have weight %v", w)
	}
	before := .1
	for range 400 {
		f.votedDaily(1, "red", 1, 2)
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
	f.votedDaily(365, "blue beta", 2, 3) // learns a pair, and drops what has faded
	f.learned(1, 2)
	for r, err := range transfer.New(f.Memories).ExportRelations(t.Context()) {
		if err != nil || r.Other(idOf(1)) == idOf(2) {
			t.Errorf("what has faded is still there: %v, %v", r, err)
		}
	}
}

func TestCoRecall_WhatTeaches(t *testing.T) {
	t.Parallel()
	const asked = "how is the red gateway deployed"
	opening := func(f *fixture, query string, n int) {
		if err := memory.Opened(t.Context(), f.Memories, map[hippo.ID]string{idOf(n): query}); err != nil {
			t.Error(err)
		}
	}
	for name, tc := range map[string]struct {
		use  func(f *fixture)
		want float64
	}{
		"votes on one question": {func(f *fixture) { f.voted(asked, 1); f.voted(asked, 2) }, .1},
		"votes on another one":  {func(f *fixture) { f.voted(asked, 1); f.voted("blue", 2) }, 0},
		"votes on none":         {func(f *fixture) { f.voted("", 1, 2) }, 0},
		"votes hours apart":     {func(f *fixture) { f.voted(asked, 1); f.advance(0, 2*time.Hour); f.voted(asked, 2) }, 0},
		"openings":              {func(f *fixture) { opening(f, asked, 1); opening(f, asked, 2) }, .03},
		"an opening and a vote": {func(f *fixture) { opening(f, asked, 1); f.voted(asked, 2) }, .03},
		"a vote and a downvote": {func(f *fixture) { f.voted(asked, 1); f.cast(api.Reinforce{Down: []hippo.ID{idOf(2)}, Query: asked}) }, 0},
		"a vote that was taken back": {func(f *fixture) {
			f.voted(asked, 1)
			f.cast(api.Reinforce{Undo: []hippo.ID{idOf(1)}})
			f.voted(asked, 2)
		}, 0},
		"a vote of a modification":      {func(f *fixture) { f.voted(asked, 1); f.upvoted(2, asked) }, .1},
		"a search":                      {func(f *fixture) { f.search(hippo.Query{Text: "red"}) }, 0},
		"one of ranker surprise":        {func(f *fixture) { f.search(surprising("red")) }, .1},
		"two of ranker surprise":        {func(f *fixture) { f.search(surprising("red")); f.flush(); f.search(surprising("red")) }, .2},
		"twelve of ranker surprise":     {func(f *fixture) { f.times(12, func() { f.search(surprising("red")); f.flush() }) }, 1},
		"surprise that leaves no trace": {func(f *fixture) { q := surprising("red"); q.NoTouch = true; f.search(q) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openAssociating(t, nil)
			f.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "red gamma"))
			tc.use(f)
			if got := f.learned(1, 2); math.Abs(got-tc.want) > 1e-9 {
				t.Errorf("the weight is %v, want %v", got, tc.want)
			}
		})
	}
}

func surprising(text string) hippo.Query {
	return hippo.Query{Text: text, Ranker: hippo.RankerSurprise}
}

func (f *fixture) times(n int, do func()) {
	for range n {
		do()
	}
}

// upvoted votes for a turn as a modification does.
func (f *fixture) upvoted(n int, query string) {
	f.t.Helper()
	if _, err := memory.Modify(f.t.Context(), f.Memories, idOf(n), api.Change{Vote: api.VoteUp, Query: query}); err != nil {
		f.t.Fatal(err)
	}
}

// What one tenant uses is never paired with what another one does.
func TestCoRecall_StaysInItsNamespace(t *testing.T) {
	t.Parallel()
	f := openAssociating(t, nil)
	f.put(turn(1, "", "red alpha"))
	other := f.In(hippo.Scope{Namespace: "other", Rights: hippo.AllRights})
	m, err := memory.Record(t.Context(), other, &hippo.Memory{Content: "red beta"})
	if err != nil {
		t.Fatal(err)
	}
	f.voted("red", 1)
	if _, err := memory.Cast(t.Context(), other, api.Reinforce{Up: []hippo.ID{m.ID}, Query: "red"}); err != nil {
		t.Fatal(err)
	}
	f.flush()
	h, err := f.store.Head(t.Context())
	if err != nil || h.Relations != 0 {
		t.Errorf("%d relations (%v)", h.Relations, err)
	}
}

// A search of ranker surprise teaches at most the pairs of its first ten hits.
func TestCoRecall_IsBounded(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	for n := range 12 {
		f.put(turn(n+1, "", fmt.Sprintf("red number%d", n)))
	}
	q := surprising("red")
	q.Count = 12
	f.search(q)
	f.learned(1, 2)
	n := 0
	for _, err := range transfer.New(f.Memories).ExportRelations(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 45 {
		t.Errorf("%d pairs are learned, want 45", n)
	}
}

// A weak learned relation boosts what matches; it does not pull.
func TestCoRecall_PullsAboveALimit(t *testing.T) {
	t.Parallel()
	f := openLearning(t, nil)
	f.put(turn(1, "", "gateway timeout"), turn(2, "", "pool timer"))
	f.votedDaily(1, "timeout timer", 1, 2)
	for day := 1; day < 12; day++ {
		got := len(f.search(hippo.Query{Text: "gateway", NoTouch: true}).Hits) == 2
		if want := f.learned(1, 2) > .3; got != want {
			t.Errorf("day %d, weight %v: pulled %v", day, f.learned(1, 2), got)
		}
		f.votedDaily(1, "timeout timer", 1, 2)
	}
	if f.learned(1, 2) <= .3 {
		t.Errorf("the weight is %v: the test tests little", f.learned(1, 2))
	}
}

// What was used with something that was used with a hit comes before an equally relevant one.
func TestCoRecall_TwoHops(t *testing.T) {
	t.Parallel()
	f := openAssociating(t, nil)
	f.put(turn(1, "", "gateway timeout alpha"), turn(2, "", "pool timer"), turn(3, "", "gateway beta one"), turn(4, "", "gateway gamma two"))
	q := hippo.Query{Text: "gateway timeout", NoTouch: true}
	f.wantOrder(q, "gateway timeout alpha", "gateway gamma two", "gateway beta one")
	f.votedDaily(6, "alpha timer", 1, 2)
	f.votedDaily(6, "pool beta", 2, 3)
	if f.learned(1, 3) != 0 {
		t.Fatal("they are related directly")
	}
	f.wantOrder(q, "gateway timeout alpha", "gateway beta one", "gateway gamma two")
}

// What was used with everything says less than what was used with a hit alone.
func TestCoRecall_CountsByDegree(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		f := openAssociating(t, func(w *rank.Weights) { w.Relations.ByDegree = on })
		f.put(turn(1, "", "gateway timeout alpha"), turn(2, "", "gateway beta one"), turn(3, "", "gateway gamma two"))
		for n := range 4 {
			f.put(turn(4+n, "", fmt.Sprintf("pool number%d", n)))
		}
		for range 8 { // one is the newer one: first if both are related as much
			f.votedDaily(1, "alpha beta", 1, 2)
			f.voted("alpha gamma", 1, 3)
			f.voted("pool gamma", 3, 4, 5, 6, 7)
			f.flush()
		}
		want := []string{"gateway timeout alpha", "gateway gamma two", "gateway beta one"}
		if on {
			want[1], want[2] = want[2], want[1]
		}
		f.wantOrder(hippo.Query{Text: "gateway timeout", NoTouch: true}, want...)
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

// What the first use of a day drops is an operation like that of a consolidation, in each namespace: it can be undone.
func TestCoRecall_PruningIsUndone(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	elsewhere := hippo.LocalScope("")
	elsewhere.Namespace = "team"
	for i, scope := range []hippo.Scope{hippo.LocalScope(""), elsewhere} {
		a, b := turn(10*i+1, "", "gateway alpha"), turn(10*i+2, "", "gateway beta")
		a.Namespace, b.Namespace = scope.Namespace, scope.Namespace
		both := func(yield func(*hippo.Memory, error) bool) { _ = yield(a, nil) && yield(b, nil) }
		if _, err := transfer.New(f.In(scope)).Import(t.Context(), hippo.Calendar{}, both, nil); err != nil {
			t.Fatal(err)
		}
		r := hippo.CoRecall(a.ID, b.ID)
		r.Weight, r.LastReinforced = .3, f.now().AddDate(-5, 0, 0)
		if _, err := f.store.In(scope).ImportRelations(t.Context(), []hippo.Relation{r}); err != nil {
			t.Fatal(err)
		}
	}
	f.advance(1, 0)
	f.search(hippo.Query{Text: "gateway"})
	f.flush()
	for _, scope := range []hippo.Scope{hippo.LocalScope(""), elsewhere} {
		m := f.In(scope)
		ops, err := memory.Operations(t.Context(), m, api.Operations{})
		if err != nil || len(ops.Operations) != 1 || ops.Operations[0].Verb != hippo.VerbConsolidate || ops.Operations[0].Reason == "" {
			t.Fatalf("namespace %q has the operations %+v (%v)", scope.Namespace, ops, err)
		}
		count := func() (n int) {
			for _, err := range f.store.In(scope).AllRelations(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			return n
		}
		if n := count(); n != 0 {
			t.Errorf("namespace %q has %d relations that have faded", scope.Namespace, n)
		}
		if _, err := memory.Undo(t.Context(), m, ops.Operations[0].ID); err != nil || count() != 1 {
			t.Errorf("namespace %q after the undo: %d relations (%v)", scope.Namespace, count(), err)
		}
	}
}

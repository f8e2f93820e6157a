package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// life is an engine in RAM whose days pass when the test says so.
type life struct {
	*engine.Engine
	t   *testing.T
	now time.Time
}

func newLife(t *testing.T) *life {
	t.Helper()
	l := &life{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return l.now }
	s := store.New(memstore.New(nil), &store.Options{Now: clock, Zone: time.UTC})
	x, err := index.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Engine = engine.New(engine.Config{Store: s, Index: x, Now: clock})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func (l *life) record(content string, importance float64, situation ...string) hippo.ID {
	l.t.Helper()
	l.now = l.now.Add(time.Second)
	m, err := l.Record(l.t.Context(), &hippo.Memory{
		Content: content, Situation: situation, Importance: hippo.Importance{Base: importance},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return m.ID
}

// live lets n active days pass: days on which something else is looked up.
func (l *life) live(n int) {
	l.t.Helper()
	for range n {
		l.now = l.now.AddDate(0, 0, 1)
		l.search(hippo.Query{Text: "zzzzunheardof"})
	}
}

func (l *life) search(q hippo.Query) *hippo.Answer {
	l.t.Helper()
	a, err := l.Search(l.t.Context(), q)
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

func contents(a *hippo.Answer) []string {
	var out []string
	for _, h := range a.Hits {
		out = append(out, h.Memory.Content)
	}
	return out
}

func (l *life) wantOrder(q hippo.Query, want ...string) {
	l.t.Helper()
	if diff := cmp.Diff(want, contents(l.search(q))); diff != "" {
		l.t.Errorf("%+v (-want +got):\n%s", q, diff)
	}
}

func TestSearch_FindsByWords(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	l.record("SQLite needs one writer connection", .5, "database tuning")
	l.record("The lunch place closes at three", .9, "food")
	l.wantOrder(hippo.Query{Text: "sqlite writers"}, "SQLite needs one writer connection")
	l.wantOrder(hippo.Query{Text: "tuning a database"}, "SQLite needs one writer connection")
	l.wantOrder(hippo.Query{Text: "unrelated"})
	if got := l.search(hippo.Query{}).Total; got != 2 {
		t.Errorf("an empty query matches %d memories, want 2", got)
	}
}

func TestSearch_VotesOrderEqualTexts(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	a := l.record("retry with backoff, says A", .5)
	b := l.record("retry with backoff, says B", .5)
	q := hippo.Query{Text: "retry with backoff", NoTouch: true}
	l.wantOrder(q, "retry with backoff, says B", "retry with backoff, says A")
	if _, err := l.Reinforce(t.Context(), []hippo.ID{a}, []hippo.ID{b}); err != nil {
		t.Fatal(err)
	}
	l.wantOrder(q, "retry with backoff, says A", "retry with backoff, says B")
}

// A memory that is opened and voted up daily for months does not displace the
// one that answers the question.
func TestSearch_UseNeverBuriesRelevance(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	l.record("The staging database password rotates every Monday", .2)
	loved := l.record("Every team member likes the staging dashboard", 1)
	for range 60 {
		l.live(1)
		l.search(hippo.Query{Text: "dashboard"})
		if _, err := l.Reinforce(t.Context(), []hippo.ID{loved}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := contents(l.search(hippo.Query{Text: "when does the staging database password rotate"})); got[0] != "The staging database password rotates every Monday" {
		t.Errorf("got %q first", got[0])
	}
}

func TestSearch_InsightRankerFollowsTheFormula(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	l.record("Prefer table tests", .8)
	q := hippo.Query{Text: "table tests", Ranker: hippo.RankerInsight}
	want := func(what string, want float64) {
		t.Helper()
		if got := l.search(q).Hits[0].Relevance; fmt.Sprintf("%.6f", got) != fmt.Sprintf("%.6f", want) {
			t.Errorf("%s: got %.6f, want %.6f", what, got, want)
		}
	}
	want("fresh", .3+.2/300+.35*.8+.15)
	l.live(10)
	want("ten days later, two accesses", .3*.60653066+.2*2/300+.35*.8*.34867844+.15)
	want("searched again today", .3+.2*3/300+.35*.8*.34867844+.15)
}

func TestSearch_RelevanceRangeAndDistribution(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	for i := range 10 {
		l.record(fmt.Sprintf("note %d about authentication", i), float64(i)/10)
	}
	all := l.search(hippo.Query{Text: "authentication", Ranker: hippo.RankerInsight, NoTouch: true})
	some := l.search(hippo.Query{
		Text: "authentication", Ranker: hippo.RankerInsight, NoTouch: true, Count: 2,
		Relevance: &hippo.Range{Min: .6, Max: 1},
	})
	if all.Total != 10 || some.Total != 5 || len(some.Hits) != 2 {
		t.Errorf("got totals %d and %d with %d hits, want 10, 5 and 2", all.Total, some.Total, len(some.Hits))
	}
	if diff := cmp.Diff(all.Distribution, some.Distribution); diff != "" || all.Distribution.Sum() != 10 {
		t.Errorf("the distribution depends on the range: %s", diff)
	}
}

func TestSearch_PagesAreStable(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	var want []string
	for i := range 25 {
		want = append(want, fmt.Sprintf("page note %02d", i))
		l.record(want[i], .5)
	}
	slices.Reverse(want)
	var got []string
	for offset := 0; offset < 30; offset += 10 {
		a := l.search(hippo.Query{Text: "page note", Offset: offset})
		if a.Total != 25 {
			t.Errorf("got total %d, want 25", a.Total)
		}
		got = append(got, contents(a)...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSearch_AccessesAreCountedOnce(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	id := l.record("counted", .5)
	for range 3 {
		l.search(hippo.Query{Text: "counted"})
	}
	l.search(hippo.Query{Text: "counted", NoTouch: true})
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	ms, err := l.Get(t.Context(), []hippo.ID{id})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]hippo.Access{{Day: 1, Count: 4}}, ms[0].Accesses); diff != "" {
		t.Error(diff)
	}
	signals := l.search(hippo.Query{Text: "counted", NoTouch: true}).Hits[0].Signals
	if want := 4. / 300; math.Abs(signals.Frequency-want) > 1e-12 {
		t.Errorf("got frequency %v, want %v", signals.Frequency, want)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	id := l.record("a wrong idea", .5)
	ids := []hippo.ID{id, id}
	if _, err := l.Forget(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	l.wantOrder(hippo.Query{Text: "idea"})
	if list, err := l.List(t.Context(), engine.ListQuery{Forgotten: true}); err != nil || list.Total != 1 {
		t.Errorf("got %+v (%v), want one forgotten memory", list, err)
	}
	if _, err := l.Restore(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	l.wantOrder(hippo.Query{Text: "idea"}, "a wrong idea")
	if err := l.Purge(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	l.wantOrder(hippo.Query{Text: "idea"})
	if _, err := l.Get(t.Context(), ids); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

func TestModify(t *testing.T) {
	t.Parallel()
	str := func(s string) *string { return &s }
	num := func(f float64) *float64 { return &f }
	for _, tc := range []struct {
		name string
		c    engine.Modification
		want float64
	}{
		{"reworked_text_is_an_upvote", engine.Modification{Content: str("new")}, .75},
		{"reworked_situation_is_an_upvote", engine.Modification{Situation: &[]string{"b"}}, .75},
		{"same_text_is_none", engine.Modification{Content: str("old")}, .5},
		{"tags_are_none", engine.Modification{Tags: &[]string{"x"}}, .5},
		{"none_is_none", engine.Modification{Content: str("new"), Vote: engine.VoteNone}, .5},
		{"downvote", engine.Modification{Content: str("new"), Vote: engine.VoteDown}, .25},
		{"importance_is_set", engine.Modification{Importance: num(.4)}, .4},
		{"importance_with_text_is_set", engine.Modification{Content: str("new"), Importance: num(.4)}, .4},
		{"importance_then_vote", engine.Modification{Importance: num(.4), Vote: engine.VoteUp}, .6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLife(t)
			m, err := l.Modify(t.Context(), l.record("old", .5, "a"), tc.c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fmt.Sprintf("%.6f", tc.want), fmt.Sprintf("%.6f", m.Importance.Value)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestModify_Refuses(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	id := l.record("kept", .5)
	bad := 1.5
	for name, c := range map[string]engine.Modification{
		"nothing":    {},
		"importance": {Importance: &bad},
		"vote":       {Vote: "sideways"},
	} {
		if _, err := l.Modify(t.Context(), id, c); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
}

func TestReinforce(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	up, down := l.record("up", .8), l.record("down", .7)
	got, err := l.Reinforce(t.Context(), []hippo.ID{up, up}, []hippo.ID{down})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Reinforcement{{ID: up, Before: .8, After: 1}, {ID: down, Before: .7, After: .35}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	l.live(10)
	if got, err = l.Reinforce(t.Context(), nil, []hippo.ID{up}); err != nil || got[0].After >= got[0].Before {
		t.Errorf("a downvote raised an old memory: %+v (%v)", got, err)
	}
	if _, err := l.Reinforce(t.Context(), []hippo.ID{up, {15: 9}}, nil); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
	if _, err := l.Reinforce(t.Context(), []hippo.ID{up}, []hippo.ID{up}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v, want invalid", err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	id := l.record("resolvable", .5)
	hash := fmt.Sprintf("%x", hippo.HashContent("resolvable"))
	for _, ref := range []string{id.String(), id.String()[:13], hash[:8]} {
		if got, err := l.Resolve(t.Context(), ref); err != nil || got != id {
			t.Errorf("%s: got %v (%v)", ref, got, err)
		}
	}
	for ref, want := range map[string]error{"abc": hippo.ErrInvalid, "ffffffff": hippo.ErrNotFound} {
		if _, err := l.Resolve(t.Context(), ref); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", ref, err, want)
		}
	}
}

func TestImport_RejectsAndGoesOn(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	broken := errors.New("line 2: broken")
	entries := func(yield func(*hippo.Memory, error) bool) {
		_ = yield(&hippo.Memory{Content: "one"}, nil) &&
			yield(nil, broken) &&
			yield(&hippo.Memory{Content: ""}, nil) &&
			yield(&hippo.Memory{Content: "two"}, nil)
	}
	r, err := l.Import(t.Context(), hippo.Calendar{}, entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Added != 2 || len(r.Rejected) != 2 || r.Rejected[0].Entry != 2 || !errors.Is(r.Rejected[0].Err, broken) || !errors.Is(r.Rejected[1].Err, hippo.ErrInvalid) {
		t.Errorf("got %+v", r)
	}
}

func TestClose_StoresPendingAccesses(t *testing.T) {
	t.Parallel()
	s := store.New(memstore.New(nil), nil)
	x, err := index.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Config{Store: s, Index: x})
	m, err := e.Record(t.Context(), &hippo.Memory{Content: "pending"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Search(t.Context(), hippo.Query{Text: "pending"}); err != nil {
		t.Fatal(err)
	}
	if err := e.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	ms, err := s.Get(t.Context(), []hippo.ID{m.ID})
	if err != nil || ms[0].Accesses[0].Count != 2 {
		t.Errorf("got %+v (%v), want two accesses", ms, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

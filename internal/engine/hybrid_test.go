package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rank"
)

const (
	bridge = "the zebra rollout was led by Ingrid Solberg"
	beyond = "keys lie in drawer seven, says Ingrid Solberg"
)

// about asks ranker hybrid for the zebra rollout.
func about(change func(*hippo.Query)) hippo.Query {
	q := hippo.Query{Text: "zebra rollout", Ranker: hippo.RankerHybrid, NoTouch: true, Count: hippo.MaxCount}
	if change != nil {
		change(&q)
	}
	return q
}

// memory is one that is put: its ID and time follow from n.
func memory(n int, content string) *hippo.Memory {
	m := &hippo.Memory{Content: content, CreatedAt: time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC)}
	m.ID[0], m.ID[15] = byte(n*37), byte(n)
	return m
}

// fillers share words with each other, and nothing with anything else.
func fillers(n int) []*hippo.Memory {
	var out []*hippo.Memory
	for i := range n {
		out = append(out, memory(100+i, fmt.Sprintf("filler text number%d", i)))
	}
	return out
}

// hitOf returns the hit of a content.
func hitOf(a *hippo.Answer, content string) (hippo.Hit, bool) {
	i := slices.IndexFunc(a.Hits, func(h hippo.Hit) bool { return h.Memory.Content == content })
	if i < 0 {
		return hippo.Hit{}, false
	}
	return a.Hits[i], true
}

func (m *mind) wantHit(q hippo.Query, content string, want bool) {
	m.t.Helper()
	a := m.search(q)
	if _, got := hitOf(a, content); got != want {
		m.t.Errorf("%q found: %v, want %v, among %v", content, got, want, contents(a))
	}
}

// A memory that shares no word and no meaning with the query is found over what it
// mentions together with one that does: by this ranker only.
func TestHybrid_finds_over_what_two_memories_mention(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("f")))
	m.put(append(fillers(20), memory(1, bridge), memory(2, beyond))...)
	a := m.search(about(nil))
	if d := cmp.Diff([]string{bridge, beyond}, contents(a)); d != "" {
		t.Fatalf("found (-want +got):\n%s", d)
	}
	first, second := a.Hits[0].Signals, a.Hits[1].Signals
	if first.Graph != 1 || first.Cosine <= 0 || first.BM25 <= 0 {
		t.Errorf("the bridge has signals %+v", first)
	}
	if second.Graph <= 0 || second.Cosine != 0 || second.BM25 != 0 || second.Coverage != 0 {
		t.Errorf("what lies beyond has signals %+v", second)
	}
	if a.Total != 2 || a.Distribution.Sum() != 2 {
		t.Errorf("total %d, distribution %v, want 2 of each", a.Total, a.Distribution)
	}
	for _, r := range hippo.Rankers() {
		m.wantHit(about(func(q *hippo.Query) { q.Ranker = r }), beyond, r == hippo.RankerHybrid)
	}
}

func TestHybrid_finds_beside_and_in_the_same_situation(t *testing.T) {
	t.Parallel()
	const lone = "drawer seven has them"
	for name, change := range map[string]func(a, b *hippo.Memory){
		"session": func(a, b *hippo.Memory) {
			a.Source, b.Source = hippo.Source{Session: "s", Seq: 1}, hippo.Source{Session: "s", Seq: 2}
		},
		"situation": func(a, b *hippo.Memory) {
			a.Situation, b.Situation = []string{"at the depot"}, []string{"else", "At the depot"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, instant(newFake("f")))
			a, b := memory(1, "the zebra rollout went well"), memory(2, lone)
			m.put(append(fillers(20), a, b)...)
			m.wantHit(about(nil), lone, false)
			a, b = memory(3, "another zebra rollout went well"), memory(4, lone+" all")
			change(a, b)
			m.put(a, b)
			m.wantHit(about(nil), lone+" all", true)
			m.wantHit(about(nil), lone, false)
		})
	}
}

func TestHybrid_keeps_to_filters(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("f")))
	a, b := memory(1, bridge), memory(2, beyond)
	a.Type, a.Tags, b.Type = "fact", []string{"x"}, "note"
	m.put(append(fillers(20), a, b)...)
	m.wantHit(about(nil), beyond, true)
	for name, f := range map[string]hippo.Filter{
		"type":      {Types: []string{"fact"}},
		"tag":       {Tags: []string{"x"}},
		"time":      {CreatedBefore: b.CreatedAt},
		"namespace": {Namespace: "other"},
	} {
		q := about(func(q *hippo.Query) { q.Filter = f })
		m.wantHit(q, beyond, false)
		m.wantHit(q, bridge, name != "namespace")
	}
	q := about(func(q *hippo.Query) { q.Filter.Types = []string{"fact", "note"} })
	m.wantHit(q, beyond, true)
	q = about(func(q *hippo.Query) { q.Situation = []string{"nowhere"} })
	m.wantHit(q, beyond, false)
}

func TestHybrid_of_what_is_gone(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("f")))
	a, b := memory(1, bridge), memory(2, beyond)
	m.put(append(fillers(20), a, b)...)
	m.wantHit(about(nil), beyond, true)
	if _, err := m.Forget(t.Context(), []hippo.ID{b.ID}); err != nil {
		t.Fatal(err)
	}
	m.wantHit(about(nil), beyond, false)
	if _, err := m.Restore(t.Context(), []hippo.ID{b.ID}); err != nil {
		t.Fatal(err)
	}
	m.wantHit(about(nil), beyond, true)
	other := "the zebra rollout was led by Bob Dahl"
	if _, err := m.Modify(t.Context(), a.ID, engine.Modification{Content: &other}); err != nil {
		t.Fatal(err)
	}
	m.wantHit(about(nil), beyond, false)
	if err := m.Purge(t.Context(), []hippo.ID{a.ID}); err != nil {
		t.Fatal(err)
	}
	m.wantOrder(about(nil))
}

// What does not hold leads nowhere, and is led to by nothing.
func TestHybrid_at_a_time(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("f")))
	b := memory(2, beyond)
	b.ValidUntil = m.now.Add(-time.Hour)
	m.put(append(fillers(20), memory(1, bridge), b)...)
	m.wantHit(about(nil), beyond, false)
	m.wantHit(about(func(q *hippo.Query) { q.Filter.ValidAt = m.now.Add(-2 * time.Hour) }), beyond, true)
}

func TestHybrid_what_everyone_mentions_leads_nowhere(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("f")))
	m.put(memory(1, bridge), memory(2, beyond))
	for i := range rank.DefaultMix().Common - 1 {
		m.put(memory(3+i, fmt.Sprintf("subject%d, by Ingrid Solberg", i)))
	}
	m.wantHit(about(nil), beyond, false)
}

func TestHybrid_of_nothing(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("f")))
	m.wantOrder(about(nil))
	m.wantOrder(about(func(q *hippo.Query) { q.Text = " " }))
	m.put(fillers(3)...)
	m.wantOrder(about(nil))
	if got := m.search(about(func(q *hippo.Query) { q.Text = "" })).Total; got != 3 {
		t.Errorf("an empty query matches %d memories, want 3", got)
	}
}

func TestHybrid_without_a_model(t *testing.T) {
	t.Parallel()
	m := newMind(t)
	m.put(append(fillers(20), memory(1, bridge), memory(2, beyond))...)
	m.wantOrder(about(nil), bridge, beyond)
}

// The same memories give the same answer, whatever happened before, and whether or
// not the engine remembers what they mention.
func TestHybrid_is_the_same_every_time(t *testing.T) {
	t.Parallel()
	var ms []*hippo.Memory
	for i := range 60 {
		m := memory(i+1, fmt.Sprintf("zebra herd%d with Ingrid Solberg%s and Bob Dahl%s at `gate %d`", i%7, string(rune('A'+i%5)), string(rune('A'+i%3)), i%11))
		m.Source = hippo.Source{Session: fmt.Sprint("s", i%4), Seq: i}
		ms = append(ms, m)
	}
	type hit struct {
		ID        hippo.ID
		Relevance float64
		Graph     float64
	}
	ask := func(m *mind) (out []hit) {
		for _, h := range m.search(about(func(q *hippo.Query) { q.Text = "zebra herd3 gate" })).Hits {
			out = append(out, hit{h.Memory.ID, h.Relevance, h.Signals.Graph})
		}
		return out
	}
	one := newMind(t, instant(newFake("f")))
	one.put(ms...)
	want := ask(one)
	if len(want) != len(ms) {
		t.Fatalf("found %d, want %d", len(want), len(ms))
	}
	if d := cmp.Diff(want, ask(one)); d != "" {
		t.Errorf("again (-first +second):\n%s", d)
	}
	two := newMind(t, instant(newFake("f")))
	slices.Reverse(ms)
	gone := fillers(30)
	for i, m := range ms {
		two.put(gone[i/2 : i/2+1-i%2]...)
		two.put(m)
		ask(two)
	}
	for _, m := range gone {
		if err := two.Purge(t.Context(), []hippo.ID{m.ID}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(want, ask(two)); d != "" {
		t.Errorf("with another history (-want +got):\n%s", d)
	}
}

// Pages go on beyond what the graph looks at, totals count everything.
func TestHybrid_pages(t *testing.T) {
	t.Parallel()
	const n = 150
	m := newMind(t, instant(newFake("f")))
	for i := range n {
		m.put(memory(i+1, fmt.Sprintf("zebra rollout number%d", i)))
	}
	seen := make(map[hippo.ID]bool)
	last := math.Inf(1)
	for offset := 0; offset < n; offset += 40 {
		a := m.search(about(func(q *hippo.Query) { q.Offset, q.Count = offset, 40 }))
		if a.Total != n || a.Distribution.Sum() != n {
			t.Fatalf("total %d, distribution %v, want %d", a.Total, a.Distribution, n)
		}
		for _, h := range a.Hits {
			if seen[h.Memory.ID] || h.Relevance > last {
				t.Fatalf("%v again (%v), or out of order: %v after %v", h.Memory.ID, seen[h.Memory.ID], h.Relevance, last)
			}
			seen[h.Memory.ID], last = true, h.Relevance
		}
	}
	if len(seen) != n {
		t.Errorf("the pages hold %d memories, want %d", len(seen), n)
	}
}

func TestHybrid_within_a_range(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("f")))
	m.put(append(fillers(20), memory(1, bridge), memory(2, beyond))...)
	all := m.search(about(nil))
	edge := all.Hits[1].Relevance
	high := m.search(about(func(q *hippo.Query) { q.Relevance = &hippo.Range{Min: edge + 1e-9, Max: math.Inf(1)} }))
	if d := cmp.Diff([]string{bridge}, contents(high)); d != "" || high.Total != 1 || high.Distribution.Sum() != 2 {
		t.Errorf("total %d, distribution %v (-want +got):\n%s", high.Total, high.Distribution, d)
	}
}

// Relevance is the weighted mean that the weights say.
func TestHybrid_adds_up(t *testing.T) {
	t.Parallel()
	w := rank.DefaultMix()
	m := newMind(t, instant(newFake("f")))
	m.put(append(fillers(20), memory(1, bridge), memory(2, beyond), memory(3, "zebra"), memory(4, "rollout of something"))...)
	a := m.search(about(nil))
	if len(a.Hits) != 4 {
		t.Fatalf("found %v", contents(a))
	}
	bm25, cosine := 0.0, 0.0
	for _, h := range a.Hits {
		bm25, cosine = max(bm25, h.Signals.BM25), max(cosine, h.Signals.Cosine)
	}
	for _, h := range a.Hits { // the least of each is 0: what lies beyond
		s := h.Signals
		want := w.Cosine*s.Cosine/cosine + w.Words*s.BM25/bm25 + w.Graph*s.Graph
		if math.Abs(h.Relevance-want) > 1e-9 || s.Text != h.Relevance && math.Abs(s.Text-want) > 1e-9 {
			t.Errorf("%q: relevance %v, text %v, want %v", h.Memory.Content, h.Relevance, s.Text, want)
		}
	}
}

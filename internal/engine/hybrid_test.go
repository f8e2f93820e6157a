package engine_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/recall/hybrid"
)

const (
	bridge = "the zebra rollout was led by Ingrid Solberg"
	beyond = "keys lie in drawer seven, says Ingrid Solberg"
)

// graphOf is what the graph says of an explained hit, in [0, 1].
func graphOf(h hippo.Hit) float64 {
	for _, c := range h.Explanation.Text {
		if c.Feature == "graph" {
			return c.Value
		}
	}
	return 0
}

// about asks ranker hybrid for the zebra rollout.
func about(change func(*hippo.Query)) hippo.Query {
	q := hippo.Query{Text: "zebra rollout", Ranker: hippo.RankerHybrid, NoTouch: true, Detail: hippo.Detail{Explain: true}, Count: hippo.MaxCount}
	if change != nil {
		change(&q)
	}
	return q
}

// fillers share words with each other, and nothing with anything else.
func fillers(n int) []*hippo.Memory {
	var out []*hippo.Memory
	for i := range n {
		out = append(out, turn(100+i, "", fmt.Sprintf("filler text number%d", i)))
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

func (f *fixture) wantHit(q hippo.Query, content string, want bool) {
	f.t.Helper()
	a := f.search(q)
	if _, got := hitOf(a, content); got != want {
		f.t.Errorf("%q found: %v, want %v, among %v", content, got, want, contents(a))
	}
}

// A memory that is similar to the query neither lexically nor semantically is found over what
// it mentions together with one that is: by this ranker only.
func TestHybrid_FindsOverWhatTwoMemoriesMention(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	f.put(append(fillers(20), turn(1, "", bridge), turn(2, "", beyond))...)
	a := f.search(about(nil))
	if d := cmp.Diff([]string{bridge, beyond}, contents(a)); d != "" {
		t.Fatalf("found (-want +got):\n%s", d)
	}
	first, second := a.Hits[0].Signals, a.Hits[1].Signals
	if graphOf(a.Hits[0]) != 1 || first.Cosine <= 0 || first.BM25 <= 0 {
		t.Errorf("the bridge has signals %+v, explained by %+v", first, a.Hits[0].Explanation)
	}
	if graphOf(a.Hits[1]) <= 0 || second.Cosine != 0 || second.BM25 != 0 || second.Coverage != 0 {
		t.Errorf("what lies beyond has signals %+v, explained by %+v", second, a.Hits[1].Explanation)
	}
	if a.Total != 2 || a.Distribution.Sum() != 2 {
		t.Errorf("total %d, distribution %v, want 2 of each", a.Total, a.Distribution)
	}
	for _, r := range hippo.Rankers() {
		f.wantHit(about(func(q *hippo.Query) { q.Ranker = r }), beyond, r == hippo.RankerHybrid)
	}
}

func TestHybrid_FindsNeighboursAndTheSameSituation(t *testing.T) {
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
			f := openWithModels(t, instant(embedtest.NewWords("f")))
			a, b := turn(1, "", "the zebra rollout went well"), turn(2, "", lone)
			f.put(append(fillers(20), a, b)...)
			f.wantHit(about(nil), lone, false)
			a, b = turn(3, "", "another zebra rollout went well"), turn(4, "", lone+" all")
			change(a, b)
			f.put(a, b)
			f.wantHit(about(nil), lone+" all", true)
			f.wantHit(about(nil), lone, false)
		})
	}
}

func TestHybrid_Filters(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	a, b := turn(1, "", bridge), turn(2, "", beyond)
	a.Type, a.Tags, b.Type = "fact", []string{"x"}, "note"
	f.put(append(fillers(20), a, b)...)
	f.wantHit(about(nil), beyond, true)
	for _, filter := range []hippo.Filter{
		{Types: []string{"fact"}}, {Tags: []string{"x"}}, {CreatedBefore: b.CreatedAt},
	} {
		q := about(func(q *hippo.Query) { q.Filter = filter })
		f.wantHit(q, beyond, false)
		f.wantHit(q, bridge, true)
	}
	other, err := query.Search(t.Context(), f.In(hippo.Scope{Namespace: "other", Rights: hippo.AllRights}), about(nil))
	if err != nil || other.Total != 0 {
		t.Errorf("another namespace: got %+v (%v), want nothing", other, err)
	}
	q := about(func(q *hippo.Query) { q.Filter.Types = []string{"fact", "note"} })
	f.wantHit(q, beyond, true)
	q = about(func(q *hippo.Query) { q.Situation = []string{"nowhere"} })
	f.wantHit(q, beyond, false)
}

func TestHybrid_FollowsChanges(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	a, b := turn(1, "", bridge), turn(2, "", beyond)
	f.put(append(fillers(20), a, b)...)
	f.wantHit(about(nil), beyond, true)
	f.forget(b.ID)
	f.wantHit(about(nil), beyond, false)
	f.restore(b.ID)
	f.wantHit(about(nil), beyond, true)
	other := "the zebra rollout was led by Bob Dahl"
	f.modify(a.ID, api.Change{Content: &other})
	f.wantHit(about(nil), beyond, false)
	f.purge(a.ID)
	f.wantOrder(about(nil))
}

// The walk passes no memory that does not hold at the time.
func TestHybrid_AtATime(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	b := turn(2, "", beyond)
	b.ValidUntil = f.now().Add(-time.Hour)
	f.put(append(fillers(20), turn(1, "", bridge), b)...)
	f.wantHit(about(nil), beyond, false)
	f.wantHit(about(func(q *hippo.Query) { q.Filter.ValidAt = f.now().Add(-2 * time.Hour) }), beyond, true)
}

func TestHybrid_IgnoresWhatManyMention(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	f.put(turn(1, "", bridge), turn(2, "", beyond))
	for i := range hybrid.DefaultWeights().Edges.MaxMentions - 1 {
		f.put(turn(3+i, "", fmt.Sprintf("subject%d, by Ingrid Solberg", i)))
	}
	f.wantHit(about(nil), beyond, false)
}

func TestHybrid_WithoutMatches(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	f.wantOrder(about(nil))
	f.wantOrder(about(func(q *hippo.Query) { q.Text = " " }))
	f.put(fillers(3)...)
	f.wantOrder(about(nil))
	if got := f.search(about(func(q *hippo.Query) { q.Text = "" })).Total; got != 3 {
		t.Errorf("an empty query matches %d memories, want 3", got)
	}
}

func TestHybrid_WithoutAModel(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.put(append(fillers(20), turn(1, "", bridge), turn(2, "", beyond))...)
	f.wantOrder(about(nil), bridge, beyond)
}

// The same memories give the same answer, whatever happened before, and whether or not what
// they mention is cached.
func TestHybrid_HistoryDoesNotMatter(t *testing.T) {
	t.Parallel()
	var ms []*hippo.Memory
	for i := range 60 {
		x := turn(i+1, "", fmt.Sprintf("zebra herd%d with Ingrid Solberg%s and Bob Dahl%s at `gate %d`", i%7, string(rune('A'+i%5)), string(rune('A'+i%3)), i%11))
		x.Source = hippo.Source{Session: fmt.Sprint("s", i%4), Seq: i}
		ms = append(ms, x)
	}
	type hit struct {
		ID        hippo.ID
		Relevance float64
		Graph     float64
	}
	ask := func(f *fixture) (out []hit) {
		for _, h := range f.search(about(func(q *hippo.Query) { q.Text = "zebra herd3 gate" })).Hits {
			out = append(out, hit{h.Memory.ID, h.Relevance, graphOf(h)})
		}
		return out
	}
	one := openWithModels(t, instant(embedtest.NewWords("f")))
	one.put(ms...)
	want := ask(one)
	if len(want) != len(ms) {
		t.Fatalf("found %d, want %d", len(want), len(ms))
	}
	if d := cmp.Diff(want, ask(one)); d != "" {
		t.Errorf("again (-first +second):\n%s", d)
	}
	two := openWithModels(t, instant(embedtest.NewWords("f")))
	slices.Reverse(ms)
	gone := fillers(30)
	for i, m := range ms {
		two.put(gone[i/2 : i/2+1-i%2]...)
		two.put(m)
		ask(two)
	}
	for _, m := range gone {
		two.purge(m.ID)
	}
	if d := cmp.Diff(want, ask(two)); d != "" {
		t.Errorf("with another history (-want +got):\n%s", d)
	}
}

// Pages go on beyond the lists of candidates, and totals count everything.
func TestHybrid_Pages(t *testing.T) {
	t.Parallel()
	const n = 150
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	for i := range n {
		f.put(turn(i+1, "", fmt.Sprintf("zebra rollout number%d", i)))
	}
	seen := make(map[hippo.ID]bool)
	last := math.Inf(1)
	for offset := 0; offset < n; offset += 40 {
		a := f.search(about(func(q *hippo.Query) { q.Offset, q.Count = offset, 40 }))
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

func TestHybrid_RelevanceRange(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	f.put(append(fillers(20), turn(1, "", bridge), turn(2, "", beyond))...)
	all := f.search(about(nil))
	edge := all.Hits[1].Relevance
	high := f.search(about(func(q *hippo.Query) { q.Relevance = &hippo.Range{Min: edge + 1e-9, Max: math.Inf(1)} }))
	if d := cmp.Diff([]string{bridge}, contents(high)); d != "" || high.Total != 1 || high.Distribution.Sum() != 2 {
		t.Errorf("total %d, distribution %v (-want +got):\n%s", high.Total, high.Distribution, d)
	}
}

// Relevance is the weighted mean that the weights say.
func TestHybrid_AddsUp(t *testing.T) {
	t.Parallel()
	w := hybrid.DefaultWeights()
	f := openWithModels(t, instant(embedtest.NewWords("f")))
	f.put(append(fillers(20), turn(1, "", bridge), turn(2, "", beyond), turn(3, "", "zebra"), turn(4, "", "rollout of something"))...)
	a := f.search(about(nil))
	if len(a.Hits) != 4 {
		t.Fatalf("found %v", contents(a))
	}
	bm25, cosine := 0.0, 0.0
	for _, h := range a.Hits {
		bm25, cosine = max(bm25, h.Signals.BM25), max(cosine, h.Signals.Cosine)
	}
	for _, h := range a.Hits { // the least of each is 0: what lies beyond
		s := h.Signals
		want := w.Cosine*s.Cosine/cosine + w.BM25*s.BM25/bm25 + w.Graph*graphOf(h)
		if math.Abs(h.Relevance-want) > 1e-9 || s.Text != h.Relevance && math.Abs(s.Text-want) > 1e-9 {
			t.Errorf("%q: relevance %v, text %v, want %v", h.Memory.Content, h.Relevance, s.Text, want)
		}
	}
}

func TestHybrid_ExplainsRanksInTheGraph(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(
		turn(1, "", "a Northwind Traders moved to Lisbon"),
		turn(2, "", "b the invoice of Northwind Traders is late"),
		turn(3, "s", "c where is the invoice"),
		turn(4, "s", "d nobody knows"),
		turn(5, "", "e something else"),
	)
	hits := f.search(hippo.Query{Text: "late invoice", Ranker: hippo.RankerHybrid, Detail: hippo.Detail{Explain: true}, NoTouch: true}).Hits
	by := map[float64]int{}
	for _, h := range hits {
		by[graphOf(h)] = h.Explanation.GraphRank
	}
	graph := slices.Sorted(maps.Keys(by))
	if len(graph) < 3 || graph[len(graph)-1] != 1 {
		t.Fatalf("the graph says %v of %v", graph, hits)
	}
	last := 0
	for _, g := range slices.Backward(graph) {
		if n := by[g]; n <= last && g > 0 || g == 0 && n != 0 {
			t.Errorf("graph %v has rank %d after %d", g, n, last)
		}
		last = by[g]
	}
	if first := by[1]; first != 1 {
		t.Errorf("the best of the graph has rank %d", first)
	}
}

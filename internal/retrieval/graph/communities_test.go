package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/graph"
)

// planted returns edges of which most lead within groups of nodes.
func planted(r *rand.Rand, nodes, edges, groups int, inside float64) []graph.Edge {
	out := make([]graph.Edge, 0, edges)
	for range edges {
		a, b := r.IntN(nodes), r.IntN(nodes)
		if r.Float64() < inside {
			b = (b/groups)*groups + a%groups
			b = min(b, nodes-1)
		}
		out = append(out, graph.Edge{A: a, B: b, Weight: 1 + float64(r.IntN(3))})
	}
	return out
}

func built(nodes int, edges []graph.Edge) *graph.Graph {
	b := graph.NewBuilder(nodes, 0)
	for _, e := range edges {
		b.Add(e)
	}
	return b.Graph()
}

// Of any graph: communities are connected, the same whatever the order of the edges, and not worse than Louvain's.
func TestCommunities_Properties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		nodes := 1 + r.IntN(80)
		edges := planted(r, nodes, r.IntN(4*nodes), 1+r.IntN(8), r.Float64())
		g := built(nodes, edges)
		of := g.Communities()
		r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		if again := built(nodes, edges).Communities(); !slices.Equal(of, again) {
			t.Fatalf("seed %d: %v, then %v", seed, of, again)
		}
		if q, plain := g.Modularity(of), g.Modularity(g.Louvain()); q < plain-1e-12 {
			t.Fatalf("seed %d: modularity %v, Louvain %v", seed, q, plain)
		}
		if !inOnePiece(nodes, edges, of) {
			t.Fatalf("seed %d: not connected: %v", seed, of)
		}
	}
}

// inOnePiece reports whether each community is connected by edges within it.
func inOnePiece(nodes int, edges []graph.Edge, of []int) bool {
	root := make([]int, nodes)
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	for _, e := range edges {
		if of[e.A] == of[e.B] {
			root[find(e.A)] = find(e.B)
		}
	}
	for i := range root {
		if find(i) != find(slices.Index(of, of[i])) {
			return false
		}
	}
	return true
}

// Two cliques with a bridge are two communities.
func TestCommunities_OfTwoCliques(t *testing.T) {
	t.Parallel()
	edges := []graph.Edge{{A: 0, B: 4, Weight: 1}}
	for _, from := range []int{0, 4} {
		for i := range 4 {
			for j := range i {
				edges = append(edges, graph.Edge{A: from + i, B: from + j, Weight: 1})
			}
		}
	}
	if got := built(9, edges).Communities(); !slices.Equal(got, []int{0, 0, 0, 0, 1, 1, 1, 1, 2}) {
		t.Errorf("got %v", got)
	}
}

func BenchmarkCommunities(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	g := built(100_000, planted(r, 100_000, 300_000, 400, .8))
	b.ResetTimer()
	for b.Loop() {
		b.ReportMetric(g.Modularity(g.Communities()), "modularity")
	}
}

// A panic in either of two functions is one of the caller, who can turn it into an error.
func TestTogether_panics(t *testing.T) {
	t.Parallel()
	fail, ok := func() { panic("lost") }, func() {}
	for name, c := range map[string]struct {
		here, there func()
		want        any
	}{"here": {fail, ok, "lost"}, "there": {ok, fail, "lost"}, "both": {fail, fail, "lost"}, "none": {ok, ok, nil}} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("%s: %v", name, got)
				}
			}()
			graph.Together(c.here, c.there)
		}()
	}
}

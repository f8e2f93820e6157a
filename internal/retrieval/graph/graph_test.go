package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/graph"
)

const (
	damping   = .5
	tolerance = 1e-9
)

func build(nodes int, at int64, edges ...graph.Edge) *graph.Graph {
	b := graph.NewBuilder(nodes, at)
	for _, e := range edges {
		b.Add(e)
	}
	return b.Graph()
}

func edge(a, b int, weight float64) graph.Edge { return graph.Edge{A: a, B: b, Weight: weight} }

// exact solves x = d P x + (1 - d + d stuck) s by elimination, where P is made of a
// dense matrix.
func exact(nodes int, edges []graph.Edge, reset []float64, d float64) []float64 {
	w := make([][]float64, nodes)
	for i := range w {
		w[i] = make([]float64, nodes)
	}
	degree := make([]float64, nodes)
	for _, e := range edges {
		w[e.A][e.B] += e.Weight
		degree[e.A] += e.Weight
		if e.A != e.B {
			w[e.B][e.A] += e.Weight
			degree[e.B] += e.Weight
		}
	}
	total := 0.0
	for _, r := range reset {
		total += r
	}
	m := make([][]float64, nodes) // I - d (P + s stuck'), and the right side
	for i := range m {
		m[i] = make([]float64, nodes+1)
		for j := range nodes {
			if degree[j] > 0 {
				m[i][j] = -d * w[j][i] / degree[j]
			} else {
				m[i][j] = -d * reset[i] / total
			}
		}
		m[i][i]++
		m[i][nodes] = (1 - d) * reset[i] / total
	}
	return eliminate(m)
}

func eliminate(m [][]float64) []float64 {
	n := len(m)
	for c := range n {
		best := c
		for r := c; r < n; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[best][c]) {
				best = r
			}
		}
		m[c], m[best] = m[best], m[c]
		for r := range n {
			if r == c {
				continue
			}
			f := m[r][c] / m[c][c]
			for k := c; k <= n; k++ {
				m[r][k] -= f * m[c][k]
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = m[i][n] / m[i][i]
	}
	return x
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func apart(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d += math.Abs(a[i] - b[i])
	}
	return d
}

func TestPageRank(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		nodes int
		edges []graph.Edge
		reset []float64
		want  []float64
	}{
		{"one_node", 1, nil, []float64{3}, []float64{1}},
		{"a_pair", 2, []graph.Edge{edge(0, 1, 1)}, []float64{1, 0}, []float64{2. / 3, 1. / 3}},
		{"weights_only_matter_among_edges_of_a_node", 2, []graph.Edge{edge(0, 1, 7)}, []float64{1, 0}, []float64{2. / 3, 1. / 3}},
		{"symmetric", 3, []graph.Edge{edge(0, 1, 1), edge(1, 2, 1), edge(2, 0, 1)}, []float64{1, 1, 1}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"star", 3, []graph.Edge{edge(0, 1, 1), edge(0, 2, 1)}, []float64{1, 0, 0}, []float64{2. / 3, 1. / 6, 1. / 6}},
		{"heavier_edge", 3, []graph.Edge{edge(0, 1, 3), edge(0, 2, 1)}, []float64{1, 0, 0}, []float64{2. / 3, 1. / 4, 1. / 12}},
		{"no_edge_starts_anew", 2, nil, []float64{1, 3}, []float64{.25, .75}},
		{"out_of_reach", 4, []graph.Edge{edge(0, 1, 1), edge(2, 3, 1)}, []float64{1, 0, 0, 0}, []float64{2. / 3, 1. / 3, 0, 0}},
		{"itself", 2, []graph.Edge{edge(0, 0, 1), edge(0, 1, 1)}, []float64{1, 0}, []float64{.8, .2}},
		{"only_itself_keeps_what_a_stuck_one_gives_back", 2, []graph.Edge{edge(1, 1, 2)}, []float64{1, 1}, []float64{1. / 3, 2. / 3}},
		{"parallel_edges_add_up", 3, []graph.Edge{edge(0, 1, 1), edge(1, 0, 2), edge(0, 2, 1)}, []float64{1, 0, 0}, []float64{2. / 3, 1. / 4, 1. / 12}},
		{"useless_edges", 2, []graph.Edge{edge(0, 1, 0), edge(0, 1, -1), edge(0, 1, math.NaN()), edge(0, 1, math.Inf(1))}, []float64{1, 0}, []float64{1, 0}},
		{"useless_resets", 3, nil, []float64{1, math.NaN(), -4}, []float64{1, 0, 0}},
		{"huge_resets", 2, nil, []float64{math.MaxFloat64, math.MaxFloat64}, []float64{.5, .5}},
		{"short_reset", 2, []graph.Edge{edge(0, 1, 1)}, []float64{1}, []float64{2. / 3, 1. / 3}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := build(tc.nodes, 0, tc.edges...).PageRank(tc.reset, damping, tolerance)
			if len(got) != tc.nodes || apart(got, tc.want) > tolerance {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPageRank_of_nothing(t *testing.T) {
	t.Parallel()
	for _, reset := range [][]float64{nil, {0, 0}, {-1, math.NaN()}, {math.Inf(1), 0}} {
		if got := build(2, 0, edge(0, 1, 1)).PageRank(reset, damping, tolerance); got != nil {
			t.Errorf("from %v: got %v, want nothing", reset, got)
		}
	}
	if got := build(0, 0).PageRank(nil, damping, tolerance); got != nil {
		t.Errorf("without a node: got %v", got)
	}
}

// Damping is the probability of following an edge.
func TestPageRank_damping(t *testing.T) {
	t.Parallel()
	g := build(2, 0, edge(0, 1, 1))
	for _, d := range []float64{-1, 0, .15, .5, .85, .99, 7} {
		got := g.PageRank([]float64{1, 0}, d, tolerance)
		in := min(max(d, 0), .999)
		want := []float64{1 / (1 + in), in / (1 + in)}
		if apart(got, want) > tolerance {
			t.Errorf("damping %v: got %v, want %v", d, got, want)
		}
	}
}

func TestPageRank_ends_whatever_the_tolerance(t *testing.T) {
	t.Parallel()
	g := build(3, 0, edge(0, 1, 1), edge(1, 2, .1), edge(0, 0, 5))
	for _, tol := range []float64{0, -1, 1e-300, math.NaN(), 10, math.Inf(1)} {
		if got := g.PageRank([]float64{1, 0, 0}, .85, tol); math.Abs(sum(got)-1) > 1e-12 {
			t.Errorf("tolerance %v: %v adds up to %v", tol, got, sum(got))
		}
	}
}

func TestBuilder_leaves_out_what_does_not_hold(t *testing.T) {
	t.Parallel()
	edges := []graph.Edge{
		{A: 0, B: 1, Weight: 1},
		{A: 0, B: 2, Weight: 1, From: 100},
		{A: 0, B: 3, Weight: 1, Until: 200},
		{A: 0, B: 4, Weight: 1, From: 100, Until: 200},
	}
	for at, want := range map[int64][]int{0: {1, 2, 3, 4}, 99: {1, 3}, 100: {1, 2, 3, 4}, 199: {1, 2, 3, 4}, 200: {1, 2}, -5: {1, 3}} {
		g := build(5, at, edges...)
		x := g.PageRank([]float64{1, 0, 0, 0, 0}, damping, tolerance)
		var got []int
		for n := 1; n < 5; n++ {
			if x[n] > 0 {
				got = append(got, n)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("reached at %d (-want +got):\n%s", at, d)
		}
		if g.Arcs() != 2*len(want) || g.Nodes() != 5 {
			t.Errorf("at %d: %d arcs of %d nodes", at, g.Arcs(), g.Nodes())
		}
	}
}

func TestBuilder_refuses_nodes_it_does_not_have(t *testing.T) {
	t.Parallel()
	for _, e := range []graph.Edge{edge(0, 2, 1), edge(-1, 0, 1), edge(2, 2, 1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was taken", e)
				}
			}()
			build(2, 0, e)
		}()
	}
}

type drawn struct {
	nodes int
	edges []graph.Edge
	reset []float64
}

func draw(t *rapid.T) drawn {
	d := drawn{nodes: rapid.IntRange(1, 12).Draw(t, "nodes")}
	node := rapid.IntRange(0, d.nodes-1)
	for range rapid.IntRange(0, 30).Draw(t, "edges") {
		d.edges = append(d.edges, edge(node.Draw(t, "a"), node.Draw(t, "b"), rapid.Float64Range(.01, 10).Draw(t, "weight")))
	}
	d.reset = make([]float64, d.nodes)
	d.reset[node.Draw(t, "start")] = 1
	for range rapid.IntRange(0, 3).Draw(t, "more starts") {
		d.reset[node.Draw(t, "start")] += rapid.Float64Range(0, 1).Draw(t, "reset")
	}
	return d
}

func TestPageRank_is_the_solution(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		p := rapid.Float64Range(0, .95).Draw(t, "damping")
		got := build(d.nodes, 0, d.edges...).PageRank(d.reset, p, tolerance)
		want := exact(d.nodes, d.edges, d.reset, p)
		if e := apart(got, want); e > 2*tolerance {
			t.Fatalf("got %v, want %v: %v apart", got, want, e)
		}
		if s := sum(got); math.Abs(s-1) > 1e-12 {
			t.Fatalf("adds up to %v", s)
		}
	})
}

func TestPageRank_does_not_depend_on_order(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		want := build(d.nodes, 0, d.edges...).PageRank(d.reset, damping, tolerance)
		mixed := slices.Clone(d.edges)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		for i := range mixed {
			if r.IntN(2) == 0 {
				mixed[i].A, mixed[i].B = mixed[i].B, mixed[i].A
			}
		}
		got := build(d.nodes, 0, mixed...).PageRank(d.reset, damping, tolerance)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// A walk that starts at a, and one that starts at b: what the first finds of b, times
// the weights at a, is what the second finds of a, times the weights at b.
func TestPageRank_is_reversible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		degree := make([]float64, d.nodes)
		for n := range d.nodes {
			d.edges = append(d.edges, edge(n, n, 1)) // nothing gets stuck
		}
		for _, e := range d.edges {
			degree[e.A] += e.Weight
			if e.A != e.B {
				degree[e.B] += e.Weight
			}
		}
		g := build(d.nodes, 0, d.edges...)
		a, b := rapid.IntRange(0, d.nodes-1).Draw(t, "a"), rapid.IntRange(0, d.nodes-1).Draw(t, "b")
		from := func(n int) []float64 {
			reset := make([]float64, d.nodes)
			reset[n] = 1
			return g.PageRank(reset, damping, tolerance)
		}
		if x, y := from(a)[b]*degree[a], from(b)[a]*degree[b]; math.Abs(x-y) > 1e-6 {
			t.Fatalf("%v and %v", x, y)
		}
	})
}

func BenchmarkPageRank(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const nodes, edges = 2000, 10000
	build := graph.NewBuilder(nodes, 0)
	for range edges {
		build.Add(edge(r.IntN(nodes), r.IntN(nodes/20), 1))
	}
	g := build.Graph()
	reset := make([]float64, nodes)
	for range 20 {
		reset[r.IntN(nodes)] = r.Float64()
	}
	b.ReportAllocs()
	for b.Loop() {
		g.PageRank(reset, damping, tolerance)
	}
}

// Graphs with the same edges have a checksum in common, in whatever order they were added; others have another one.
func TestGraph_Sum(t *testing.T) {
	t.Parallel()
	sum := func(nodes int, edges ...graph.Edge) any {
		b := graph.NewBuilder(nodes, 0)
		for _, e := range edges {
			b.Add(e)
		}
		return b.Graph().Sum()
	}
	one, two := graph.Edge{A: 0, B: 1, Weight: 1}, graph.Edge{A: 1, B: 2, Weight: .5}
	want := sum(3, one, two)
	if got := sum(3, two, graph.Edge{A: 1, B: 0, Weight: 1}); got != want {
		t.Error("another order of the edges is another graph")
	}
	for name, got := range map[string]any{
		"a node more": sum(4, one, two), "an edge less": sum(3, one), "no edge": sum(3), "another weight": sum(3, one, graph.Edge{A: 1, B: 2, Weight: .25}),
		"another end": sum(3, one, graph.Edge{A: 0, B: 2, Weight: .5}),
	} {
		if got == want {
			t.Errorf("%s: equal", name)
		}
	}
}

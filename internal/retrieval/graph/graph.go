// Package graph holds small weighted graphs, walks on them (personalised
// PageRank over compressed rows) and their communities. It knows no memories, only nodes by number, and
// keeps nothing: a graph is built, asked and thrown away.
//
// Invariant: the same nodes and edges give bit-identical results, in whatever order
// the edges were added and on every platform: all sums have a fixed order, and no
// multiplication is fused with an addition.
package graph

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
)

// Edge joins two nodes, in both directions. An edge from a node to itself counts
// once among the edges of that node.
type Edge struct {
	A, B int
	// Weight must be above 0 and finite; an edge with another one is left out.
	Weight float64
	// From and Until bound the time for which the edge holds, in microseconds since
	// 1970: From <= t < Until; 0 is unbounded.
	From, Until int64
}

// Holds reports whether the edge holds at a time, in microseconds since 1970; at 0,
// every edge does.
func (e *Edge) Holds(at int64) bool {
	return at == 0 || (e.From == 0 || e.From <= at) && (e.Until == 0 || at < e.Until)
}

// Builder collects the edges of a [Graph]. The zero value is of no use.
type Builder struct {
	nodes int
	at    int64
	arcs  []arc
}

// arc is one direction of an edge.
type arc struct {
	from, to uint32
	weight   float64
}

// NewBuilder returns a Builder for nodes 0 to nodes-1, and edges that hold at a
// time, see [Edge.Holds].
func NewBuilder(nodes int, at int64) *Builder { return &Builder{nodes: nodes, at: at} }

// Grow makes room for that many more edges.
func (b *Builder) Grow(edges int) { b.arcs = slices.Grow(b.arcs, 2*edges) }

// Add adds an edge; that it does not hold, or weighs nothing, leaves it out. Several
// edges between two nodes add up. It panics if there is no such node.
func (b *Builder) Add(e Edge) {
	if e.A < 0 || e.B < 0 || e.A >= b.nodes || e.B >= b.nodes {
		panic("graph: no such node")
	}
	if !(e.Weight > 0) || math.IsInf(e.Weight, 1) || !e.Holds(b.at) {
		return
	}
	b.arcs = append(b.arcs, arc{uint32(e.A), uint32(e.B), e.Weight})
	if e.A != e.B {
		b.arcs = append(b.arcs, arc{uint32(e.B), uint32(e.A), e.Weight})
	}
}

// Graph returns the graph of the edges so far. Cost: four passes over them.
func (b *Builder) Graph() *Graph {
	arcs, _ := byNode(b.arcs, b.nodes, func(a *arc) uint32 { return a.to })
	arcs, ends := byNode(arcs, b.nodes, func(a *arc) uint32 { return a.from })
	g := &Graph{ends: ends, degree: make([]float64, b.nodes), to: make([]uint32, 0, len(arcs)), weights: make([]float64, 0, len(arcs))}
	from := uint32(0)
	for n, end := range ends {
		first := len(g.to)
		for row := arcs[from:end]; len(row) > 0; {
			to, weight, several := row[0].to, 0.0, 1
			for several < len(row) && row[several].to == to {
				several++
			}
			// The sum of edges between two nodes has one order.
			slices.SortFunc(row[:several], func(x, y arc) int { return cmp.Compare(x.weight, y.weight) })
			for _, a := range row[:several] {
				weight += a.weight
			}
			g.to, g.weights, row = append(g.to, to), append(g.weights, weight), row[several:]
		}
		from, ends[n] = end, uint32(len(g.to))
		for _, w := range g.weights[first:] {
			g.degree[n] += w
		}
	}
	return g
}

// byNode returns arcs ordered by a node of each, those of one node in the order that they have, and where those of each node end.
func byNode(arcs []arc, nodes int, of func(*arc) uint32) ([]arc, []uint32) {
	at := make([]uint32, nodes+1) // of a node: where the next arc goes
	for i := range arcs {
		at[of(&arcs[i])+1]++
	}
	for n := range nodes {
		at[n+1] += at[n]
	}
	out := make([]arc, len(arcs))
	for i := range arcs {
		n := of(&arcs[i])
		out[at[n]] = arcs[i]
		at[n]++
	}
	return out, at[:nodes]
}

// Graph is an undirected weighted graph in compressed rows. It is immutable and safe
// for concurrent use.
type Graph struct {
	ends    []uint32 // of the rows of the nodes in what follows
	to      []uint32
	weights []float64
	degree  []float64 // by node: the sum of its weights
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return len(g.ends) }

// Sum returns a checksum that graphs with equal edges have in common, and others do not. Cost: 20 ms for a million arcs.
func (g *Graph) Sum() [sha256.Size]byte {
	h := sha256.New()
	var room []byte
	add := func(bits uint64) {
		if room = binary.LittleEndian.AppendUint64(room, bits); len(room) == 1<<12 {
			h.Write(room)
			room = room[:0]
		}
	}
	add(uint64(len(g.ends)))
	for _, end := range g.ends {
		add(uint64(end))
	}
	for i, to := range g.to {
		add(uint64(to))
		add(math.Float64bits(g.weights[i]))
	}
	h.Write(room)
	return [sha256.Size]byte(h.Sum(nil))
}

const (
	// finest is the least tolerance that rounding lets a walk reach.
	finest = 1e-13
	// longest is the most damping: an error shrinks by this factor with each round.
	longest = .999
)

// PageRank returns, by node, where a random walk is in the long run that follows an
// edge with probability damping, chosen by weight, and else, or where there is no
// edge, restarts at a node drawn from reset. The result adds up to 1 and is
// within tolerance of the exact one, as the sum of all differences.
//
// reset holds a weight for each node; what is not above 0 counts as 0. Nil is
// returned if nothing is left. damping is kept within 0 and .999, tolerance at 1e-13
// or more. Cost: a pass over the arcs for each factor of damping between 1 and the
// tolerance; with .5 and 1e-9 some 31.
//
// Source: Page et al., The PageRank Citation Ranking, 1999; personalised as by
// Haveliwala, Topic-Sensitive PageRank, 2002.
func (g *Graph) PageRank(reset []float64, damping, tolerance float64) []float64 {
	start := share(reset, g.Nodes())
	if start == nil {
		return nil
	}
	damping, tolerance = min(max(damping, 0), longest), max(tolerance, finest)
	x, next, out := slices.Clone(start), make([]float64, len(start)), make([]float64, len(start))
	for {
		g.step(next, x, out, start, damping)
		// What is left to go is a geometric series that begins with this change.
		left := distance(x, next) * damping / (1 - damping)
		x, next = next, x
		if !(left > tolerance) {
			return x
		}
	}
}

// step makes one step of the walk from x; out is room for what leaves each node.
func (g *Graph) step(next, x, out, start []float64, damping float64) {
	stuck := 0.0
	for n, d := range g.degree {
		if out[n] = 0; d > 0 {
			out[n] = x[n] / d
		} else {
			stuck += x[n]
		}
	}
	restart := 1 - damping + float64(damping*stuck)
	from := uint32(0)
	for n, end := range g.ends {
		sum := 0.0
		for i := from; i < end; i++ {
			sum += float64(out[g.to[i]] * g.weights[i])
		}
		next[n] = float64(damping*sum) + float64(restart*start[n])
		from = end
	}
}

// share returns the positive weights as shares of 1; nil if there are none.
func share(weights []float64, n int) []float64 {
	out, most := make([]float64, n), 0.0
	for i, w := range weights[:min(n, len(weights))] {
		if w > 0 && !math.IsInf(w, 1) {
			out[i] = w
			most = max(most, w)
		}
	}
	if most == 0 {
		return nil
	}
	sum := 0.0
	for i := range out {
		out[i] /= most // so that the sum stays finite
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += math.Abs(a[i] - b[i])
	}
	return sum
}

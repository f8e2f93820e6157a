package graph

import (
	"slices"
	"sync"
)

// leastGain is how much the modularity must rise for a node to move, so that rounding moves none back and forth.
const leastGain = 1e-12

// Communities returns the number of the community of each node: 0 for that of node 0, and on in the order of their first nodes.
// Every community is connected; a node without edges is one of its own. The same graph gives the same communities, and their
// modularity is not below that of local moves and aggregation alone (Blondel et al., Fast unfolding of communities in large networks, 2008).
//
// Source: Traag, Waltman and van Eck, From Louvain to Leiden, 2019; where that draws at random, the best is taken, the first of equals.
// Cost: some passes over the arcs, on two cores. A panic on the other core is one of the caller's goroutine.
func (g *Graph) Communities() []int {
	moved := g.move(identity(g.Nodes()), nil)
	var refined, plain []int
	together(
		func() { refined = g.connected(g.detect(slices.Clone(moved), true)) },
		func() { plain = g.connected(g.detect(slices.Clone(moved), false)) },
	)
	if g.Modularity(plain) > g.Modularity(refined) {
		return plain
	}
	return refined
}

// together runs two functions at once. It panics if either does, when both have ended.
func together(here, there func()) {
	var both sync.WaitGroup
	var failed any
	both.Go(func() {
		defer func() { failed = recover() }()
		there()
	})
	defer func() {
		both.Wait()
		if failed != nil {
			panic(failed)
		}
	}()
	here()
}

// Modularity returns that of communities: the share of the weight within them, less what chance gives.
func (g *Graph) Modularity(of []int) float64 {
	within, sum := make([]float64, len(of)), make([]float64, len(of))
	total, from := 0.0, uint32(0)
	for n, end := range g.ends {
		for i := from; i < end; i++ {
			if of[g.to[i]] == of[n] {
				within[of[n]] += g.weights[i]
			}
		}
		sum[of[n]] += g.degree[n]
		total += g.degree[n]
		from = end
	}
	q := 0.0
	for c := range within {
		if total > 0 {
			q += within[c]/total - float64(sum[c]/total)*float64(sum[c]/total)
		}
	}
	return q
}

// detect returns communities by local moves and aggregation, with Leiden's refinement or without. moved is where the first moves
// of the nodes lead, each from a community of its own; detect keeps it.
func (g *Graph) detect(moved []int, refine bool) []int {
	of := identity(g.Nodes()) // the node of level that each node of g is in
	for level := g; ; {
		groups := moved
		if refine {
			groups = level.move(identity(level.Nodes()), moved)
		}
		count := renumber(groups)
		if count == level.Nodes() { // no node joined another
			for n := range of {
				of[n] = moved[of[n]]
			}
			renumber(of)
			return of
		}
		begin := identity(count)
		if refine {
			first := make([]int, len(moved)) // the first group of each community, from 1
			for n, c := range moved {
				if first[c] == 0 {
					first[c] = groups[n] + 1
				}
				begin[groups[n]] = first[c] - 1
			}
		}
		level = level.aggregate(groups, count)
		for n := range of {
			of[n] = groups[of[n]]
		}
		moved = level.move(begin, nil)
	}
}

// mover moves nodes between communities.
type mover struct {
	*Graph
	of     []int
	within []int // nil, or the communities that no node may leave: then only nodes that are alone move
	sum    []float64
	size   []int
	total  float64
	near   []float64 // the weight to each community, of one node
	seen   []int
}

// move moves nodes to the community that raises the modularity most, until none does, and returns the communities. within, if
// it is not nil, is a partition of which the result is a refinement.
func (g *Graph) move(begin, within []int) []int {
	n := g.Nodes()
	m := &mover{Graph: g, of: begin, within: within, sum: make([]float64, n), size: make([]int, n), near: make([]float64, n)}
	for i, d := range g.degree {
		m.sum[begin[i]] += d
		m.size[begin[i]]++
		m.total += d
	}
	queue, waits := identity(n), slices.Repeat([]bool{true}, n)
	for head := 0; head < len(queue); head++ {
		node := queue[head]
		waits[node] = false
		if !m.place(node) || within != nil {
			continue
		}
		for _, other := range m.row(node) {
			if m.of[other] != m.of[node] && !waits[other] {
				waits[other] = true
				queue = append(queue, int(other))
			}
		}
	}
	return m.of
}

func (g *Graph) row(node int) []uint32 { return g.to[g.first(node):g.ends[node]] }

func (g *Graph) first(node int) uint32 {
	if node == 0 {
		return 0
	}
	return g.ends[node-1]
}

// place moves a node to the best community near it, and reports whether it moved.
func (m *mover) place(node int) bool {
	own := m.of[node]
	if m.within != nil && m.size[own] > 1 {
		return false
	}
	from := m.first(node)
	for i, other := range m.row(node) {
		if int(other) == node || m.within != nil && m.within[other] != m.within[node] {
			continue
		}
		c := m.of[other]
		if m.near[c] == 0 {
			m.seen = append(m.seen, c)
		}
		m.near[c] += m.weights[int(from)+i]
	}
	d := m.degree[node]
	gain := func(c int, sum float64) float64 { return m.near[c] - float64(sum*d)/m.total }
	best, most := own, gain(own, m.sum[own]-d)
	slices.Sort(m.seen)
	for _, c := range m.seen {
		if c == own {
			continue
		}
		if x := gain(c, m.sum[c]); x > most+leastGain {
			best, most = c, x
		}
	}
	for _, c := range m.seen {
		m.near[c] = 0
	}
	m.seen = m.seen[:0]
	if best == own {
		return false
	}
	m.sum[own] -= d
	m.sum[best] += d
	m.size[own]--
	m.size[best]++
	m.of[node] = best
	return true
}

// aggregate returns the graph of groups of nodes; the weight within one is an edge to itself.
func (g *Graph) aggregate(group []int, count int) *Graph {
	b := &Builder{nodes: count, arcs: make([]arc, 0, len(g.to))}
	from := uint32(0)
	for n, end := range g.ends {
		for i := from; i < end; i++ {
			b.arcs = append(b.arcs, arc{uint32(group[n]), uint32(group[g.to[i]]), g.weights[i]})
		}
		from = end
	}
	return b.Graph()
}

// connected splits communities into their connected parts, which does not lower the modularity.
func (g *Graph) connected(of []int) []int {
	out := slices.Repeat([]int{-1}, len(of))
	next := 0
	for n := range of {
		if out[n] >= 0 {
			continue
		}
		for wait := []int{n}; len(wait) > 0; {
			at := wait[len(wait)-1]
			if wait = wait[:len(wait)-1]; out[at] >= 0 {
				continue
			}
			out[at] = next
			for _, other := range g.row(at) {
				if of[other] == of[n] && out[other] < 0 {
					wait = append(wait, int(other))
				}
			}
		}
		next++
	}
	return out
}

func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// renumber numbers communities, below the number of nodes, by their first nodes, and returns how many there are.
func renumber(of []int) int {
	number, count := make([]int, len(of)), 0 // from 1
	for i, c := range of {
		if number[c] == 0 {
			count++
			number[c] = count
		}
		of[i] = number[c] - 1
	}
	return count
}

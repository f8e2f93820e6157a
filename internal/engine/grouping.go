package engine

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/recall/hybrid/graph"
)

// communityDamping is the share of a walk that follows relations: what it visits most often is shown first.
const communityDamping, communityTolerance = .85, 1e-9

// grouping is the communities of a graph.
type grouping struct {
	graph      [sha256.Size]byte
	of         []int     // by node
	ranks      []float64 // by node: how often a walk over the relations visits it, from wherever it begins
	modularity float64
}

// groupingOf returns the grouping of a graph: that of the last one, if it was equal. Relations have no revision, and searches change
// those that are learned; so the graph itself says whether it is the same. To read it is
// less than half of the work.
func groupingOf(x *graph.Graph, last *atomic.Pointer[grouping]) *grouping {
	sum := x.Sum()
	if g := last.Load(); g != nil && g.graph == sum {
		return g
	}
	g := &grouping{graph: sum}
	var walk sync.WaitGroup
	walk.Go(func() { g.ranks = ranks(x) })
	g.of = x.Communities()
	g.modularity = x.Modularity(g.of)
	walk.Wait()
	last.Store(g)
	return g
}

// ranks are those of a [grouping].
func ranks(g *graph.Graph) []float64 {
	if g.Nodes() == 0 {
		return nil
	}
	start := make([]float64, g.Nodes())
	for n := range start {
		start[n] = 1
	}
	return g.PageRank(start, communityDamping, communityTolerance)
}

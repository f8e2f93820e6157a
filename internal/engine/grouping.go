package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/retrieval/graph"
)

// communityDamping is the share of a walk that follows relations: what it visits most often is shown first.
const communityDamping, communityTolerance = .85, 1e-9

// Grouping is the communities of a graph.
type Grouping struct {
	graph      [sha256.Size]byte
	Of         []int     // by node
	Ranks      []float64 // by node: how often a walk over the relations visits it, from wherever it begins
	Modularity float64
}

// GroupingOf returns the grouping of a graph: that of the last one, if it was equal. Relations have no revision, and searches change
// those that are learned; so the graph itself says whether it is the same. To read it is
// less than half of the work.
func GroupingOf(x *graph.Graph, last *atomic.Pointer[Grouping]) (*Grouping, error) {
	sum := x.Sum()
	if g := last.Load(); g != nil && g.graph == sum {
		return g, nil
	}
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	g.graph = sum
	last.Store(g)
	return g, nil
}

// group computes a grouping, on two cores. A panic in either is an error.
func group(x *graph.Graph) (*Grouping, error) {
	g := &Grouping{}
	var walk sync.WaitGroup
	var walked error
	walk.Go(func() { walked = caught(func() { g.Ranks = ranks(x) }) })
	err := caught(func() {
		g.Of = x.Communities()
		g.Modularity = x.Modularity(g.Of)
	})
	walk.Wait()
	return g, errors.Join(err, walked)
}

// caught runs fn; a panic becomes an error.
func caught(fn func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	fn()
	return nil
}

// ranks are those of a [Grouping].
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

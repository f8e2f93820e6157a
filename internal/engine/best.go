package engine

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

// rangeOf returns the relevance range that a query asks for.
func (e *Engine) rangeOf(q hippo.Query) hippo.Range {
	if q.Relevance != nil {
		return *q.Relevance
	}
	return hippo.Range{Min: rank.Floor(e.weights, q.Ranker), Max: math.Inf(1)}
}

// candidate is a match among the best so far.
type candidate struct {
	id        hippo.ID
	created   int64
	relevance float64
	match     *index.Match
}

// better orders candidates: by relevance, the newer first among equals, then by
// ID, so that the order is total.
func better(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.relevance, a.relevance), cmp.Compare(b.created, a.created), a.id.Compare(b.id))
}

// best keeps the n best of many: a heap with the worst one on top.
type best struct {
	n    int
	list []candidate
}

func newBest(n int) *best { return &best{n: n} }

// wants reports whether a candidate of this relevance may be among the best.
func (b *best) wants(relevance float64) bool {
	return len(b.list) < b.n || relevance >= b.list[0].relevance
}

func (b *best) add(c candidate) {
	switch {
	case len(b.list) < b.n:
		b.list = append(b.list, c)
		if len(b.list) == b.n {
			heap.Init(b)
		}
	case better(&c, &b.list[0]) < 0:
		b.list[0] = c
		heap.Fix(b, 0)
	}
}

// sorted returns what was kept, best first; the heap is used up.
func (b *best) sorted() []candidate {
	slices.SortFunc(b.list, func(x, y candidate) int { return better(&x, &y) })
	return b.list
}

// Len, Less, Swap, Push and Pop implement [heap.Interface]; Push and Pop are
// not needed, because the heap never changes its size.
func (b *best) Len() int           { return len(b.list) }
func (b *best) Less(i, j int) bool { return better(&b.list[i], &b.list[j]) > 0 }
func (b *best) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }

// Push implements [heap.Interface].
func (b *best) Push(any) { panic("engine: the heap does not grow") }

// Pop implements [heap.Interface].
func (b *best) Pop() any { panic("engine: the heap does not shrink") }

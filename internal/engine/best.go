package engine

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
)

// rangeOf returns the relevance range that a query asks for.
func (e *Engine) rangeOf(q hippo.Query) hippo.Range {
	if q.Relevance != nil {
		return *q.Relevance
	}
	return hippo.Range{Min: rank.Floor(e.weights, q.Ranker), Max: math.Inf(1)}
}

// better orders hits: by relevance, the newer first among equals, then by ID,
// so that the order is total.
func better(a, b *ranked) int {
	return cmp.Or(cmp.Compare(b.relevance, a.relevance), newestFirst(*a, *b))
}

// best keeps the n best of many: a heap with the worst one on top.
type best struct {
	n    int
	hits []ranked
}

func newBest(n int) *best { return &best{n: n} }

func (b *best) add(r ranked) {
	if len(b.hits) < b.n {
		heap.Push(b, r)
		return
	}
	if better(&r, &b.hits[0]) < 0 {
		b.hits[0] = r
		heap.Fix(b, 0)
	}
}

// sorted returns what was kept, best first; the heap is used up.
func (b *best) sorted() []ranked {
	slices.SortFunc(b.hits, func(x, y ranked) int { return better(&x, &y) })
	return b.hits
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (b *best) Len() int           { return len(b.hits) }
func (b *best) Less(i, j int) bool { return better(&b.hits[i], &b.hits[j]) > 0 }
func (b *best) Swap(i, j int)      { b.hits[i], b.hits[j] = b.hits[j], b.hits[i] }

// Push implements [heap.Interface].
func (b *best) Push(x any) { b.hits = append(b.hits, x.(ranked)) } //nolint:errcheck,forcetypeassert // only add calls it

// Pop implements [heap.Interface].
func (b *best) Pop() any {
	last := b.hits[len(b.hits)-1]
	b.hits = b.hits[:len(b.hits)-1]
	return last
}

package engine

import (
	"cmp"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/top"
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
func better(a, b candidate) int {
	switch {
	case a.relevance != b.relevance:
		return cmp.Compare(b.relevance, a.relevance)
	case a.created != b.created:
		return cmp.Compare(b.created, a.created)
	default:
		return a.id.Compare(b.id)
	}
}

// best keeps the n best candidates.
type best struct{ *top.List[candidate] }

func newBest(n int) best { return best{top.New(n, better)} }

// wants reports whether a candidate of this relevance may be among the best.
func (b best) wants(relevance float64) bool {
	bound := b.Bound()
	return bound == nil || relevance >= bound.relevance
}

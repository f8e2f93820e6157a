package rank

import (
	"math"

	"github.com/hippo-memory/hippo"
)

// Confidence holds a weight for each part of a [hippo.Support].
type Confidence struct {
	// Base is what is added whatever was found.
	Base float64
	// Evidence weighs the evidence of the best hit.
	Evidence, Coverage, Met, Strange float64
}

// leastEvidence keeps the evidence of a hit that says next to nothing finite.
const leastEvidence = -5

// ConfidenceOf is the confidence that what was found answers the query, in (0, 1):
// a logistic function of a weighted sum of s. It grows with Text, Coverage and Met and
// falls with Strange. Source: logistic regression on questions asked of the right
// store and of another; docs/ranking.md.
func ConfidenceOf(w *Weights, s *hippo.Support) float64 {
	c := &w.ConfidenceWords
	if s.Meaning {
		c = &w.Confidence
	}
	e := evidenceIn(w, s.Text)
	sum := c.Base + c.Evidence*e + c.Coverage*s.Coverage + c.Met*s.Met + c.Strange*s.Strange
	return settle(1 / (1 + math.Exp(-sum)))
}

// evidenceIn is the weighted sum that [FirstLook.Of] makes text of, at least leastEvidence.
func evidenceIn(w *Weights, text float64) float64 {
	u := -w.EvidenceScale * math.Log1p(-min(text, 1-1e-9))
	if u <= 0 {
		return leastEvidence
	}
	return max(leastEvidence, u+math.Log(-math.Expm1(-u)))
}

// Abstains reports whether a search had better return nothing. It never does if one
// hit has every term of the query, for a query of one term, which says too little, or
// in a store of fewer than AbstainFrom memories: what is far from the query there may
// still be meant, and rarity says nothing yet.
func Abstains(w *Weights, s *hippo.Support) bool {
	return s.Coverage < 1 && s.Terms > 1 && s.Memories >= w.AbstainFrom && ConfidenceOf(w, s) < w.Abstain
}

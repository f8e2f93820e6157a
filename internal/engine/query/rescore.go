package query

import (
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Similarity is the cosine of a hit in [0, 1], as ranker surprise has it.
func Similarity(h *hippo.Hit) float64 { return rank.UnitSimilarity(h.Signals.Cosine) }

// Lapse lowers the score of a memory that does not hold at a time, as a ranking does.
func Lapse(score float64, m *hippo.Memory, at time.Time) float64 {
	if m.StateAt(at) != hippo.Holds {
		score *= rank.Lapsed
	}
	return score
}

// Rescored lowers scores that a front end gave to hits by more than their relevance: what does not hold at a time gets no more than
// what holds and is as relevant. Cost: a pass over the hits for each that does not hold.
func Rescored(hits []hippo.Hit, scores []float64, at time.Time) {
	holds := make([]bool, len(hits))
	for i := range hits {
		holds[i] = hits[i].Memory.StateAt(at) == hippo.Holds
	}
	for i := range hits {
		for k := range hits {
			if !holds[i] && holds[k] && hits[k].Relevance >= hits[i].Relevance {
				scores[i] = min(scores[i], scores[k])
			}
		}
	}
}

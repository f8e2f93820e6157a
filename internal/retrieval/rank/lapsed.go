package rank

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Lapsed is the factor of the relevance, with every ranker, of a memory that does not hold at the time that a query asks for:
// it ended, it has not begun, or another one supersedes it. It ranks behind all that holds and is at least half as relevant.
// It was set by hand, so that what has ended lies behind what answers the question and is still found.
const Lapsed = 0.5

// held returns a relevance, rounded, with the factor of a memory that does not hold.
func held(s *hippo.Signals, x float64) float64 {
	if s.Lapsed {
		x *= Lapsed
	}
	return rounded(x)
}

// LapsedLast compares two things by whether they hold: those that do not come last.
func LapsedLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// HoldingFirst compares two memories: one that holds at a time comes before one that does not.
func HoldingFirst(at time.Time, a, b *hippo.Memory) int {
	return LapsedLast(a.StateAt(at) == hippo.Holds, b.StateAt(at) == hippo.Holds)
}

// Behind lowers scores that a front end gave to hits by more than their relevance: what does not hold at a time gets no more than
// what holds and is as relevant. Cost: a pass over the hits for each that does not hold.
func Behind(hits []hippo.Hit, scores []float64, at time.Time) {
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

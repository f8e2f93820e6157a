package rank

import "github.com/hippo-memory/hippo"

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

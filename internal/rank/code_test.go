package rank_test

import (
	"math"
	"testing"

	"github.com/hippo-memory/hippo/internal/rank"
)

// Odds of 3 count for 2.31.
func TestOfCode(t *testing.T) {
	t.Parallel()
	for relevance, want := range map[float64]float64{0: 0, .75: 2.31 / 3.31, 1: 1} {
		if got := rank.OfCode(relevance); math.Abs(got-want) > 1e-12 {
			t.Errorf("OfCode(%v) = %v, want %v", relevance, got, want)
		}
	}
	for last, x := 0.0, .01; x <= 1; last, x = rank.OfCode(x), x+.01 {
		if got := rank.OfCode(x); got <= last || got > x {
			t.Errorf("OfCode(%v) = %v after %v", x, got, last)
		}
	}
}

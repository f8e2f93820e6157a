package index

import (
	"math"
	"testing"
)

// The sums of numbers are those of all of them, whatever their number is.
func TestMoments(t *testing.T) {
	t.Parallel()
	var list []float32
	for n := range 11 {
		sum, squares := moments(list)
		wantSum, wantSquares := 0.0, 0.0
		for _, x := range list {
			wantSum += float64(x)
			wantSquares += float64(x) * float64(x)
		}
		if math.Abs(sum-wantSum) > 1e-12 || math.Abs(squares-wantSquares) > 1e-12 {
			t.Errorf("%v: got %v and %v, want %v and %v", list, sum, squares, wantSum, wantSquares)
		}
		list = append(list, float32(n%5)/7-.3)
	}
}

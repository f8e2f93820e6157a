package embed

import (
	"fmt"
	"math"

	"github.com/hippo-memory/hippo"
)

// unitTolerance is the largest difference of a vector's length from 1: half precision has
// no larger error.
const unitTolerance = 1e-3

// Check returns a [hippo.ErrUnsupported] unless vectors is a valid answer of model to n
// texts: n vectors, each of model.Dimension finite numbers and either of length 1, within
// .001, or all zero. Cost: one pass over the numbers.
func Check(model Model, n int, vectors [][]float32) error {
	if len(vectors) != n {
		return fmt.Errorf("model %s: got %d vectors for %d texts: %w", model.ID, len(vectors), n, hippo.ErrUnsupported)
	}
	for i, v := range vectors {
		if len(v) != model.Dimension {
			return fmt.Errorf("model %s: vector %d has %d dimensions, want %d: %w", model.ID, i, len(v), model.Dimension, hippo.ErrUnsupported)
		}
		length := math.Sqrt(square(v))
		// The comparison is written so that NaN fails it.
		if length != 0 && !(math.Abs(length-1) <= unitTolerance) {
			return fmt.Errorf("model %s: vector %d has length %g, want 1: %w", model.ID, i, length, hippo.ErrUnsupported)
		}
	}
	return nil
}

// square returns the sum of the squares of v: NaN or infinite if one of v is.
func square(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum
}

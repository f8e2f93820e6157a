package hybrid

import (
	"math"
	"testing"
)

func TestWeights_Fuse(t *testing.T) {
	t.Parallel()
	w := DefaultWeights()
	for _, tc := range []struct{ cosine, bm25, graph, want float64 }{
		{0, 0, 0, 0}, {1, 1, 1, 1}, {.5, 0, 0, .2}, {0, .4, 0, .06}, {0, 0, .2, .09},
	} {
		if got := w.fuse(tc.cosine, tc.bm25, tc.graph); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%+v: got %v", tc, got)
		}
	}
}

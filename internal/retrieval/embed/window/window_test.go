package window_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/window"
)

func TestJoin(t *testing.T) {
	t.Parallel()
	ws := []window.Window{{Text: 0, Added: 9}, {Text: 2, Added: 3}, {Text: 2, Added: 4}, {Text: 3, Added: 5}}
	vectors := [][]float32{{0.6, 0.8}, {1, 0}, {0, 1}, {0, -1}}
	// Text 2 is the mean of (1, 0) three times and (0, 1) four times, at length 1: (3, 4) / 5.
	want := [][]float32{{0.6, 0.8}, {0, 0}, {0.6, 0.8}, {0, -1}}
	if diff := cmp.Diff(want, window.Join(4, 2, ws, vectors)); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
}

func TestUnit(t *testing.T) {
	t.Parallel()
	v, zero := []float32{3, 0, -4}, []float32{0, 0}
	window.Unit(v)
	window.Unit(zero)
	if diff := cmp.Diff([][]float32{{0.6, 0, -0.8}, {0, 0}}, [][]float32{v, zero}); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
}

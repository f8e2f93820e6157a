package index

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/hippo-memory/hippo"
)

// A sample of a large scope has between leastSample and twice as many documents, whatever the size of the scope.
func TestSampling(t *testing.T) {
	t.Parallel()
	if samplingOf(0) != 0 || samplingOf(wholeSample) != 0 {
		t.Error("the sample of a small scope is a part of it")
	}
	for _, n := range []int{wholeSample + 1, 100_000, 1 << 17, 1_000_000, 16_777_216} {
		if size := n >> samplingOf(n); size < leastSample || size >= 2*leastSample {
			t.Errorf("scope of %d: a sample of about %d", n, size)
		}
	}
}

// A sample has the expected size for sequential IDs, whether their first or their last digits count, and contains every smaller sample.
func TestSampling_has(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	for _, at := range []int{0, 4, 8, 12} {
		var sizes [6]int
		for i := range uint32(n) {
			var id hippo.ID
			binary.BigEndian.PutUint32(id[at:], i)
			for s := range sizes {
				if !sampling(s).has(&id) {
					break
				}
				sizes[s]++
			}
		}
		for s, size := range sizes {
			want := float64(int(n) >> s)
			if math.Abs(float64(size)-want) > 5*math.Sqrt(want) {
				t.Errorf("digits at %d, sampling %d: %d of %d, want about %.0f", at, s, size, n, want)
			}
		}
	}
}

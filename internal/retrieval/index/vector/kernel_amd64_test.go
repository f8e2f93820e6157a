package vector

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// kernels are those that this processor can run.
func kernels(t *testing.T) map[string]func(dst []int32, rows, q []int8) {
	t.Helper()
	ks := map[string]func(dst []int32, rows, q []int8){"chosen": dots}
	assembly := func(fn func(dst *int32, rows, q *int8, count, n int)) func(dst []int32, rows, q []int8) {
		return func(dst []int32, rows, q []int8) {
			if len(dst) > 0 {
				fn(&dst[0], &rows[0], &q[0], len(dst), len(q))
			}
		}
	}
	if cpu.X86.HasAVX2 {
		ks["AVX2"] = assembly(dotsAVX2)
	}
	if hasVNNI() {
		ks["VNNI"] = assembly(dotsVNNI)
	}
	return ks
}

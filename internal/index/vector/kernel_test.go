package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernel of this processor and the portable one agree, the extremes included.
func TestDots_Kernels(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{32, 64, 96, 384, 1024, MaxDimension} {
		for _, count := range []int{0, 1, 2, 3, 17} {
			for _, value := range []func() int8{
				func() int8 { return int8(r.IntN(256) - 128) },
				func() int8 { return -128 },
				func() int8 { return 127 },
			} {
				rows, q := make([]int8, n*count), make([]int8, n)
				for i := range rows {
					rows[i] = value()
				}
				for i := range q {
					q[i] = value()
				}
				got, want := make([]int32, count), make([]int32, count)
				dots(got, rows, q)
				portable(want, rows, q)
				if !slices.Equal(got, want) {
					t.Errorf("%d rows of %d: got %v, want %v", count, n, got, want)
				}
			}
		}
	}
}

package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernels of this processor and the portable one agree, the extremes included.
func TestDots_Kernels(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{32, 64, 96, 384, 1024, MaxDimension} {
		for _, count := range []int{0, 1, 2, 3, 4, 17} {
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
				want := make([]int32, count)
				portable(want, rows, q)
				for name, kernel := range kernels(t) {
					if got := make([]int32, count); !is(kernel, got, rows, q, want) {
						t.Errorf("%s: %d rows of %d: got %v, want %v", name, count, n, got, want)
					}
				}
			}
		}
	}
}

func is(kernel func(dst []int32, rows, q []int8), got []int32, rows, q []int8, want []int32) bool {
	kernel(got, rows, q)
	return slices.Equal(got, want)
}

// Sums are the same, bit by bit, on every processor, whatever the length.
func TestAddScaled(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 131 {
		row, want, got := make([]int8, n), make([]float32, n), make([]float32, n)
		for i := range row {
			row[i], want[i] = int8(r.IntN(256)-128), float32(r.NormFloat64())
		}
		copy(got, want)
		w := float32(r.NormFloat64())
		for i, q := range row {
			want[i] += float32(w * float32(q))
		}
		if AddScaled(got, unsigned(row), w); !slices.Equal(got, want) {
			t.Fatalf("%d components: got %v, want %v", n, got, want)
		}
	}
}

func BenchmarkAddScaled(b *testing.B) {
	dst, row := make([]float32, 384), make([]byte, 384)
	for b.Loop() {
		AddScaled(dst, row, .5)
	}
}

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
		for _, count := range []int{0, 1, 2, 3, 4, 7, 8, 17} {
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

// Four queries at a time get what each gets alone.
func TestDotsFour(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 3))
	for _, n := range []int{32, 64, 96, 384, 1024, MaxDimension} {
		for _, count := range []int{0, 1, 3, 4, 8, 17, blockRows} {
			for _, value := range []func() int8{
				func() int8 { return int8(r.IntN(256) - 128) },
				func() int8 { return -128 },
				func() int8 { return 127 },
			} {
				rows, q := make([]int8, n*count), make([]int8, four*n)
				for i := range rows {
					rows[i] = value()
				}
				for i := range q {
					q[i] = value()
				}
				got, want := make([]int32, four*count), make([]int32, four*count)
				for k := range four {
					portable(want[k*count:][:count], rows, q[k*n:][:n])
				}
				if dotsFour(got, rows, q); !slices.Equal(got, want) {
					t.Errorf("%d rows of %d: got %v, want %v", count, n, got, want)
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
func TestAddRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 131 {
		count := 1 + r.IntN(4)
		rows, want, got := make([]int8, count*n), make([]float32, n), make([]float32, n)
		for i := range rows {
			rows[i] = int8(r.IntN(256) - 128)
		}
		for i := range want {
			want[i] = float32(r.NormFloat64())
		}
		copy(got, want)
		var list []int32
		var weights []float32
		for range r.IntN(6) {
			row, w := r.IntN(count), float32(r.NormFloat64())
			list, weights = append(list, int32(row)), append(weights, w)
			for i := range want {
				want[i] += float32(w * float32(rows[row*n+i]))
			}
		}
		if AddRows(got, unsigned(rows), list, weights); !slices.Equal(got, want) {
			t.Fatalf("%d components, rows %v: got %v, want %v", n, list, got, want)
		}
	}
}

// BenchmarkAddRows adds 64 rows of a table of 8 MB.
func BenchmarkAddRows(b *testing.B) {
	const n, count = 256, 32 << 10
	r := rand.New(rand.NewPCG(5, 6))
	dst, rows, list, weights := make([]float32, n), make([]byte, count*n), make([]int32, 64), make([]float32, 64)
	for b.Loop() {
		for i := range list {
			list[i], weights[i] = int32(r.IntN(count)), .5
		}
		AddRows(dst, rows, list, weights)
	}
}

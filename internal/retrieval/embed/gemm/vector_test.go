package gemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// lengths are around the 8 numbers that kernels take at a time.
func lengths() []int { return []int{1, 3, 7, 8, 9, 15, 16, 17, 24, 100, 384, 391} }

func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tolerance*max(1, math.Abs(w))) {
			t.Fatalf("%s, %d numbers, at %d: got %g, want %g", what, len(got), i, got[i], w)
		}
	}
}

func TestGELU(t *testing.T) {
	t.Parallel()
	kernels(t, func(t *testing.T, k gemm.Kernel) {
		x := make([]float32, 40003)
		for i := range x {
			x[i] = float32(i-20000) / 1600
		}
		x = append(x, -1e30, 1e30, -100, 100, 0)
		want := make([]float64, len(x))
		for i, v := range x {
			want[i] = float64(v) * 0.5 * math.Erfc(-float64(v)/math.Sqrt2)
		}
		k.GELU(x)
		near(t, "gelu", x, want, 1e-6)
		k.GELU(nil)
	})
}

func TestSiLU(t *testing.T) {
	t.Parallel()
	kernels(t, func(t *testing.T, k gemm.Kernel) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, n := range append(lengths(), 0) {
			x, gate := numbers(r, n), numbers(r, n)
			for i := range gate {
				gate[i] *= 20
			}
			want := make([]float64, n)
			for i := range x {
				want[i] = float64(x[i]) * float64(gate[i]) / (1 + math.Exp(-float64(gate[i])))
			}
			k.SiLU(x, gate)
			near(t, "silu", x, want, 1e-6)
		}
	})
}

func TestSoftmax(t *testing.T) {
	t.Parallel()
	kernels(t, func(t *testing.T, k gemm.Kernel) {
		r := rand.New(rand.NewPCG(7, 8))
		for _, n := range lengths() {
			for _, rest := range []int{0, 1, 5, 8, 13} {
				for _, size := range []float32{1, 30, 3000} {
					x := numbers(r, n+rest)
					want, sum, high := make([]float64, n+rest), 0.0, math.Inf(-1)
					for i := range n {
						x[i] *= size
						high = max(high, float64(x[i]))
					}
					for i := range n {
						want[i] = math.Exp((float64(x[i]) - high) * 0.125)
						sum += want[i]
					}
					for i := range want {
						want[i] /= sum
					}
					k.Softmax(x, n, 0.125)
					near(t, fmt.Sprintf("softmax of %d", n), x, want, 1e-5)
				}
			}
		}
	})
}

func TestLayerNorm(t *testing.T) {
	t.Parallel()
	kernels(t, func(t *testing.T, k gemm.Kernel) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, n := range lengths()[1:] {
			x, gamma, beta := numbers(r, n), numbers(r, n), numbers(r, n)
			mean, variance := 0.0, 0.0
			for i := range x {
				x[i] += 10
				mean += float64(x[i]) / float64(n)
			}
			for _, v := range x {
				variance += (float64(v) - mean) * (float64(v) - mean) / float64(n)
			}
			want := make([]float64, n)
			for i, v := range x {
				want[i] = (float64(v)-mean)/math.Sqrt(variance+1e-12)*float64(gamma[i]) + float64(beta[i])
			}
			k.LayerNorm(x, gamma, beta, 1e-12)
			near(t, "norm", x, want, 2e-5)
		}
		k.LayerNorm(nil, nil, nil, 1)
	})
}

func BenchmarkVector(b *testing.B) {
	for _, k := range gemm.Available() {
		r := rand.New(rand.NewPCG(1, 2))
		x, y, z := numbers(r, 1536), numbers(r, 1536), numbers(r, 1536)
		for _, c := range []struct {
			name string
			run  func()
		}{
			{"gelu", func() { k.GELU(x) }},
			{"silu", func() { k.SiLU(x, y) }},
			{"softmax", func() { k.Softmax(x, len(x), 1) }},
			{"norm", func() { k.LayerNorm(x, y, z, 1e-12) }},
		} {
			b.Run(k.String()+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					c.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/number")
			})
		}
	}
}

package gemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// tolerance is how far a result may be from the exact one, in parts of the
// largest term that a kernel adds up.
const tolerance = 1e-5

func numbers(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func kernels(t *testing.T, f func(t *testing.T, k gemm.Kernel)) {
	t.Helper()
	for _, k := range gemm.Available() {
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			f(t, k)
		})
	}
}

func TestAddProduct(t *testing.T) {
	t.Parallel()
	kernels(t, func(t *testing.T, k gemm.Kernel) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := 1; n <= 27; n++ {
			for _, size := range [][2]int{{1, 1}, {3, 7}, {8, 8}, {17, 33}, {32, 16}, {5, 64}, {385, 31}, {64, 100}} {
				checkProduct(t, k, r, n, size[0], size[1])
			}
		}
		checkProduct(t, k, r, 241, 1537, 48)
		checkProduct(t, k, r, 500, 100, 20)
	})
}

// checkProduct compares with a plain triple loop in float64, from both ways of
// packing, and looks that nothing outside of the result is written.
func checkProduct(t *testing.T, k gemm.Kernel, r *rand.Rand, n, rows, cols int) {
	t.Helper()
	lda, ldb, ldc := rows+r.IntN(3), cols+r.IntN(3), cols+r.IntN(3)
	a, b, c := numbers(r, n*lda), numbers(r, rows*ldb), numbers(r, n*ldc+5)
	bt := make([]float32, cols*rows)
	for i := range rows {
		for j := range cols {
			bt[j*rows+i] = b[i*ldb+j]
		}
	}
	var m, mt gemm.Matrix
	m.Pack(k, numbers(r, 3*71), 3, 71, 71)
	m.Pack(k, b, rows, cols, ldb)
	mt.PackTransposed(k, bt, rows, cols, rows)
	for name, m := range map[string]*gemm.Matrix{"packed": &m, "transposed": &mt} {
		got := append([]float32(nil), c...)
		m.AddProduct(got, ldc, a, lda, n)
		for i := range c {
			y, x := i/ldc, i%ldc
			want := float64(c[i])
			if y < n && x < cols {
				for p := range rows {
					want += float64(a[y*lda+p]) * float64(b[p*ldb+x])
				}
			} else if got[i] != c[i] {
				t.Fatalf("%s %dx%dx%d: number %d outside of the result has changed", name, n, rows, cols, i)
			}
			if d := math.Abs(float64(got[i]) - want); !(d <= tolerance*math.Sqrt(float64(rows+1))) {
				t.Fatalf("%s %dx%dx%d at %d,%d: got %g, want %g", name, n, rows, cols, y, x, got[i], want)
			}
		}
	}
}

func TestAddProduct_nothing(t *testing.T) {
	t.Parallel()
	var m gemm.Matrix
	m.Pack(gemm.Best(), nil, 0, 0, 0)
	m.AddProduct(nil, 0, nil, 0, 0)
}

func TestAddProduct_short_slice_panics(t *testing.T) {
	t.Parallel()
	var m gemm.Matrix
	m.Pack(gemm.Best(), make([]float32, 64), 8, 8, 8)
	defer func() {
		if recover() == nil {
			t.Error("no panic for a result of 15 numbers where 16 are needed")
		}
	}()
	m.AddProduct(make([]float32, 15), 8, make([]float32, 16), 8, 2)
}

func BenchmarkAddProduct(b *testing.B) {
	for _, k := range gemm.Available() {
		for _, s := range [][3]int{{128, 384, 384}, {128, 384, 1536}, {128, 1536, 384}, {32, 384, 1536}, {8, 384, 1536}, {512, 768, 768}} {
			b.Run(fmt.Sprintf("%s/%dx%dx%d", k, s[0], s[1], s[2]), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				a, c := numbers(r, s[0]*s[1]), numbers(r, s[0]*s[2])
				var m gemm.Matrix
				m.Pack(k, numbers(r, s[1]*s[2]), s[1], s[2], s[2])
				for b.Loop() {
					m.AddProduct(c, s[2], a, s[1], s[0])
				}
				flop := 2 * float64(s[0]) * float64(s[1]) * float64(s[2])
				b.ReportMetric(flop*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}

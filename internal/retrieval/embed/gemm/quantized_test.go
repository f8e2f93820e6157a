package gemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// quantized is a matrix as [gemm.Matrix.SetQuantized] takes it.
type quantized struct {
	codes      []byte
	scales     []float32
	rows, cols int
}

func randomQuantized(r *rand.Rand, rows, cols int) quantized {
	codes, scales := gemm.QuantizedSize(rows, cols)
	q := quantized{make([]byte, codes), make([]float32, scales), rows, cols}
	for i := range q.codes {
		q.codes[i] = byte(r.Uint32())
	}
	for i := range q.scales {
		q.scales[i] = float32(r.NormFloat64()) / 128
	}
	return q
}

// at returns the number in a row and column.
func (q *quantized) at(row, col int) float64 {
	groups := (q.rows + gemm.CodeRows - 1) / gemm.CodeRows
	panel := q.codes[col/gemm.CodeColumns*groups*gemm.CodeRows*gemm.CodeColumns:]
	group := panel[row/gemm.CodeRows*gemm.CodeRows*gemm.CodeColumns:]
	return (float64(group[col%gemm.CodeColumns*gemm.CodeRows+row%gemm.CodeRows]) - 128) * float64(q.scales[col])
}

func (q *quantized) matrix(k gemm.Kernel) *gemm.Matrix {
	m := new(gemm.Matrix)
	m.SetQuantized(k, q.codes, q.scales, q.rows, q.cols)
	return m
}

func TestSetQuantized(t *testing.T) {
	t.Parallel()
	kernels(t, func(t *testing.T, k gemm.Kernel) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := 1; n <= 27; n++ {
			for _, size := range [][2]int{{1, 1}, {3, 7}, {8, 8}, {17, 33}, {128, 32}, {129, 31}, {64, 100}, {130, 64}, {5, 96}, {16, 32}, {528, 64}, {1040, 40}} {
				checkQuantized(t, k, r, n, size[0], size[1])
			}
		}
		checkQuantized(t, k, r, 241, 513, 48)
		checkQuantized(t, k, r, 241, 513, 64)
	})
}

// rounding bounds what a kernel adds to the tolerance of a product of a row and a column, because it rounds the row:
// [gemm.VNNI] each number by at most half of the largest one's part of 32,639.
func rounding(k gemm.Kernel, row []float32, q *quantized, col int) float64 {
	if k != gemm.VNNI {
		return 0
	}
	most, sum := 0.0, 0.0
	for p, x := range row {
		most, sum = max(most, math.Abs(float64(x))), sum+math.Abs(q.at(p, col))
	}
	return sum * most / (2 * 32639)
}

// checkQuantized compares with a plain triple loop in float64, and checks that nothing
// outside of the result is written.
func checkQuantized(t *testing.T, k gemm.Kernel, r *rand.Rand, n, rows, cols int) {
	t.Helper()
	lda, ldc := rows+r.IntN(3), cols+r.IntN(3)
	q, a, c := randomQuantized(r, rows, cols), numbers(r, n*lda), numbers(r, n*ldc+5)
	m, got := q.matrix(k), append([]float32(nil), c...)
	for from := 0; from < cols; from += 2 * m.Width() {
		m.AddColumns(got, ldc, a, lda, n, from, min(from+2*m.Width(), cols))
	}
	for i := range c {
		y, x := i/ldc, i%ldc
		want, off := float64(c[i]), tolerance*math.Sqrt(float64(rows+1))
		if y < n && x < cols {
			for p := range rows {
				want += float64(a[y*lda+p]) * q.at(p, x)
			}
			off += rounding(k, a[y*lda:][:rows], &q, x)
		} else if got[i] != c[i] {
			t.Fatalf("%dx%dx%d: number %d outside of the result has changed", n, rows, cols, i)
		}
		if d := math.Abs(float64(got[i]) - want); !(d <= off) {
			t.Fatalf("%dx%dx%d at %d,%d: got %g, want %g", n, rows, cols, y, x, got[i], want)
		}
	}
}

// The numbers of a row are the same whatever other rows are multiplied with it, and nearly
// the same with every kernel.
func TestSetQuantized_kernels_agree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, rows, cols := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(1, 400).Draw(t, "rows"), rapid.IntRange(1, 80).Draw(t, "cols")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		q, a := randomQuantized(r, rows, cols), numbers(r, n*rows)
		want := make([]float32, n*cols)
		q.matrix(gemm.Portable).AddProduct(want, cols, a, rows, n)
		for _, k := range gemm.Available() {
			m, got, one := q.matrix(k), make([]float32, n*cols), make([]float32, cols)
			m.AddProduct(got, cols, a, rows, n)
			for i, w := range want {
				off := tolerance*math.Sqrt(float64(rows+1)) + rounding(k, a[i/cols*rows:][:rows], &q, i%cols)
				if d := math.Abs(float64(got[i] - w)); !(d <= off) {
					t.Fatalf("%s at %d,%d: got %g, portable %g", k, i/cols, i%cols, got[i], w)
				}
			}
			last := n - 1
			m.AddProduct(one, cols, a[last*rows:], rows, 1)
			for i, v := range one {
				if v != got[last*cols+i] {
					t.Fatalf("%s at %d,%d: got %g among %d rows, %g alone", k, last, i, got[last*cols+i], n, v)
				}
			}
		}
	})
}

func TestSetQuantized_wrong_length_panics(t *testing.T) {
	t.Parallel()
	codes, scales := gemm.QuantizedSize(8, 33)
	for _, short := range [][2]int{{1, 0}, {0, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for %d codes and %d scales less than needed", short[0], short[1])
				}
			}()
			new(gemm.Matrix).SetQuantized(gemm.Best(), make([]byte, codes-short[0]), make([]float32, scales-short[1]), 8, 33)
		}()
	}
}

func BenchmarkQuantized(b *testing.B) {
	for _, k := range gemm.Available() {
		for _, s := range [][3]int{{128, 384, 1536}, {128, 1536, 384}, {32, 384, 1536}, {8, 384, 1536}} {
			b.Run(fmt.Sprintf("%s/%dx%dx%d", k, s[0], s[1], s[2]), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				a, c := numbers(r, s[0]*s[1]), numbers(r, s[0]*s[2])
				q := randomQuantized(r, s[1], s[2])
				m := q.matrix(k)
				for b.Loop() {
					m.AddProduct(c, s[2], a, s[1], s[0])
				}
				flop := 2 * float64(s[0]) * float64(s[1]) * float64(s[2])
				b.ReportMetric(flop*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}

// A number that is none, wherever it is in its row, makes the numbers of that row none, and leaves the others.
func TestSetQuantized_not_a_number(t *testing.T) {
	t.Parallel()
	kernels(t, func(t *testing.T, k gemm.Kernel) {
		r := rand.New(rand.NewPCG(5, 6))
		const n, rows, cols = 3, 64, 33
		q := randomQuantized(r, rows, cols)
		for i := range q.codes {
			q.codes[i] |= 1 // none of them is 0
		}
		m := q.matrix(k)
		for at := range rows {
			a, got := numbers(r, n*rows), make([]float32, n*cols)
			a[rows+at] = float32(math.NaN())
			m.AddProduct(got, cols, a, rows, n)
			for i, v := range got {
				if none := v != v; none != (i/cols == 1) {
					t.Fatalf("with none at %d, the result at %d,%d is %g", at, i/cols, i%cols, v)
				}
			}
		}
	})
}

package gemm

import "sync"

const (
	// integerDepth is the number of rows of a panel of codes that are multiplied at a time: 16 KiB,
	// which stay in the first-level cache together with the rows of the left side. It is a multiple of CodeRows.
	integerDepth = 512
	// integerTile is the largest number of rows of the left side that [tileVNNI] takes.
	integerTile = 6
	// integerTerms is what the number of rows of a matrix must be a multiple of.
	integerTerms = 16
	// mostInteger is the largest number of the left side: 127*256 + 127.
	mostInteger = 32639
)

// integers is the left side of a product as integers: each number is a multiple of by of its row, 256*hi +
// lo, both signed bytes. Its memory is used again.
type integers struct {
	// codes are, for each row and each four terms, the four hi and then the four lo.
	codes []byte
	by    []float32
	// less are, for each block of [integerDepth] terms and each row, -128 times the sums of hi and of lo:
	// the instruction multiplies signed bytes by bytes without a sign, which is why the codes of a matrix have
	// 128 added.
	less []int32
}

// keptIntegers are buffers that products use again.
//
//nolint:gochecknoglobals // buffers without a state, for all matrices: each would need its own
var keptIntegers = sync.Pool{New: func() any { return new(integers) }}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// addIntegers is [Matrix.AddColumns] for a matrix of codes, by products of integers: the left side is rounded
// to 16 bits, each row by its largest number. It reports whether the kernel can.
func (m *Matrix) addIntegers(c []float32, ldc int, a []float32, lda, n, from, to int) bool {
	if m.kernel != VNNI || m.rows%integerTerms != 0 {
		return false
	}
	q, _ := keptIntegers.Get().(*integers)
	defer keptIntegers.Put(q)
	for top := 0; top < n; top += height {
		rows := min(height, n-top)
		q.round(a[top*lda:], lda, rows, m.rows)
		b := block{Matrix: m, c: c[top*ldc:], ldc: ldc, n: rows}
		for j := from; j < to; j += CodeColumns { // the panels one after the other, as they lie in memory
			for b.term = 0; b.term < m.rows; b.term += integerDepth {
				b.k = min(integerDepth, m.rows-b.term)
				b.addPanel(q, j, min(to, j+CodeColumns))
			}
		}
	}
	return true
}

// round sets q to n rows of terms numbers, lda apart.
func (q *integers) round(a []float32, lda, n, terms int) {
	blocks := (terms + integerDepth - 1) / integerDepth
	q.codes, q.by, q.less = grown(q.codes, 2*n*terms), grown(q.by, n), grown(q.less, 2*n*blocks)
	for r := range n {
		row := a[r*lda:][:terms]
		largest := magnitudeVNNI(&row[0], terms)
		per := float32(0)
		if q.by[r] = largest / mostInteger; q.by[r] > 0 {
			per = 1 / q.by[r]
		}
		for b := range blocks {
			at := b * integerDepth
			roundVNNI(&q.codes[2*(r*terms+at)], &row[at], min(integerDepth, terms-at), per, &q.less[2*(b*n+r)])
		}
	}
}

// addPanel adds the products with the columns from j to to of a block.
func (b *block) addPanel(q *integers, j, to int) {
	panel := &b.codes[b.code(b.term, j)]
	less := q.less[2*(b.term/integerDepth*b.n):]
	for i := 0; i < b.n; {
		rows := tileRows(b.n-i, integerTile)
		codes, c, ldc := &q.codes[2*(i*b.rows+b.term)], &b.c[i*b.ldc+j], b.ldc
		if to-j == CodeColumns {
			tileVNNI(codes, 2*b.rows, panel, c, ldc, b.k/CodeRows, rows, &less[2*i], &q.by[i], &b.scales[j])
		} else {
			var tile [integerTile * CodeColumns]float32
			tileVNNI(codes, 2*b.rows, panel, &tile[0], CodeColumns, b.k/CodeRows, rows, &less[2*i], &q.by[i], &b.scales[j])
			for r := range rows {
				for x, v := range tile[r*CodeColumns:][:to-j] {
					b.c[(i+r)*ldc+j+x] += v
				}
			}
		}
		i += rows
	}
}

// magnitudeVNNI returns the largest magnitude of n numbers, a positive multiple of 16.
//
//go:noescape
func magnitudeVNNI(x *float32, n int) float32

// roundVNNI sets dst to n numbers, a positive multiple of 16, times per, as [integers] has them, and less
// to -128 times both sums.
//
//go:noescape
func roundVNNI(dst *byte, x *float32, n int, per float32, less *int32)

// tileVNNI adds to rows, 1 to 6, of 32 numbers of c, ldc apart, the product of as many rows of a, lda bytes apart, and
// steps groups of [CodeRows] rows of a panel. by has the factor of each row, scales of each column, and less is added to the sums.
//
//go:noescape
func tileVNNI(a *byte, lda int, panel *byte, c *float32, ldc, steps, rows int, less *int32, by, scales *float32)

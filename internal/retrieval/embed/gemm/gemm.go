// Package gemm provides the float32 arithmetic of transformer encoders: products
// with packed matrices, softmax, GELU, SiLU and layer normalisation, with vector
// instructions where the processor has them.
//
// It is not a general linear algebra library: it has no column strides, no shapes that
// an encoder does not need, and no threads. The caller divides the rows among goroutines.
//
// Invariant: every [Kernel] gives the same numbers up to rounding (1e-5 of the largest
// term), but that [VNNI] rounds the left side of products with quantized matrices to 16 bits; [Portable] exists everywhere.
package gemm

import (
	"fmt"
	"unsafe"
)

// Kernel is a set of routines for one instruction set. The zero value is
// [Portable]. A kernel may be used only if [Available] lists it.
type Kernel uint8

// The kernels.
const (
	// Portable is plain Go.
	Portable Kernel = iota
	// AVX2 needs AVX2 and FMA of an amd64 processor.
	AVX2
	// AVX512 needs AVX-512 F on top of them.
	AVX512
	// NEON is part of every arm64 processor.
	NEON
	// VNNI is AVX512 with VNNI: products with quantized matrices are of integers, the left side rounded to 16
	// bits.
	VNNI
)

func (k Kernel) String() string {
	switch k {
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	case NEON:
		return "neon"
	case VNNI:
		return "vnni"
	default:
		return "portable"
	}
}

// Best returns the fastest kernel that this processor runs.
func Best() Kernel {
	all := Available()
	return all[len(all)-1]
}

// Available returns the kernels that this processor runs, the fastest last.
func Available() []Kernel { return append([]Kernel{Portable}, detect()...) }

// shape returns the largest number of rows, and the number of columns, of a tile: the part
// of a product that the kernel keeps in registers.
func (k Kernel) shape() (rows, cols int) {
	switch k {
	case AVX2:
		return 6, 16
	case AVX512, VNNI:
		return 12, 32
	case NEON:
		return 8, 8
	default:
		return 4, 8
	}
}

const (
	// maxTile bounds rows*cols of every shape.
	maxTile = 12 * 32
	// depth is the number of rows of a panel that are multiplied at a time: 24 KiB of
	// an AVX2 panel, so that it stays in the first-level cache.
	depth = 384
	// height is the number of rows of the left side that are multiplied at a time, so
	// that they stay in the second-level cache: 240 rows of depth are 360 KiB.
	height = 240
)

// Matrix is the right side of a product, packed in the order in which a kernel reads it:
// in panels of some columns, each row by row, the last one padded with zeros. It is safe
// for concurrent use, except for packing. See [Matrix.SetQuantized] for one of 8-bit
// integers.
type Matrix struct {
	kernel     Kernel
	rows, cols int
	panels     []float32
	codes      []byte // of a quantized matrix, which has no panels
	scales     []float32
}

// Dims returns the number of rows and of columns.
func (m *Matrix) Dims() (rows, cols int) { return m.rows, m.cols }

// Width returns the number of columns of a panel; the last may have fewer.
func (m *Matrix) Width() int {
	_, width := m.kernel.shape()
	return width
}

// Pack sets m to the matrix b of rows times cols numbers, whose rows are stride numbers
// apart. The memory of m is reused.
func (m *Matrix) Pack(k Kernel, b []float32, rows, cols, stride int) {
	m.reset(k, rows, cols)
	_, width := k.shape()
	at := 0
	for from := 0; from < cols; from += width {
		n := min(width, cols-from)
		for r := range rows {
			row := m.panels[at : at+width]
			copy(row, b[r*stride+from:][:n])
			clear(row[n:])
			at += width
		}
	}
}

// PackTransposed sets m to the transpose of b, so that m has rows times cols numbers and
// b has cols rows: the weights of a linear layer are stored so. The memory of m is reused.
func (m *Matrix) PackTransposed(k Kernel, b []float32, rows, cols, stride int) {
	m.reset(k, rows, cols)
	_, width := k.shape()
	for from := 0; from < cols; from += width {
		panel := m.panels[from*rows:][:rows*width]
		n := min(width, cols-from)
		if n < width {
			clear(panel)
		}
		for c := range n {
			for r, x := range b[(from+c)*stride:][:rows] {
				panel[r*width+c] = x
			}
		}
	}
}

func (m *Matrix) reset(k Kernel, rows, cols int) {
	_, width := k.shape()
	n := (cols + width - 1) / width * width * rows
	if cap(m.panels) < n {
		m.panels = make([]float32, n)
	}
	m.kernel, m.rows, m.cols, m.panels = k, rows, cols, m.panels[:n]
	m.codes, m.scales = nil, nil
}

// AddProduct adds a·m to c, where a has n rows of m's number of rows, and c has n rows of
// m's number of columns. Rows are lda and ldc numbers apart. c must not overlap a or m. It
// panics if a slice is too short. Cost: 2*n*rows*cols operations, 70 to 100 a nanosecond
// on one core with AVX2.
func (m *Matrix) AddProduct(c []float32, ldc int, a []float32, lda, n int) {
	m.AddColumns(c, ldc, a, lda, n, 0, m.cols)
}

// AddColumns is [Matrix.AddProduct] for the columns between from, a multiple of Width, and
// to. Calls for different columns of one product may run concurrently.
func (m *Matrix) AddColumns(c []float32, ldc int, a []float32, lda, n, from, to int) {
	if n == 0 || m.rows == 0 || from >= to {
		return
	}
	if from < 0 || from%m.Width() != 0 || to > m.cols || lda < m.rows || ldc < m.cols || len(a) < (n-1)*lda+m.rows || len(c) < (n-1)*ldc+m.cols {
		panic(fmt.Sprintf("gemm: %d rows %d apart of %d numbers, times %dx%d, to rows %d apart of %d numbers",
			n, lda, len(a), m.rows, m.cols, ldc, len(c)))
	}
	if m.codes != nil && m.addIntegers(c, ldc, a, lda, n, from, to) {
		return
	}
	terms := depth
	if m.codes != nil {
		terms = quantizedDepth
	}
	for top := 0; top < n; top += height {
		for term := 0; term < m.rows; term += terms {
			b := block{
				Matrix: m, term: term, k: min(terms, m.rows-term),
				a: a[top*lda+term:], lda: lda, c: c[top*ldc:], ldc: ldc, n: min(height, n-top),
			}
			if m.codes != nil {
				b.runQuantized(from, to)
			} else {
				b.run(from, to)
			}
		}
	}
}

// block is a part of a product: n rows, and k terms that begin with term.
type block struct {
	*Matrix
	term, k  int
	a, c     []float32
	lda, ldc int
	n        int
}

func (b *block) run(from, to int) {
	_, width := b.kernel.shape()
	for j := from; j < to; j += width {
		b.multiply(b.panels[j*b.rows+b.term*width:], j)
	}
}

// multiply adds the product with the panel that begins with column j.
func (b *block) multiply(panel []float32, j int) {
	most, width := b.kernel.shape()
	full := j+width <= b.cols
	for i := 0; i < b.n; {
		rows := tileRows(b.n-i, most)
		if full {
			b.kernel.tile(&b.a[i*b.lda], b.lda, &panel[0], &b.c[i*b.ldc+j], b.ldc, b.k, rows)
		} else {
			b.edge(panel, i, j, rows)
		}
		i += rows
	}
}

// tileRows returns the number of rows of the next tile: most, or half of what is left if
// that is less than two tiles, because a small tile is slow.
func tileRows(left, most int) int {
	if left <= most {
		return left
	}
	if left < 2*most {
		return (left + 1) / 2
	}
	return most
}

// edge computes a tile that extends beyond the columns of c.
func (b *block) edge(panel []float32, i, j, rows int) {
	var tile [maxTile]float32
	_, width := b.kernel.shape()
	n := b.cols - j
	b.kernel.tile(&b.a[i*b.lda], b.lda, &panel[0], &tile[0], width, b.k, rows)
	for r := range rows {
		to := b.c[(i+r)*b.ldc+j:][:n]
		for x, v := range tile[r*width:][:n] {
			to[x] += v
		}
	}
}

// at returns the n numbers at p+i.
func at(p *float32, i, n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(p), i*4)), n)
}

// tilePortable adds to rows of 8 numbers of c, ldc apart, the product of rows of
// k numbers of a, lda apart, and k rows of 8 numbers of b.
func tilePortable(a *float32, lda int, b, c *float32, ldc, k, rows int) {
	for r := range rows {
		left, sum := at(a, r*lda, k), (*[8]float32)(at(c, r*ldc, 8))
		s := *sum
		right := at(b, 0, 8*k)
		for _, x := range left {
			row := (*[8]float32)(right)
			right = right[8:]
			s[0] += x * row[0]
			s[1] += x * row[1]
			s[2] += x * row[2]
			s[3] += x * row[3]
			s[4] += x * row[4]
			s[5] += x * row[5]
			s[6] += x * row[6]
			s[7] += x * row[7]
		}
		*sum = s
	}
}

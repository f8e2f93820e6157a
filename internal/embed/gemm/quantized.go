package gemm

import (
	"fmt"
	"unsafe"
)

const (
	// CodeColumns is the number of columns in a panel of codes: the width of the widest
	// kernel, and a multiple of that of every other.
	CodeColumns = 32
	// quantizedDepth is the number of rows of a panel of codes that are converted to
	// float32 at a time: 16 KiB for the widest kernel, which stay in the first-level cache
	// together with the rows of the left side.
	quantizedDepth = 128
)

// QuantizedSize returns the number of codes and of scales of a matrix for
// [Matrix.SetQuantized].
func QuantizedSize(rows, cols int) (codes, scales int) {
	cols = (cols + CodeColumns - 1) / CodeColumns * CodeColumns
	return rows * cols, cols
}

// SetQuantized sets m to a matrix of rows times cols numbers, of which each is a code, an
// 8-bit signed integer, times the scale of its column. The codes are in panels of
// [CodeColumns] columns, each row by row, the last panel padded; scales has a number for
// each column of the panels. m keeps both slices, which nobody may change, and converts codes to
// float32 as it multiplies: a product reads a quarter of the memory, and its other operations are
// those of a float32 matrix. It panics if the slices have not the lengths of [QuantizedSize].
func (m *Matrix) SetQuantized(k Kernel, codes []byte, scales []float32, rows, cols int) {
	if c, s := QuantizedSize(rows, cols); len(codes) != c || len(scales) != s {
		panic(fmt.Sprintf("gemm: %d codes and %d scales for %dx%d, want %d and %d", len(codes), len(scales), rows, cols, c, s))
	}
	*m = Matrix{kernel: k, rows: rows, cols: cols, codes: codes, scales: scales}
}

// SetQuantizedRows is [Matrix.SetQuantized] for codes that are not in panels, but row by row. cols must
// be a multiple of [CodeColumns]. It panics if it is not, or unless there are rows*cols codes and cols
// scales.
func (m *Matrix) SetQuantizedRows(k Kernel, codes []byte, scales []float32, rows, cols int) {
	if cols%CodeColumns != 0 || len(codes) != rows*cols || len(scales) != cols {
		panic(fmt.Sprintf("gemm: %d codes and %d scales for rows of %dx%d", len(codes), len(scales), rows, cols))
	}
	*m = Matrix{kernel: k, rows: rows, cols: cols, codes: codes, scales: scales, byRow: true}
}

// code returns the index of the code in a row and column, and how far apart the codes of a column are.
func (m *Matrix) code(row, col int) (at, stride int) {
	if m.byRow {
		return row*m.cols + col, m.cols
	}
	return (col/CodeColumns*m.rows+row)*CodeColumns + col%CodeColumns, CodeColumns
}

func (b *block) runQuantized(from, to int) {
	var panel [quantizedDepth * CodeColumns]float32
	_, width := b.kernel.shape()
	for j := from; j < to; j += width {
		at, stride := b.code(b.term, j)
		b.kernel.dequantize(&panel[0], &b.codes[at], stride, &b.scales[j], b.k)
		b.multiply(panel[:], j)
	}
}

// dequantizePortable sets rows of 8 numbers of dst to as many codes, stride apart, times the
// scales.
func dequantizePortable(dst *float32, codes *byte, stride int, scales *float32, rows int) {
	by := (*[8]float32)(at(scales, 0, 8))
	from := unsafe.Slice(codes, (rows-1)*stride+8)
	to := at(dst, 0, 8*rows)
	for r := range rows {
		row, out := (*[8]byte)(from[r*stride:]), (*[8]float32)(to[8*r:])
		for i, c := range row {
			out[i] = float32(int8(c)) * by[i]
		}
	}
}

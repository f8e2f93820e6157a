package gemm

import (
	"fmt"
	"unsafe"
)

const (
	// CodeColumns is the number of columns in a panel of codes: the width of the widest
	// kernel, and a multiple of that of every other.
	CodeColumns = 32
	// CodeRows is the number of rows whose codes of a column are together: what an instruction of
	// [VNNI] multiplies.
	CodeRows = 4
	// quantizedDepth is the number of rows of a panel of codes that are converted to
	// float32 at a time: 16 KiB for the widest kernel, which stay in the first-level cache
	// together with the rows of the left side. It is a multiple of CodeRows.
	quantizedDepth = 128
)

// QuantizedSize returns the number of codes and of scales of a matrix for
// [Matrix.SetQuantized].
func QuantizedSize(rows, cols int) (codes, scales int) {
	rows = (rows + CodeRows - 1) / CodeRows * CodeRows
	cols = (cols + CodeColumns - 1) / CodeColumns * CodeColumns
	return rows * cols, cols
}

// SetQuantized sets m to a matrix of rows times cols numbers, of which each is a code, an
// 8-bit signed integer, times the scale of its column. The codes have 128 added. They are in panels of
// [CodeColumns] columns, of which each has for every [CodeRows] rows the codes of the first column, those of the second
// and so on; rows and the last panel are padded. scales has a number for
// each column of the panels. m keeps both slices, which nobody may change, and converts codes to
// float32 as it multiplies: a product reads a quarter of the memory, and its other operations are
// those of a float32 matrix. It panics if the slices have not the lengths of [QuantizedSize].
func (m *Matrix) SetQuantized(k Kernel, codes []byte, scales []float32, rows, cols int) {
	if c, s := QuantizedSize(rows, cols); len(codes) != c || len(scales) != s {
		panic(fmt.Sprintf("gemm: %d codes and %d scales for %dx%d, want %d and %d", len(codes), len(scales), rows, cols, c, s))
	}
	*m = Matrix{kernel: k, rows: rows, cols: cols, codes: codes, scales: scales}
}

// code returns the index of the code in a row, a multiple of [CodeRows], and a column.
func (m *Matrix) code(row, col int) int {
	groups := (m.rows + CodeRows - 1) / CodeRows
	return ((col/CodeColumns*groups+row/CodeRows)*CodeColumns + col%CodeColumns) * CodeRows
}

func (b *block) runQuantized(from, to int) {
	var panel [quantizedDepth * CodeColumns]float32
	_, width := b.kernel.shape()
	ahead := b.code(0, CodeColumns)
	for j := from; j < to; j += width {
		b.kernel.dequantize(&panel[0], &b.codes[b.code(b.term, j)], &b.scales[j], (b.k+CodeRows-1)/CodeRows, ahead)
		b.multiply(panel[:], j)
	}
}

// dequantizePortable sets groups of [CodeRows] rows of 8 numbers of dst to as many codes of a panel times the
// scales.
func dequantizePortable(dst *float32, codes *byte, scales *float32, groups int) {
	by := (*[8]float32)(at(scales, 0, 8))
	from := unsafe.Slice(codes, (groups-1)*CodeRows*CodeColumns+CodeRows*8)
	to := at(dst, 0, 8*CodeRows*groups)
	for g := range groups {
		group, out := (*[CodeRows * 8]byte)(from[g*CodeRows*CodeColumns:]), (*[CodeRows * 8]float32)(to[8*CodeRows*g:])
		for i, scale := range by {
			out[i] = float32(int(group[CodeRows*i])-128) * scale
			out[8+i] = float32(int(group[CodeRows*i+1])-128) * scale
			out[16+i] = float32(int(group[CodeRows*i+2])-128) * scale
			out[24+i] = float32(int(group[CodeRows*i+3])-128) * scale
		}
	}
}

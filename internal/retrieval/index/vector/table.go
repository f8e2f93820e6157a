package vector

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/hippo-memory/hippo"
)

// chunkRows is how many rows are allocated at a time.
const chunkRows = 1 << 10

// Table is a list of vectors that grows at its end. Rows never change and never
// move: one goroutine may append while others read the rows of a copy of the
// struct that they took before. The zero Table is empty and of no dimension.
type Table struct {
	dim, stride int
	// The first rows lie in one piece, perhaps in a mapped file.
	hi, lo []int8
	scales []byte // float32, little-endian
	first  int    // rows that the piece has room for
	chunks []*chunk
	n      int
}

// chunk is room for some more rows.
type chunk struct {
	hi, lo []int8
	scales []float32
}

// New returns an empty table for vectors of this dimension, 1 to [MaxDimension].
func New(dim int) *Table { return &Table{dim: dim, stride: padded(dim)} }

// NewSized returns an empty table with room for some rows in one piece. Further rows are
// allocated by the chunk.
func NewSized(dim, rows int) *Table {
	t := New(dim)
	t.first = rows
	t.hi, t.lo, t.scales = make([]int8, rows*t.stride), make([]int8, rows*t.stride), make([]byte, 4*rows)
	return t
}

// Open returns a table over planes as [Table.Planes] returns them, without copying
// or reading them. The error is [hippo.ErrCorrupt] if the lengths do not fit.
func Open(dim, rows int, hi, lo, scales []byte) (*Table, error) {
	if dim < 1 || dim > MaxDimension || rows < 0 {
		return nil, fmt.Errorf("%w: vectors: %d rows of dimension %d", hippo.ErrCorrupt, rows, dim)
	}
	t := New(dim)
	if len(hi) != rows*t.stride || len(lo) != rows*t.stride || len(scales) != 4*rows {
		return nil, fmt.Errorf("%w: vectors: planes of %d, %d and %d bytes for %d rows of dimension %d",
			hippo.ErrCorrupt, len(hi), len(lo), len(scales), rows, dim)
	}
	t.hi, t.lo, t.scales, t.first, t.n = signed(hi), signed(lo), scales, rows, rows
	return t, nil
}

// signed returns the same bytes as signed numbers.
func signed(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

// Dots sets dst to the inner products of rows and q, all of signed bytes. Rows lie
// one after the other, each as long as q, which is a multiple of [Lane].
func Dots(dst []int32, rows, q []byte) { dots(dst, signed(rows), signed(q)) }

// AddRows adds rows of a table to dst: weights[i] times each component of row list[i]. Rows are as long
// as dst and of signed bytes. Each product and each sum is rounded, in the order of the list, so the
// result is the same, bit by bit, on every processor. Cost: about 20 ns a row of 256 components with AVX2.
func AddRows(dst []float32, rows []byte, list []int32, weights []float32) {
	addRows(dst, signed(rows), list, weights)
}

func unsigned(b []int8) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

// Whole reports whether all rows lie in one piece.
func (t *Table) Whole() bool { return t.n <= t.first }

// Len returns the number of rows.
func (t *Table) Len() int { return t.n }

// Dim returns the dimension of the vectors.
func (t *Table) Dim() int { return t.dim }

// Append adds a vector and returns its row.
func (t *Table) Append(v []float32) uint32 {
	if len(v) != t.dim {
		panic("vector: a vector of another dimension")
	}
	hi, lo := nextRow(t)
	return added(t, quantize(hi, lo, v))
}

// AppendCode adds a vector of the table's dimension and returns its row.
func (t *Table) AppendCode(c Code) uint32 {
	if len(c.Hi) != t.stride || len(c.Lo) != t.stride {
		panic("vector: a code of another dimension")
	}
	hi, lo := nextRow(t)
	copy(hi, c.Hi)
	copy(lo, c.Lo)
	return added(t, c.Scale)
}

// nextRow returns the planes of the row that is added next. Their padding is zeros.
func nextRow(t *Table) (hi, lo []int8) {
	if t.n < t.first {
		from := t.n * t.stride
		return t.hi[from:][:t.stride], t.lo[from:][:t.stride]
	}
	i := t.n - t.first
	if i/chunkRows == len(t.chunks) {
		t.chunks = append(t.chunks, &chunk{
			hi: make([]int8, chunkRows*t.stride), lo: make([]int8, chunkRows*t.stride), scales: make([]float32, chunkRows),
		})
	}
	k, from := t.chunks[i/chunkRows], i%chunkRows*t.stride
	return k.hi[from:][:t.stride], k.lo[from:][:t.stride]
}

// added completes the row that [nextRow] returned, and returns its number.
func added(t *Table, scale float32) uint32 {
	if t.n < t.first {
		binary.LittleEndian.PutUint32(t.scales[4*t.n:], math.Float32bits(scale))
	} else {
		i := t.n - t.first
		t.chunks[i/chunkRows].scales[i%chunkRows] = scale
	}
	t.n++
	return uint32(t.n - 1)
}

// At returns a row. Its planes are those of the table: the caller must not change
// them.
func (t *Table) At(row uint32) Code {
	i := int(row)
	if i < t.first {
		from, to := i*t.stride, (i+1)*t.stride
		return Code{Hi: t.hi[from:to:to], Lo: t.lo[from:to:to], Scale: t.scale(i)}
	}
	i -= t.first
	k := t.chunks[i/chunkRows]
	from := i % chunkRows * t.stride
	to := from + t.stride
	return Code{Hi: k.hi[from:to:to], Lo: k.lo[from:to:to], Scale: k.scales[i%chunkRows]}
}

func (t *Table) scale(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(t.scales[4*i:]))
}

// Planes returns the bytes of the rows of a table that lies in one piece, see
// [Table.Whole]: the upper halves, the lower halves, padded, and the scales, float32,
// little-endian.
func (t *Table) Planes() (hi, lo, scales []byte) {
	n := t.n * t.stride
	return unsigned(t.hi[:n]), unsigned(t.lo[:n]), t.scales[:4*t.n]
}

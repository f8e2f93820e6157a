package static

import (
	"math"
	"slices"

	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/vector"
)

// Table implements [embed.Pieces]: the ID of the model.
func (m *Model) Table() string { return m.file.head.ID }

// Pieces implements [embed.Pieces]. Cost: about 50 ns a word.
func (m *Model) Pieces(dst []int32, text string) []int32 { return m.pieces.Encode(dst, text) }

// Weight implements [embed.Pieces]: the length of the vector times what it counts.
func (m *Model) Weight(piece int32) float64 {
	if !m.has(piece) {
		return 0
	}
	return m.norm(piece) * float64(m.file.weight(piece, embed.Query))
}

// has reports whether a number is that of a piece.
func (m *Model) has(piece int32) bool { return piece >= 0 && int(piece) < m.file.head.Pieces }

// interaction implements [embed.Interaction].
type interaction struct {
	model   *Model
	stride  int
	rows    []byte // of the query's pieces, padded
	norms   []float64
	place   []uint16 // by piece of a text: its place in cosines plus 1; 0: not compared yet
	placed  []int32  // the pieces that have a place, in that order
	cosines []float32
	row     []byte
	dots    []int32
	fetched byte // so that fetch is not left out
}

// Interact implements [embed.Pieces]. Cost: about 20 ns a piece; its memory, two bytes
// for each piece of the table, is used again.
func (m *Model) Interact(pieces []int32) embed.Interaction {
	x, ok := m.idle.Get().(*interaction)
	if !ok {
		stride := (m.file.head.Dimension + vector.Lane - 1) / vector.Lane * vector.Lane
		x = &interaction{model: m, stride: stride, row: make([]byte, stride), place: make([]uint16, m.file.head.Pieces)}
	}
	n := len(pieces)
	x.rows = resized(x.rows, x.stride*n)
	x.norms, x.dots = resized(x.norms, n), resized(x.dots, n)
	for i, p := range pieces {
		if m.has(p) {
			copy(x.rows[i*x.stride:], m.file.row(p))
			x.norms[i] = m.norm(p)
		}
	}
	return x
}

// resized returns n zeros, in the memory of a list if it suffices.
func resized[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// Close implements [embed.Interaction].
func (x *interaction) Close() {
	for _, p := range x.placed {
		x.place[p] = 0
	}
	x.placed, x.cosines = x.placed[:0], x.cosines[:0]
	x.model.idle.Put(x)
}

// Best implements [embed.Interaction]. Cost: some 10 ns a piece of the text, and
// 5 ns for each pair of pieces that were not compared before.
func (x *interaction) Best(dst []float32, text []int32) {
	n := len(x.dots)
	if n == 0 {
		return
	}
	x.fetch(text)
	for _, p := range text {
		if !x.model.has(p) {
			continue
		}
		if x.place[p] == 0 {
			x.compare(p)
		}
		at := (int(x.place[p]) - 1) * n
		for i, c := range x.cosines[at : at+n] {
			if c > dst[i] {
				dst[i] = c
			}
		}
	}
}

// line is how many bytes a processor reads at a time.
const line = 64

// fetch reads a byte of each line of the rows that are about to be compared: the
// processor waits for many lines at a time here, and for one after the other there.
func (x *interaction) fetch(text []int32) {
	sum := byte(0)
	for _, p := range text {
		if !x.model.has(p) || x.place[p] != 0 {
			continue
		}
		row := x.model.file.row(p)
		for i := 0; i < len(row); i += line {
			sum += row[i]
		}
	}
	x.fetched = sum
}

// compare appends the cosines of a piece with those of the query.
func (x *interaction) compare(piece int32) {
	row := x.model.file.row(piece)
	if len(row) < x.stride {
		copy(x.row, row)
		row = x.row
	}
	vector.Dots(x.dots, x.rows, row)
	n := x.model.norm(piece)
	at := len(x.cosines)
	x.cosines = slices.Grow(x.cosines, len(x.dots))[:at+len(x.dots)]
	for i, d := range x.dots {
		x.cosines[at+i] = 0
		if length := n * x.norms[i]; length > 0 {
			x.cosines[at+i] = float32(float64(d) / length)
		}
	}
	x.placed = append(x.placed, piece)
	x.place[piece] = uint16(len(x.placed))
}

// norm is the length of the row of a piece, in its own units.
func (m *Model) norm(piece int32) float64 {
	known := &m.squares()[piece]
	square := known.Load()
	if square == 0 {
		row := m.file.row(piece)
		whole := len(row) / vector.Lane * vector.Lane
		var sum [1]int32
		vector.Dots(sum[:], row[:whole], row[:whole])
		square = sum[0]
		for _, q := range row[whole:] {
			square += int32(int8(q)) * int32(int8(q))
		}
		known.Store(square)
	}
	return math.Sqrt(float64(square))
}

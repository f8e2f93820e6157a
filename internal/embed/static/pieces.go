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
	row := m.file.row(piece)
	sum := 0
	for _, q := range row {
		sum += int(int8(q)) * int(int8(q))
	}
	return math.Sqrt(float64(sum)) * float64(m.file.weight(piece, embed.Query))
}

// has reports whether a number is that of a piece.
func (m *Model) has(piece int32) bool { return piece >= 0 && int(piece) < m.file.head.Pieces }

// interaction implements [embed.Interaction].
type interaction struct {
	model   *Model
	stride  int
	rows    []byte // of the query's pieces, padded
	norms   []float64
	place   []uint16  // by piece of a text: its place in cosines plus 1; 0: not compared yet
	cosines []float32 // by place: with each piece of the query
	row     []byte
	dots    []int32
}

// usualPieces is how many different pieces the texts of a search have, about.
const usualPieces = 1024

// Interact implements [embed.Pieces]. Cost: about 20 ns a piece, and two bytes for
// each piece of the table.
func (m *Model) Interact(pieces []int32) embed.Interaction {
	stride := (m.file.head.Dimension + vector.Lane - 1) / vector.Lane * vector.Lane
	x := &interaction{
		model: m, stride: stride, rows: make([]byte, stride*len(pieces)), row: make([]byte, stride),
		dots: make([]int32, len(pieces)), norms: make([]float64, len(pieces)), place: make([]uint16, m.file.head.Pieces),
		cosines: make([]float32, 0, usualPieces*len(pieces)),
	}
	for i, p := range pieces {
		if m.has(p) {
			copy(x.rows[i*stride:], m.file.row(p))
			x.norms[i] = norm(x.rows[i*stride:][:stride])
		}
	}
	return x
}

// Best implements [embed.Interaction]. Cost: some 10 ns a piece of the text, and
// 10 ns for each pair of pieces that were not compared before.
func (x *interaction) Best(dst []float32, text []int32) {
	n := len(x.dots)
	if n == 0 {
		return
	}
	for _, p := range text {
		if !x.model.has(p) {
			continue
		}
		if x.place[p] == 0 {
			x.compare(p)
			x.place[p] = uint16(len(x.cosines) / n)
		}
		at := (int(x.place[p]) - 1) * n
		for i, c := range x.cosines[at : at+n] {
			if c > dst[i] {
				dst[i] = c
			}
		}
	}
}

// compare appends the cosines of a piece with those of the query.
func (x *interaction) compare(piece int32) {
	row := x.model.file.row(piece)
	if len(row) < x.stride {
		copy(x.row, row)
		row = x.row
	}
	vector.Dots(x.dots, x.rows, row)
	n := norm(row)
	at := len(x.cosines)
	x.cosines = slices.Grow(x.cosines, len(x.dots))[:at+len(x.dots)]
	for i, d := range x.dots {
		x.cosines[at+i] = 0
		if length := n * x.norms[i]; length > 0 {
			x.cosines[at+i] = float32(float64(d) / length)
		}
	}
}

// norm is the length of a row, in its own units.
func norm(row []byte) float64 {
	var sum [1]int32
	vector.Dots(sum[:], row, row)
	return math.Sqrt(float64(sum[0]))
}

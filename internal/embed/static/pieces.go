package static

import (
	"math"

	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/vector"
)

// Pieces implements [embed.Pieces]. Cost: about 50 ns a word.
func (m *Model) Pieces(dst []int32, text string) []int32 { return m.pieces.Encode(dst, text) }

// Weight implements [embed.Pieces]: the length of the vector times what it counts.
func (m *Model) Weight(piece int32) float64 {
	row := m.file.row(piece)
	sum := 0
	for _, q := range row {
		sum += int(int8(q)) * int(int8(q))
	}
	return math.Sqrt(float64(sum)) * float64(m.file.weight(piece, embed.Query))
}

// interaction implements [embed.Interaction].
type interaction struct {
	model   *Model
	stride  int
	rows    []byte // of the query's pieces, padded
	norms   []float64
	cosines map[int32][]float32 // by piece of a text: with each piece of the query
	row     []byte
	dots    []int32
}

// Interact implements [embed.Pieces]. Cost: about 20 ns a piece.
func (m *Model) Interact(pieces []int32) embed.Interaction {
	stride := (m.file.head.Dimension + vector.Lane - 1) / vector.Lane * vector.Lane
	x := &interaction{
		model: m, stride: stride, rows: make([]byte, stride*len(pieces)), row: make([]byte, stride),
		dots: make([]int32, len(pieces)), cosines: make(map[int32][]float32),
	}
	for i, p := range pieces {
		copy(x.rows[i*stride:], m.file.row(p))
		x.norms = append(x.norms, norm(x.rows[i*stride:][:stride]))
	}
	return x
}

// Best implements [embed.Interaction]. Cost: some 20 ns a piece of the text, and
// 10 ns for each pair of pieces that were not compared before.
func (x *interaction) Best(dst []float32, text []int32) {
	clear(dst)
	for _, p := range text {
		c, ok := x.cosines[p]
		if !ok {
			c = x.compare(p)
			x.cosines[p] = c
		}
		for i, v := range c {
			dst[i] = max(dst[i], v)
		}
	}
}

// compare returns the cosines of a piece with those of the query.
func (x *interaction) compare(piece int32) []float32 {
	copy(x.row, x.model.file.row(piece))
	vector.Dots(x.dots, x.rows, x.row)
	n := norm(x.row)
	c := make([]float32, len(x.dots))
	for i, d := range x.dots {
		if length := n * x.norms[i]; length > 0 {
			c[i] = float32(float64(d) / length)
		}
	}
	return c
}

// norm is the length of a row, in its own units.
func norm(row []byte) float64 {
	var sum [1]int32
	vector.Dots(sum[:], row, row)
	return math.Sqrt(float64(sum[0]))
}

package static

import (
	"math"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// Vocabulary implements [embed.TokenEmbedder]: the ID of the model.
func (m *Model) Vocabulary() string { return m.file.head.ID }

// Tokenize implements [embed.TokenEmbedder]. Cost: about 50 ns a word.
func (m *Model) Tokenize(dst []int32, text string) []int32 { return m.tokenizer.Encode(dst, text) }

// Weight implements [embed.TokenEmbedder]: the length of the vector times the weight in queries.
func (m *Model) Weight(token int32) float64 {
	if !m.has(token) {
		return 0
	}
	return m.norm(token) * float64(m.file.weight(token, embed.Query))
}

// has reports whether an ID is in the vocabulary.
func (m *Model) has(token int32) bool { return token >= 0 && int(token) < m.file.head.Tokens }

// maxSim implements [embed.MaxSim].
type maxSim struct {
	model   *Model
	stride  int
	rows    []byte // of the query's tokens, padded to stride
	norms   []float64
	slot    []uint16  // by token of a text: its place in cosines plus 1; 0 if not computed
	tokens  []int32   // those with a slot, in that order
	cosines []float32 // of each of them with each token of the query
	row     []byte
	dots    []int32
	touched byte // keeps the compiler from removing prefetch
}

// NewMaxSim implements [embed.TokenEmbedder]. Cost: about 20 ns a token; its memory, two bytes for
// each token of the vocabulary, is reused.
func (m *Model) NewMaxSim(query []int32) embed.MaxSim {
	x := m.kept.Swap(nil)
	if x == nil {
		x, _ = m.pool.Get().(*maxSim)
	}
	if x == nil {
		stride := (m.file.head.Dimension + vector.Lane - 1) / vector.Lane * vector.Lane
		x = &maxSim{model: m, stride: stride, row: make([]byte, stride), slot: make([]uint16, m.file.head.Tokens)}
	}
	n := len(query)
	x.rows = resized(x.rows, x.stride*n)
	x.norms, x.dots = resized(x.norms, n), resized(x.dots, n)
	for i, p := range query {
		if m.has(p) {
			copy(x.rows[i*x.stride:], m.file.row(p))
			x.norms[i] = m.norm(p)
		}
	}
	return x
}

// keptCosines bounds what a model keeps of the memory of a comparison.
const keptCosines = 1 << 15

// resized returns n zeros, in the memory of a list if that is large enough.
func resized[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// Close implements [embed.MaxSim].
func (x *maxSim) Close() {
	for _, t := range x.tokens {
		x.slot[t] = 0
	}
	x.tokens, x.cosines = x.tokens[:0], x.cosines[:0]
	if cap(x.cosines) > keptCosines || !x.model.kept.CompareAndSwap(nil, x) {
		x.model.pool.Put(x)
	}
}

// Update implements [embed.MaxSim]. Cost: some 10 ns a token of the text, and 5 ns for
// each pair of tokens that were not compared before.
func (x *maxSim) Update(dst []float32, text []int32) {
	n := len(x.dots)
	if n == 0 {
		return
	}
	x.prefetch(text)
	for _, t := range text {
		if !x.model.has(t) {
			continue
		}
		if x.slot[t] == 0 {
			x.compare(t)
		}
		at := (int(x.slot[t]) - 1) * n
		for i, c := range x.cosines[at : at+n] {
			if c > dst[i] {
				dst[i] = c
			}
		}
	}
}

// line is the size of a cache line in bytes.
const line = 64

// prefetch reads the length and a byte of each cache line of the rows that are about to be compared, so
// that the processor waits for many lines at once instead of one after the other.
func (x *maxSim) prefetch(text []int32) {
	sum, squares := byte(0), x.model.squares()
	for _, t := range text {
		if !x.model.has(t) || x.slot[t] != 0 {
			continue
		}
		row := x.model.file.row(t)
		sum += byte(squares[t].Load())
		for i := 0; i < len(row); i += line {
			sum += row[i]
		}
	}
	x.touched = sum
}

// compare computes the cosines of a token with those of the query.
func (x *maxSim) compare(token int32) {
	row := x.model.file.row(token)
	if len(row) < x.stride {
		copy(x.row, row)
		row = x.row
	}
	vector.Dots(x.dots, x.rows, row)
	n := x.model.norm(token)
	at := len(x.cosines)
	x.cosines = slices.Grow(x.cosines, len(x.dots))[:at+len(x.dots)]
	for i, d := range x.dots {
		x.cosines[at+i] = 0
		if length := n * x.norms[i]; length > 0 {
			x.cosines[at+i] = float32(float64(d) / length)
		}
	}
	x.tokens = append(x.tokens, token)
	x.slot[token] = uint16(len(x.tokens))
}

// norm returns the length of the row of a token, in its own units.
func (m *Model) norm(token int32) float64 {
	known := &m.squares()[token]
	square := known.Load()
	if square == 0 {
		row := m.file.row(token)
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

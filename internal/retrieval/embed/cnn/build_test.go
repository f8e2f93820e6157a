package cnn_test

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// The shape of the network, as package cnn documents it.
const (
	dimension = 512
	channels  = 256
	features  = dimension + 3*channels
	hidden    = 320
	parts     = 64
)

// pieces are the vocabulary of the small model, by ID.
func pieces() []string {
	return []string{
		"<unk>", "<s>", "</s>", "extra_1", "extra_2", "extra_3", "▁", "s", "▁alpha", "▁beta", "▁alphabet", "a", "l", "p", "h", "b", "e", "t",
		"日", "本", "日本", "é", "▁é", "🚀", ".", "▁s",
	}
}

// smallTiers are the codes of the small model: pieces, and parts by level.
func smallTiers() []map[string]any {
	return []map[string]any{{"pieces": 10, "parts": []int{64, 20}}, {"pieces": len(pieces()), "parts": []int{40, 0}}}
}

// model are the decoded contents of a small file.
type model struct {
	header   map[string]any
	sections [][]byte
	// codes are the vectors of the pieces, in the basis of the codes.
	codes [][]float64
	// numbers and weights are those of the network, the weights with their scales.
	scales, numbers, weights []float64
}

// sectionNames are the sections in their order.
func sectionNames() []string {
	return []string{"pieces", "scores", "charmap", "replacements", "gains", "scales", "books", "codes", "numbers", "weights"}
}

// small returns a model with random numbers, the same for the same seed.
func small(seed uint64) *model {
	r := rand.New(rand.NewPCG(seed, 1))
	m := &model{}
	texts := pieces()
	values := map[string]int{}
	var scores []byte
	for i, p := range texts {
		score := 0.0
		if i > 5 {
			values[p] = i
			score = -2 - float64(i)/8
		}
		scores = appendFloat(scores, score)
	}
	replaced, charmap := []byte{}, map[string]int{}
	for _, pair := range [][2]string{{"\t", " "}, {"\n", " "}, {"É", "é"}, {"e\u0301", "é"}, {"\u200b", ""}, {"ﬁ", "fi"}, {"\uFFFD", " "}, {" ", " "}, {"▁", " "}} {
		charmap[pair[0]] = len(replaced)
		replaced = append(append(replaced, pair[1]...), 0)
	}
	table := m.table(r, len(texts))
	network := m.network(r)
	m.sections = append([][]byte{trie(values), scores, trie(charmap), replaced}, append(table, network...)...)
	m.header = map[string]any{
		"id": "small@1", "space": "small", "units": len(m.sections[0]) / 4, "charmap": len(m.sections[2]) / 4,
		"replacements": len(replaced), "tiers": smallTiers(),
	}
	return m
}

// table sets codes and returns the sections that hold them.
func (m *model) table(r *rand.Rand, n int) [][]byte {
	const width, most = dimension / parts, 64 + 20
	gains, books := randomBytes(r, n), randomBytes(r, most*256*width)
	var scales, codes []byte
	for i := range 256 {
		scales = appendFloat(scales, 0.001*float64(1+i))
	}
	for id := range n {
		row, levels := make([]float64, dimension), []int{64, 20}
		if id >= 10 {
			levels = []int{40}
		}
		for level, count := range levels {
			for part := range count {
				code := byte(r.Uint32())
				codes = append(codes, code)
				for d := range width {
					row[part*width+d] += float64(int8(books[((level*64+part)*256+int(code))*width+d]))
				}
			}
		}
		for d := range row {
			row[d] *= float64(float32(0.001 * float64(1+int(gains[id]))))
		}
		m.codes = append(m.codes, row)
	}
	return [][]byte{gains, scales, books, codes}
}

// shapes are the rows and columns of the matrices, in their order.
func shapes() [][2]int {
	all := [][2]int{{dimension, dimension}, {dimension, channels}, {dimension, channels}, {dimension, channels}}
	for _, order := range []int{2, 3, 5} {
		all = append(all, [2]int{order * channels, channels}, [2]int{order * channels, channels})
	}
	return append(all, [][2]int{
		{features, dimension},
		{dimension, hidden},
		{hidden, hidden},
		{dimension, hidden},
		{hidden, dimension},
		{hidden, dimension},
		{dimension, dimension},
	}...)
}

// The first of [shapes] that is a convolution, and the first of the head.
const (
	convolutionShape = 4
	headShape        = 10
)

// panels returns the codes of a matrix of cols columns, row by row, as [gemm.Matrix.SetQuantized] takes them.
func panels(rows []byte, cols int) []byte {
	var out []byte
	for j := 0; j < cols; j += gemm.CodeColumns {
		for i := 0; i < len(rows)/cols; i += gemm.CodeRows {
			for at := range gemm.CodeRows * gemm.CodeColumns {
				out = append(out, rows[(i+at%gemm.CodeRows)*cols+j+at/gemm.CodeRows]^0x80)
			}
		}
	}
	return out
}

// network sets the numbers of the network and returns the sections that hold them.
func (m *model) network(r *rand.Rand) [][]byte {
	var numbers, weights []byte
	for i, s := range shapes() {
		// Outputs are about as large as inputs.
		scale := float64(float32(1.5 / 73 / math.Sqrt(float64(s[0]))))
		numbers = appendFloat(numbers, scale)
		m.scales = append(m.scales, scale)
		part := randomBytes(r, s[0]*s[1])
		for _, b := range part {
			m.weights = append(m.weights, scale*float64(int8(b)))
		}
		switch {
		case i >= headShape:
			weights = append(weights, part...)
		case i >= convolutionShape:
			for tap := range slices.Chunk(part, channels*channels) {
				weights = append(weights, panels(tap, channels)...)
			}
		default:
			weights = append(weights, panels(part, s[1])...)
		}
	}
	add := func(n int, mean float64) {
		for range n {
			x := float64(float32(mean + 0.3*r.NormFloat64()))
			numbers = appendFloat(numbers, x)
			m.numbers = append(m.numbers, x)
		}
	}
	add(3*channels, 0)
	add(3*channels, 1)
	add(3*channels, 0)
	add(6*channels, 0)
	add(features, 1)
	add(features, 0)
	add(dimension, 0)
	return [][]byte{numbers, weights}
}

func randomBytes(r *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

func appendFloat(b []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
}

const preamble = 20

// bytes returns the file, and where each section begins. The header and its
// checksums are those of m, with changes.
func (m *model) bytes(t testing.TB, changes map[string]any) (data []byte, at map[string]int) {
	t.Helper()
	h := maps.Clone(m.header)
	body := func(from int) []byte {
		var out []byte
		at = make(map[string]int)
		for i, name := range sectionNames() {
			out = append(out, make([]byte, -(from+len(out))&63)...)
			at[name] = from + len(out)
			out = append(out, m.sections[i]...)
		}
		return out
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	const room = 320
	h["checksum"] = crc32.Checksum(body(preamble+room), table)
	maps.Copy(h, changes)
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, strings.Repeat(" ", max(0, room-len(text)))...)
	return append(prepend(text), body(preamble+len(text))...), at
}

// prepend returns a header after its preamble.
func prepend(text []byte) []byte {
	data := binary.LittleEndian.AppendUint32([]byte("HIPPOCNN"), 2)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
	return append(data, text...)
}

// trie returns the units of a double-array trie: the children of the i-th node have the
// i-th block of 256 units.
func trie(values map[string]int) []byte {
	prefixes := map[string]bool{"": true}
	for key := range values {
		for n := range len(key) + 1 {
			prefixes[key[:n]] = true
		}
	}
	nodes := slices.Sorted(maps.Keys(prefixes))
	units := make([]uint32, 256*(len(nodes)+1))
	position := map[string]uint32{"": 0}
	for i, node := range nodes {
		// The parent is before its children, so it has a position.
		children, at := uint32(256*(i+1)), position[node]
		units[at] |= (at ^ children) << 10
		if value, ok := values[node]; ok {
			units[at] |= 1 << 8
			units[children] = uint32(value) | 1<<31
		}
		for c := range 256 {
			if child := node + string([]byte{byte(c)}); c > 0 && prefixes[child] {
				position[child] = children ^ uint32(c)
				units[position[child]] = uint32(c)
			}
		}
	}
	var out []byte
	for _, u := range units {
		out = binary.LittleEndian.AppendUint32(out, u)
	}
	return out
}

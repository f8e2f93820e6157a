// Package static embeds text with a table of token vectors: the vector of a text
// is the weighted sum of the vectors of its pieces. There is no network to run,
// so a sentence takes microseconds, and nothing to load, because the table is
// read where it lies. It refuses a file that is damaged or of another format.
//
// Invariant: the same text gives the same vector, bit by bit, on every processor.
//
// # File
//
// Little-endian; sections begin at multiples of 64:
//
//	"HIPPOVEC"  uint32 version  uint32 n  uint32 CRC-32C of the header  header: n bytes of JSON
//	slots    uint16 each, a power of two of them: 1 + the number of a piece, 0 is empty
//	ends     uint32 each: where the text of a piece ends in texts
//	texts    the pieces, one after the other; those inside a word begin with "##"
//	scales   uint16 each, the upper half of a float32: what one unit of a row is worth
//	weights  uint16 each, likewise: what the row counts in a text to be searched
//	rows     int8, dimension of them for each piece
//
// A piece is in the first free slot at or after its FNV-1a hash (32 bits) modulo
// the number of slots. The last 128 pieces stand for the bytes 0x80 to 0xFF, of
// which words consist that have no other pieces.
package static

import (
	"context"
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/token"
)

// Model is a table of token vectors. It is safe for concurrent use and needs no
// closing. It implements [embed.Embedder].
type Model struct {
	file   file
	pieces *token.WordPiece
	// squares are those of the lengths of the rows, 0: not known yet. Who compares no
	// pieces has no list of them.
	squares func() []atomic.Int32
	idle    sync.Pool // of *interaction
}

// Open reads the model in data, which it keeps and never changes. The error is
// [hippo.ErrCorrupt] or, for a format of another version, [hippo.ErrUnsupported].
// Cost: microseconds; the rows are not touched.
func Open(data []byte) (*Model, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	m := &Model{file: f, squares: sync.OnceValue(func() []atomic.Int32 { return make([]atomic.Int32, f.head.Pieces) })}
	m.pieces = token.NewWordPiece(&m.file, token.Special{First: -1, Last: -1, Pad: -1, Unknown: -1}, &token.WordPieceOptions{
		Lower: true, StripAccents: true, Unknown: m.spell,
	})
	return m, nil
}

// Model implements [embed.Embedder].
func (m *Model) Model() embed.Model {
	return embed.Model{ID: m.file.head.ID, Space: m.file.head.Space, Dimension: m.file.head.Dimension}
}

// Embed implements [embed.Embedder]. The error is that of ctx. Cost: about 15 us
// for 30 words on one core.
func (m *Model) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	all := make([]float32, len(texts)*m.file.head.Dimension)
	var ids []int32
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ids = m.pieces.Encode(ids[:0], t)
		out[i], all = all[:m.file.head.Dimension:m.file.head.Dimension], all[m.file.head.Dimension:]
		m.sum(out[i], ids, role)
		normalise(out[i])
	}
	return out, nil
}

// spell appends the pieces of a word that has none: its letters of ASCII, and the
// bytes of others.
func (m *Model) spell(dst []int32, word []byte) []int32 {
	first := int32(m.file.head.Pieces - byteRows)
	for _, b := range word[:min(len(word), maxSpelled)] {
		if b >= 0x80 {
			dst = append(dst, first+int32(b-0x80))
		} else if id, ok := m.file.ID([]byte{'#', '#', b}); ok {
			dst = append(dst, id)
		}
	}
	return dst
}

// maxSpelled is how many bytes of a word are spelled.
const maxSpelled = 256

// leading is the position at which a piece counts half of what the first one
// does in a text that is to be found: texts begin with what they are about. It was
// chosen on the development sets; see models/README.md.
const leading = 48

// sum adds up the rows. Conversions round each product, so that no processor
// fuses it with the sum.
func (m *Model) sum(v []float32, ids []int32, role embed.Role) {
	for at, id := range ids {
		w := m.file.weight(id, role)
		if role != embed.Sentence {
			w = float32(w * float32(leading) / float32(leading+at))
		}
		if w == 0 {
			continue
		}
		row := m.file.row(id)
		for i, q := range row[:len(v)] {
			v[i] += float32(w * float32(int8(q)))
		}
	}
}

// normalise brings v to length 1, unless it is zero.
func normalise(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if sum == 0 {
		return
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
}

// upper returns the float32 whose upper half is the i-th number of table.
func upper(table []byte, i int32) float32 {
	return math.Float32frombits(uint32(binary.LittleEndian.Uint16(table[2*i:])) << 16)
}

// Package static embeds texts with static token embeddings: the vector of a text is the
// weighted sum of the vectors of its tokens. There is no neural network to run, so a
// sentence takes microseconds, and nothing to load, because the embedding matrix is read
// in place. It refuses a file that is damaged or of another format.
//
// Invariant: the same text gives the same vector, bit by bit, on every processor.
//
// # File
//
// Little-endian; sections begin at multiples of 64:
//
//	"HIPPOVEC"  uint32 version  uint32 n  uint32 CRC-32C of the header  header: n bytes of JSON
//	slots, ends, texts  the vocabulary; see [token.HashVocab]
//	scales   uint16 each, the upper half of a float32: the value of one unit of a row
//	weights  uint16 each, likewise: the weight of a token in queries and passages
//	rows     int8, dimension of them for each token
//
// The last 128 tokens stand for the
// bytes 0x80 to 0xFF, into which words outside of the vocabulary are split.
package static

import (
	"context"
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// Model is a vocabulary with a vector for each token. It is safe for concurrent use and
// needs no closing. It implements [embed.Embedder].
type Model struct {
	file      file
	tokenizer *token.WordPiece
	// squares are the squared lengths of the rows, 0 if not computed yet. The list exists
	// only once tokens are compared.
	squares func() []atomic.Int32
	// kept is for one comparison at a time, pool for those beside it: the garbage collector
	// empties a pool every few searches.
	kept atomic.Pointer[maxSim]
	pool sync.Pool
}

// Open reads the model in data, which it keeps and never changes. The error is
// [hippo.ErrCorrupt] or, for a format of another version, [hippo.ErrUnsupported].
// Cost: microseconds; the rows are not touched.
func Open(data []byte) (*Model, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	m := &Model{file: f, squares: sync.OnceValue(func() []atomic.Int32 { return make([]atomic.Int32, f.head.Tokens) })}
	m.tokenizer = token.NewWordPiece(f.vocab, token.Special{First: -1, Last: -1, Pad: -1, Unknown: -1}, &token.WordPieceOptions{
		Lower: true, StripAccents: true, Unknown: m.byteTokens,
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
		ids = m.tokenizer.Encode(ids[:0], t)
		out[i], all = all[:m.file.head.Dimension:m.file.head.Dimension], all[m.file.head.Dimension:]
		m.EmbedTokens(out[i], role, ids)
	}
	return out, nil
}

// EmbedTokens sets v, zeros as many as the dimension of the model, to the vector of a text that was
// cut into these tokens. Cost: about 50 ns a token.
func (m *Model) EmbedTokens(v []float32, role embed.Role, tokens []int32) {
	m.sum(v, tokens, role)
	normalise(v)
}

// byteTokens appends the tokens of a word outside of the vocabulary: its ASCII letters,
// and the bytes of other characters.
func (m *Model) byteTokens(dst []int32, word []byte) []int32 {
	first := int32(m.file.head.Tokens - byteRows)
	for _, b := range word[:min(len(word), maxBytes)] {
		if b >= 0x80 {
			dst = append(dst, first+int32(b-0x80))
		} else if id, ok := m.file.vocab.ID([]byte{'#', '#', b}); ok {
			dst = append(dst, id)
		}
	}
	return dst
}

// maxBytes bounds the bytes of a word that become tokens.
const maxBytes = 256

// halfWeight is the position at which a token has half the weight of the first one in a
// query or passage: texts begin with their subject. It was chosen on the development sets;
// see models/README.md.
const halfWeight = 48

// sumBatch is the number of rows that are added at a time.
const sumBatch = 64

// sum adds the weighted rows.
func (m *Model) sum(v []float32, ids []int32, role embed.Role) {
	var weights [sumBatch]float32
	for at := 0; at < len(ids); at += sumBatch {
		batch := ids[at:min(at+sumBatch, len(ids))]
		for i, id := range batch {
			w := m.file.weight(id, role)
			if role != embed.Sentence {
				w = float32(w * float32(halfWeight) / float32(halfWeight+at+i))
			}
			weights[i] = w
		}
		vector.AddRows(v, m.file.rows, batch, weights[:len(batch)])
	}
}

// normalise scales v to length 1, unless it is zero.
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

// upper returns the float32 whose upper half is the i-th uint16 of section.
func upper(section []byte, i int32) float32 {
	return math.Float32frombits(uint32(binary.LittleEndian.Uint16(section[2*i:])) << 16)
}

package static

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// WithCode is a model and beside it a table for source code, which has a vector of another space for
// each token of the same vocabulary. It implements [embed.CodeEmbedder].
type WithCode struct {
	*Model
	code *Model
}

// OpenWithCode reads the table in data, as [Open] does. The error is [hippo.ErrCorrupt] if its
// vocabulary is not that of m.
func OpenWithCode(m *Model, data []byte) (*WithCode, error) {
	code, err := Open(data)
	if err != nil {
		return nil, err
	}
	if a, b := &m.file, &code.file; a.head.Tokens != b.head.Tokens || !bytes.Equal(a.pieces, b.pieces) {
		return nil, fmt.Errorf("%w: static model %s: another vocabulary than that of %s", hippo.ErrCorrupt, b.head.ID, a.head.ID)
	}
	return &WithCode{m, code}, nil
}

// Texts implements [embed.TextEmbedder].
func (m *WithCode) Texts() embed.StaticEmbedder { return m.Model }

// CodeDimension implements [embed.CodeEmbedder].
func (m *WithCode) CodeDimension() int { return m.code.file.head.Dimension }

// EmbedCode implements [embed.CodeEmbedder]. A token that occurs n times counts log2(1 + n) times,
// because code repeats its variables. Cost: about 60 ns a token.
func (m *WithCode) EmbedCode(v []float32, tokens []int32) {
	slices.Sort(tokens)
	var list [sumBatch]int32
	var weights [sumBatch]float32
	n := 0
	for len(tokens) > 0 {
		t := tokens[0]
		same := 1
		for same < len(tokens) && tokens[same] == t {
			same++
		}
		tokens = tokens[same:]
		if !m.code.has(t) {
			continue
		}
		list[n], weights[n] = t, upper(m.code.file.scales, t)*float32(math.Log2(float64(1+same)))
		if n++; n == sumBatch {
			vector.AddRows(v, m.code.file.rows, list[:n], weights[:n])
			n = 0
		}
	}
	vector.AddRows(v, m.code.file.rows, list[:n], weights[:n])
	normalise(v)
}

package embedtest

import (
	"context"
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// Texts are [Tokens] that also embed texts: a text is as similar to another one as the share of the
// words that they have in common. The zero value is ready, and safe for concurrent use.
type Texts struct{ Tokens }

// Texts implements [embed.TextEmbedder].
func (t *Texts) Texts() embed.StaticEmbedder { return bag{&t.Tokens} }

// bagSize is the number of components of the vectors of [Texts].
const bagSize = 128

// bag is a model whose vectors count words.
type bag struct{ *Tokens }

func (bag) Model() embed.Model { return embed.Model{ID: "bag@1", Space: "bag", Dimension: bagSize} }

func (b bag) Embed(_ context.Context, role embed.Role, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = make([]float32, bagSize)
		b.EmbedTokens(out[i], role, b.Tokenize(nil, text))
	}
	return out, nil
}

func (bag) EmbedTokens(v []float32, _ embed.Role, tokens []int32) {
	for _, t := range tokens {
		v[t%bagSize]++
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(max(sum, 1)))
	}
}

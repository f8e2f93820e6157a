package static

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// Functions is the table for source code as a model of texts: the vector of a function is similar to
// those of questions that it answers. It implements [embed.StaticEmbedder], in a space of its own.
type Functions struct{ *WithCode }

// Model implements [embed.Embedder].
func (f Functions) Model() embed.Model { return f.code.Model() }

// EmbedTokens implements [embed.StaticEmbedder]. All roles are the same.
func (f Functions) EmbedTokens(v []float32, _ embed.Role, tokens []int32) {
	f.EmbedCode(v, slices.Clone(tokens)) // it reorders them
}

// Embed implements [embed.Embedder].
func (f Functions) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var tokens []int32
	for i, text := range texts {
		tokens = f.Tokenize(tokens[:0], text)
		out[i] = make([]float32, f.CodeDimension())
		f.EmbedTokens(out[i], role, tokens)
	}
	return out, ctx.Err()
}

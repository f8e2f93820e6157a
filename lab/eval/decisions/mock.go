package decisions

import (
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// Mock is the embedder of the benchmarks: the vector of a text is the axis of the topic that it names,
// and noise of .05 from its SHA-256. Texts of one topic have cosines of .74 with a deviation of .05, and no
// vector says what a text is about beyond its topic.
type Mock struct{}

const (
	mockSize  = 384
	mockNoise = .05
)

// Model implements [embed.Embedder].
func (Mock) Model() embed.Model { return embed.Model{ID: "mock@1", Space: "mock", Dimension: mockSize} }

// Close implements [embed.Embedder].
func (Mock) Close() error { return nil }

// Embed implements [embed.Embedder].
func (Mock) Embed(_ context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = mockVector(text)
	}
	return out, nil
}

func mockVector(text string) []float32 {
	sum := sha256.Sum256([]byte(text))
	v, squares := make([]float32, mockSize), 0.0
	axis := slices.IndexFunc(vagueTopics(), func(t string) bool { return strings.Contains(text, t) })
	for i := range v {
		v[i] = (float32(sum[i%len(sum)])/127.5 - 1) * mockNoise
		if i == axis {
			v[i]++
		}
		squares += float64(v[i] * v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(squares))
	}
	return v
}

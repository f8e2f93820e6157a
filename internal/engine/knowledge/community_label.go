package knowledge

import (
	"context"

	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/label"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// labelTexts is the number of memories of a community in whose texts the words of its label are looked for.
	labelTexts = 32
	// labelWords is the number of words of a label.
	labelWords = 4
)

// labelsOf returns a label for each group of texts: the words that distinguish them from the rest of the store, by the number of
// the texts that have one, times its inverse document frequency. A word of one text of several says nothing of the others.
func labelsOf(ctx context.Context, m *engine.Memories, groups [][]string) ([][]string, error) {
	out := make([][]string, len(groups))
	err := m.Indexed(ctx, func() error {
		r, err := m.Index.Search(ctx, &retrieve.Query{Scope: m.Scope})
		if err != nil {
			return err
		}
		defer r.Close()
		for i, texts := range groups {
			out[i] = label.Of(bm25.Words(), texts, labelWords, func(t *label.Term) float64 {
				if t.Texts == 1 && len(texts) > 1 {
					return 0
				}
				return float64(t.Texts) * r.Vocabulary.IDF(t.Word)
			})
		}
		return nil
	})
	return out, err
}

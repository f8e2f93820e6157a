package memory

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
)

// Comparison lists the memories of the same project that a memory is similar to.
type Comparison struct {
	// Duplicates are those with the same text, see [hippo.HashContent].
	Duplicates []hippo.ID
	// Replaces are those that state the same with another value, so that the memory
	// probably supersedes them.
	Replaces []api.Contradiction
	// Skipped: too many comparisons ran at once, and nothing was searched.
	Skipped bool
	// Err is why a memory that was recorded was not compared.
	Err error
}

const (
	// maxCompared is how many of each kind are named.
	maxCompared = 5
	// maxComparing is how many records that are running are compared.
	maxComparing = 2
)

// Compare searches the live memories of the same project for those that a memory, which need not
// be stored yet, duplicates or probably supersedes: they have no successor, and the latter are
// valid when it begins. At most five of each are named, the most similar first. It changes
// nothing. Cost: a lexical search for the beginning of the text; if a word of the text speaks of a change, a vector of the instant model.
func Compare(ctx context.Context, m *engine.Memories, x *hippo.Memory) (*Comparison, error) {
	return engine.Perform(ctx, m, x, "compare", compare)
}

func compare(ctx context.Context, m *engine.Memories, x *hippo.Memory) (*Comparison, error) {
	draft := *x
	draft.ContentHash = hippo.HashContent(x.Content)
	if x.CreatedAt.IsZero() {
		draft.CreatedAt = m.Clock()
	}
	claim := recall.ClaimOf(&draft)
	var similar []recall.Similar
	err := m.Indexed(ctx, func() (err error) {
		similar, err = m.Searcher.Similar(ctx, m.Scope, claim)
		return err
	})
	if err != nil {
		return nil, err
	}
	ids, cosines := make([]hippo.ID, len(similar)), make(map[hippo.ID]float64)
	for i, s := range similar {
		ids[i], cosines[s.ID] = s.ID, s.Cosine
	}
	ms, err := m.Scoped.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := &Comparison{}
	for _, o := range ms {
		if o.ContentHash == draft.ContentHash {
			out.Duplicates = append(out.Duplicates, o.ID)
		}
	}
	out.Replaces = m.Searcher.Revised(claim, ms, func(id hippo.ID) float64 { return cosines[id] })
	out.Duplicates = out.Duplicates[:min(len(out.Duplicates), maxCompared)]
	out.Replaces = out.Replaces[:min(len(out.Replaces), maxCompared)]
	return out, nil
}

package engine

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/recall"
)

// Comparison is what a memory has in common with others of its project.
type Comparison struct {
	// Duplicates are those with the same text, see [hippo.HashContent].
	Duplicates []hippo.ID
	// Replaces are those that state the same with another value, so that the memory
	// probably supersedes them.
	Replaces []recall.Contradiction
	// Skipped: too many were compared at once, and nothing was looked up.
	Skipped bool
}

const (
	// maxCompared is how many of each kind are named.
	maxCompared = 5
	// maxComparing is how many memories are compared at a time.
	maxComparing = 2
)

// Compare looks among the live memories of the same project for those that a stored memory
// repeats or probably supersedes: they are not superseded, and the latter hold when it begins.
// At most five of each are named, the most similar first. It changes nothing. Cost: a lexical
// search for the beginning of the text. Of many at a time only two are compared, and the
// others are skipped: when thousands are recorded in a row, nobody reads hints.
func (m *Memories) Compare(ctx context.Context, x *hippo.Memory) (*Comparison, error) {
	if m.comparing.Add(1) > maxComparing {
		m.comparing.Add(-1)
		return &Comparison{Skipped: true}, nil
	}
	defer m.comparing.Add(-1)
	var ids []hippo.ID
	err := m.indexed(ctx, func() (err error) {
		ids, err = m.searcher.Similar(ctx, m.scope, x)
		return err
	})
	if err != nil {
		return nil, err
	}
	ms, err := m.scoped.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := &Comparison{}
	for _, o := range ms {
		if o.ContentHash == x.ContentHash {
			out.Duplicates = append(out.Duplicates, o.ID)
		}
	}
	out.Replaces = recall.Revised(x, ms)
	out.Duplicates = out.Duplicates[:min(len(out.Duplicates), maxCompared)]
	out.Replaces = out.Replaces[:min(len(out.Replaces), maxCompared)]
	return out, nil
}

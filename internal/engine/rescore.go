package engine

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// Rescore computes the surprise of the memories in scope again, as the store is now: the consolidation
// calls it. It begins with those that have none, and then takes the last changed ones; limit is the largest
// number, 0 for all. It returns how many changed. Predictions are not repeated: a memory keeps the loss that it has.
// Cost: a scan of the vectors for each, 1 ms in a store of 100,000.
func Rescore(ctx context.Context, m *Memories, limit int) (changed int, err error) {
	if err := m.scoped.Allow(hippo.RightWrite); err != nil || m.surprise == nil {
		return 0, err
	}
	ids, err := unscoredFirst(ctx, m.store, &m.scope)
	if err != nil {
		return 0, err
	}
	if limit > 0 {
		ids = ids[:min(limit, len(ids))]
	}
	for len(ids) > 0 && err == nil {
		n := min(scoreBatch, len(ids))
		var done int
		done, err = m.surprise.rescore(ctx, ids[:n])
		changed += done
		ids = ids[n:]
	}
	return changed, err
}

func (s *scorer) rescore(ctx context.Context, ids []hippo.ID) (int, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.score(ctx, ids, false)
}

// unscoredFirst returns the live memories of a scope: those without a surprise, then the others, both
// the last changed first.
func unscoredFirst(ctx context.Context, s *store.Store, scope *hippo.Scope) ([]hippo.ID, error) {
	var unscored, rest []hippo.ID
	for c, err := range s.Changes(ctx, 0) {
		switch {
		case err != nil:
			return nil, err
		case c.Memory == nil || c.Memory.Forgotten() || !scope.Sees(c.Memory):
		case c.Memory.Surprise.Score == 0:
			unscored = append(unscored, c.ID)
		default:
			rest = append(rest, c.ID)
		}
	}
	slices.Reverse(unscored) // changes are in the order of revisions
	slices.Reverse(rest)
	return append(unscored, rest...), nil
}

package upkeep

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
)

// Scored waits until what was recorded so far has its surprise.
func Scored(ctx context.Context, m *engine.Memories) error {
	_, err := engine.Perform(ctx, m, engine.None{}, "score_waiting", scoreWaiting)
	return err
}

func scoreWaiting(ctx context.Context, m *engine.Memories, _ engine.None) (engine.None, error) {
	return engine.None{}, m.Surprise.Drain(ctx)
}

// Rescore computes the surprise of the memories in scope again, as the store is now: the consolidation
// calls it. It begins with those that have none, and then takes the last changed ones; limit is the largest
// number, 0 for all. It returns how many changed. Predictions are not repeated: a memory keeps the loss that it has.
// Cost: a scan of the vectors for eight of them, 1 ms each in a store of 100,000.
func Rescore(ctx context.Context, m *engine.Memories, limit int) (changed int, err error) {
	return engine.Perform(ctx, m, limit, "rescore", rescore)
}

func rescore(ctx context.Context, m *engine.Memories, limit int) (changed int, err error) {
	if err := m.Scoped.Allow(hippo.RightWrite); err != nil || m.Surprise == nil {
		return 0, err
	}
	ids, err := unscoredFirst(ctx, m.Store, &m.Scope)
	if err != nil {
		return 0, err
	}
	if limit > 0 {
		ids = ids[:min(limit, len(ids))]
	}
	return m.Surprise.Rescore(ctx, ids)
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

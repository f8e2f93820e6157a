package engine

import (
	"context"
	"log/slog"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/store"
)

// Surprise says how the surprise of memories is computed.
type Surprise struct {
	surprise.Options
	// Predictor is a language model; nil: there is no prediction loss. A [surprise.Learner] learns the texts
	// of the store before it predicts the first one, and then each after it predicted that.
	Predictor surprise.Predictor
}

// Score makes the engine compute the surprise of what is recorded, half a second later. It is called
// once, before the engine is used. It starts a goroutine, which Close ends.
func (e *Engine) Score(s Surprise, log *slog.Logger) {
	if s.Mode == surprise.Off || e.remote != nil {
		return
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	e.surprise = &scorer{
		Options: s.Options, prediction: prediction{model: s.Predictor, log: log},
		store: e.store, index: e.index, embedding: e.embedding, indexed: e.indexed,
	}
	e.surprise.start()
}

// Scored waits until what was recorded so far has its surprise.
func Scored(ctx context.Context, m *Memories) error {
	_, err := perform(ctx, m, none{}, "score_waiting", scoreWaiting)
	return err
}

func scoreWaiting(ctx context.Context, m *Memories, _ none) (none, error) {
	for m.surprise != nil && m.surprise.batch(ctx, scoreBatch) > 0 {
		if err := ctx.Err(); err != nil {
			return none{}, err
		}
	}
	return none{}, nil
}

// Rescore computes the surprise of the memories in scope again, as the store is now: the consolidation
// calls it. It begins with those that have none, and then takes the last changed ones; limit is the largest
// number, 0 for all. It returns how many changed. Predictions are not repeated: a memory keeps the loss that it has.
// Cost: a scan of the vectors for eight of them, 1 ms each in a store of 100,000.
func Rescore(ctx context.Context, m *Memories, limit int) (changed int, err error) {
	return perform(ctx, m, limit, "rescore", rescore)
}

func rescore(ctx context.Context, m *Memories, limit int) (changed int, err error) {
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
	return m.surprise.rescoreAll(ctx, ids)
}

// rescoreAll computes the surprise of memories again, and returns how many changed.
func (s *scorer) rescoreAll(ctx context.Context, ids []hippo.ID) (changed int, err error) {
	for some := range slices.Chunk(ids, scoreBatch) {
		done, err := s.rescore(ctx, some)
		if changed += done; err != nil {
			return changed, err
		}
	}
	return changed, nil
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

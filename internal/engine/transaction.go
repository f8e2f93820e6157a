package engine

import (
	"context"
	"errors"
	"log/slog"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/writebehind"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
	"github.com/hippo-memory/hippo/internal/retrieval/recall/hybrid"
	"github.com/hippo-memory/hippo/internal/store"
)

// Staged is a memory whose writes are held back until [Staged.Commit]: its own reads and searches
// see them, and nobody else does. It is safe for concurrent use.
type Staged struct {
	*Memories
	base *Engine
	held *store.Held
}

// Stage returns the memory of a scope with its writes held back. Searches do not see what others
// write from now on. End it by Commit or Discard.
//
// Cost: that of bringing the index up to date; the writes are kept in memory. If another process has the store open, the error
// is [ErrAway]: reads that depend on held writes would need a state there.
func (e *Engine) Stage(ctx context.Context, scope hippo.Scope) (*Staged, error) {
	if e.IsRemote() {
		return nil, ErrAway
	}
	return stage(ctx, e.In(scope))
}

func stage(ctx context.Context, m *Memories) (*Staged, error) {
	return stageOn(ctx, m, func() (*store.Held, error) { return store.Hold(ctx, m.store) })
}

// stageOn is stage on what hold returns.
func stageOn(ctx context.Context, m *Memories, hold func() (*store.Held, error)) (*Staged, error) {
	e := m.Engine
	if err := e.index.CatchUp(ctx); err != nil {
		return nil, err
	}
	var held *store.Held
	x, err := e.index.Fork(func() (_ index.Source, err error) {
		held, err = hold()
		if err != nil {
			return nil, err
		}
		return held, nil
	})
	if err != nil {
		return nil, err
	}
	f := &Engine{
		store: held.Store, index: x, embedding: e.embedding, weights: e.weights, defaults: e.defaults, now: e.now,
		closing: func() error { return nil },
	}
	f.pages, f.turns, f.planning, f.pasts = recall.NewPages(f.now), e.turns, e.planning, e.pasts
	f.accesses = writebehind.NewAccesses(f.store, f.index, f.weights, slog.New(slog.DiscardHandler))
	links := relationReader{f.store, &f.weights.Relations, f.now}
	f.searcher = e.searcher.Over(f.index, links, hybrid.New(hybrid.DefaultWeights(), f.store, index.TextKey, links, f.now))
	return &Staged{Memories: f.In(m.scope), base: e, held: held}, nil
}

// Commit stores what was written as one transaction, all or nothing, and returns when it is durable.
// The writes are applied to what the store has by then, so that they fail if what they change is gone.
func (s *Staged) Commit(ctx context.Context) error {
	s.accesses.Close()
	err := s.held.Commit(ctx)
	if err == nil {
		s.base.embedding.WakeOptional()
	}
	return err
}

// Discard drops what was written.
func (s *Staged) Discard() {
	s.accesses.Close()
}

// IsNotWritable reports whether an error of Commit is about a store that takes no writes: then the use of what
// was read is not counted, which is no failure of a caller that wrote nothing.
func IsNotWritable(err error) bool {
	return errors.Is(err, hippo.ErrReadOnly) || errors.Is(err, hippo.ErrFull) || errors.Is(err, hippo.ErrCorrupt)
}

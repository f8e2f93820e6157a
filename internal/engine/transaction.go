package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/entities"
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
	return stageOn(ctx, m, func() (*store.Held, error) { return store.Hold(ctx, m.Store) })
}

// stageOn is stage on what hold returns.
func stageOn(ctx context.Context, m *Memories, hold func() (*store.Held, error)) (*Staged, error) {
	e := m.Engine
	if err := e.Index.CatchUp(ctx); err != nil {
		return nil, err
	}
	var held *store.Held
	x, err := e.Index.Fork(func() (_ index.Source, err error) {
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
		Store: held.Store, Index: x, Embedding: e.Embedding, Weights: e.Weights, Defaults: e.Defaults, Clock: e.Clock,
		closing: func() error { return nil }, Cards: &entities.Cards{},
	}
	f.Pages, f.Turns, f.Groups = recall.NewPages(f.Clock), e.Turns, &atomic.Pointer[Grouping]{}
	f.Planning, f.pasts, f.Comparing = e.Planning, e.pasts, &atomic.Int32{}
	f.Accesses = writebehind.NewAccesses(f.Store, f.Index, f.Weights, slog.New(slog.DiscardHandler))
	links := relationReader{f.Store, &f.Weights.Relations, f.Clock}
	f.Searcher = e.Searcher.Over(f.Index, links, hybrid.New(hybrid.DefaultWeights(), f.Store, index.TextKey, links, f.Clock))
	return &Staged{Memories: f.In(m.Scope), base: e, held: held}, nil
}

// Commit stores what was written as one transaction, all or nothing, and returns when it is durable.
// The writes are applied to what the store has by then, so that they fail if what they change is gone.
func (s *Staged) Commit(ctx context.Context) error {
	s.Accesses.Close()
	err := s.held.Commit(ctx)
	if err == nil {
		s.base.Embedding.WakeOptional()
	}
	return err
}

// Discard drops what was written.
func (s *Staged) Discard() {
	s.Accesses.Close()
}

// IsNotWritable reports whether an error of Commit is about a store that takes no writes: then the use of what
// was read is not counted, which is no failure of a caller that wrote nothing.
func IsNotWritable(err error) bool {
	return errors.Is(err, hippo.ErrReadOnly) || errors.Is(err, hippo.ErrFull) || errors.Is(err, hippo.ErrCorrupt)
}

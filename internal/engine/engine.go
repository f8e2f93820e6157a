// Package engine holds the use cases: record, recall, modify, reinforce,
// forget, relate, list, import and export, one file a verb. It joins the store, the
// index and the rankers, and is the only place where they meet. Front ends call
// it and nothing below it.
package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/store"
)

// Engine is a memory at work. It is safe for concurrent use.
type Engine struct {
	store   *store.Store
	index   *index.Index
	weights rank.Weights
	days    *rank.Calendar
	look    *rank.FirstLook
	ranker  hippo.Ranker
	now     func() time.Time
	pages   *pages
	touches *touches
	meaning *meaning
	pieces  embed.TokenEmbedder
	mention *mentions
	linker  linker
	hinting atomic.Int32 // memories whose like are looked for
}

// Config wires an [Engine].
type Config struct {
	// Store and Index are required; the engine takes over closing both.
	Store *store.Store
	Index *index.Index
	// Weights of the rankers; nil means [rank.DefaultWeights].
	Weights *rank.Weights
	// Ranker for queries that name none; empty means [hippo.RankerHippo].
	Ranker hippo.Ranker
	// Models find memories by meaning, the most wanted first; none: by words only.
	// The engine takes over closing them.
	Models []Model
	// Pieces compares texts word by word in ranker hippo; nil: it does not.
	Pieces embed.TokenEmbedder
	// Degraded says what could not be wired; searches by meaning repeat it.
	Degraded []string
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Log receives failures of background work; nil discards them.
	Log *slog.Logger
}

// New returns an Engine. It starts one or two goroutines, which Close ends.
func New(c Config) *Engine {
	e := &Engine{store: c.Store, index: c.Index, weights: rank.DefaultWeights(), ranker: hippo.RankerHippo, now: c.Now}
	if c.Weights != nil {
		e.weights = *c.Weights
	}
	if c.Ranker != "" {
		e.ranker = c.Ranker
	}
	if e.now == nil {
		e.now = time.Now //nolint:forbidigo // the system clock is the default
	}
	e.days, e.look = rank.NewCalendar(e.weights), rank.NewFirstLook(e.weights)
	log := c.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	e.pages = newPages(e.now)
	e.touches = newTouches(e.store, e.index, e.weights.Relations, log)
	e.meaning = newMeaning(&c, log)
	e.pieces = c.Pieces
	e.mention = newMentions(c.Store)
	return e
}

// update changes memories in the store. Accesses that wait to be written go
// first: else what the change makes the index read would be without them.
func (e *Engine) update(ctx context.Context, ids []hippo.ID, fn func(*hippo.Memory, hippo.Day) error) ([]*hippo.Memory, error) {
	if err := e.Flush(ctx); err != nil {
		return nil, err
	}
	return e.store.Update(ctx, ids, fn)
}

// Flush waits until the accesses of all searches so far are stored.
func (e *Engine) Flush(ctx context.Context) error { return e.touches.flush(ctx) }

// Close stores what is pending and closes the index and the store.
func (e *Engine) Close() error {
	e.touches.close()
	return errors.Join(e.meaning.close(), e.index.Close(), e.store.Close())
}

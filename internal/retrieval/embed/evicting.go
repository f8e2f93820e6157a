package embed

import (
	"context"
	"sync/atomic"
)

// evictEvery is the number of calls after which an [Evicting] evicts: 4 queries read 2 to 3 MB of the tables of
// the built-in encoders, with the pages around their rows, and an eviction takes less than 1 % of the time of 4 queries.
const evictEvery = 4

// Evicting is an [Embedder] in front of one that reads a row of a large table for each token. The pages of
// rows that were read once would stay in memory until the whole table is there; an Evicting takes them out now and then.
type Evicting struct {
	inner Embedder
	evict func()
	calls atomic.Uint32
}

// NewEvicting returns an Evicting that calls evict after every fourth call of inner. While evict runs, other calls
// may be under way.
func NewEvicting(inner Embedder, evict func()) *Evicting {
	return &Evicting{inner: inner, evict: evict}
}

// Model returns the model of the inner Embedder.
func (e *Evicting) Model() Model { return e.inner.Model() }

// Embed implements [Embedder].
func (e *Evicting) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	vectors, err := e.inner.Embed(ctx, role, texts)
	if e.calls.Add(1)%evictEvery == 0 {
		e.evict()
	}
	return vectors, err
}

// Close closes the inner Embedder if it is an [io.Closer].
func (e *Evicting) Close() error { return closeEmbedder(e.inner) }

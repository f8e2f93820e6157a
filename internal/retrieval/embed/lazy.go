package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
)

// retryLoad is how long a [Lazy] keeps a failure before it loads again: a missing file
// does not appear within seconds, and reading a large one takes seconds.
const retryLoad = 30 * time.Second

// Lazy is a [Waiter] that is loaded in the background when it is first needed. Until then
// Embed returns [ErrNotReady] at once. After a failure it returns the error of loading; the
// first Embed or Wait at least 30 seconds after it loads again.
type Lazy struct {
	model  Model
	load   func(context.Context) (Embedder, error)
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	users  sync.WaitGroup // the loader, and calls of the Lazy

	mu     sync.Mutex
	latest *attempt // to load; nil before the first
	closed bool
}

// attempt is an attempt to load.
type attempt struct {
	done   chan struct{} // closed when inner or err is set
	inner  Embedder
	err    error
	expire atomic.Bool // the failure was long enough ago
}

// NewLazy returns a Lazy that declares to be model and gets it by load. The context of
// load ends with Close. What load returns belongs to the Lazy, which closes it if it is
// an [io.Closer].
func NewLazy(model Model, load func(context.Context) (Embedder, error)) *Lazy {
	ctx, cancel := context.WithCancel(context.Background())
	return &Lazy{model: model, load: load, ctx: ctx, cancel: cancel}
}

// Model returns the declared model; that of what is loaded is equal.
func (l *Lazy) Model() Model { return l.model }

// Wait implements [Waiter].
func (l *Lazy) Wait(ctx context.Context) error {
	a, err := l.enter()
	if err != nil {
		return err
	}
	defer l.users.Done()
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Embed implements [Embedder].
func (l *Lazy) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	a, err := l.enter()
	if err != nil {
		return nil, err
	}
	defer l.users.Done()
	select {
	case <-a.done:
	default:
		return nil, fmt.Errorf("model %s: %w", l.model.ID, ErrNotReady)
	}
	if a.err != nil {
		return nil, a.err
	}
	return a.inner.Embed(ctx, role, texts)
}

// enter returns the latest attempt to load, or begins one. Nothing is closed until
// users.Done.
func (l *Lazy) enter() (*attempt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, fmt.Errorf("model %s: closed: %w", l.model.ID, hippo.ErrUnavailable)
	}
	if l.latest == nil || l.latest.expire.Load() {
		a := &attempt{done: make(chan struct{})}
		l.latest = a
		l.users.Go(func() { l.run(a) })
	}
	l.users.Add(1)
	return l.latest, nil
}

func (l *Lazy) run(a *attempt) {
	defer close(a.done)
	inner, err := l.load(l.ctx)
	if err == nil {
		if m := inner.Model(); m != l.model {
			err = fmt.Errorf("loaded %s (space %s, %d dimensions), want %s (space %s, %d dimensions): %w",
				m.ID, m.Space, m.Dimension, l.model.ID, l.model.Space, l.model.Dimension, hippo.ErrConflict)
			err = errors.Join(err, closeEmbedder(inner))
		}
	}
	if err != nil {
		a.err = fmt.Errorf("model %s: %w", l.model.ID, err)
		time.AfterFunc(retryLoad, func() { a.expire.Store(true) })
		return
	}
	a.inner = inner
}

// Close ends loading, waits for calls that are under way, and closes what was loaded.
// Closing again does nothing.
func (l *Lazy) Close() error {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.users.Wait()
	if again || l.latest == nil || l.latest.inner == nil {
		return nil
	}
	return closeEmbedder(l.latest.inner)
}

func closeEmbedder(e Embedder) error {
	if c, ok := e.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

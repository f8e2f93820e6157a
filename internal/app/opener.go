package app

import (
	"context"
	"fmt"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Opener opens a store at first use, and retries after a failure. It is safe for concurrent
// use.
type Opener struct {
	open func(ctx context.Context) (*engine.Engine, error)
	// beside begins what runs beside the engine, and returns what ends it; nil: nothing does.
	beside func(*engine.Engine) (end func())

	mu      sync.Mutex // never held while something waits
	pending *attempt   // nil until first use
	closed  bool
}

// attempt is one attempt to open the store.
type attempt struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when engine and err are set
	engine *engine.Engine
	err    error
	close  func() error // closes the engine, once
}

// NewOpener returns an Opener of the store that c names.
func NewOpener(c config.Config, o *Options) *Opener {
	return &Opener{open: func(ctx context.Context) (*engine.Engine, error) { return Open(ctx, c, o) }}
}

// newSyncingOpener is [NewOpener] for a process that lives long: the store syncs by itself while it is open.
func newSyncingOpener(c config.Config, o *Options) *Opener {
	p := NewOpener(c, o)
	p.beside = func(e *engine.Engine) func() { return syncing(&c, o, e).End }
	return p
}

// Engine returns the engine when it is open. After a failure each call that comes later
// tries again. It returns when ctx ends, but the attempt goes on: others may wait for it.
// After Close the error is [hippo.ErrUnavailable].
func (p *Opener) Engine(ctx context.Context) (*engine.Engine, error) {
	a, err := p.attempt(ctx)
	if err != nil {
		return nil, err
	}
	select {
	case <-a.done:
		return a.engine, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// attempt returns the attempt to wait for. It begins one if there is none, or the last
// one failed.
func (p *Opener) attempt(ctx context.Context) (*attempt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ending()
	}
	if a := p.pending; a != nil && !a.failed() {
		return a, nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.pending = &attempt{cancel: cancel, done: make(chan struct{})}
	go p.run(ctx, p.pending)
	return p.pending, nil
}

func ending() error { return fmt.Errorf("%w: the program is ending", hippo.ErrUnavailable) }

// run carries out an attempt. A store that opens after Close is closed again.
func (p *Opener) run(ctx context.Context, a *attempt) {
	defer close(a.done)
	e, err := p.open(ctx)
	if err != nil {
		a.err = err
		return
	}
	end := func() {}
	if p.beside != nil {
		end = p.beside(e)
	}
	a.close = sync.OnceValue(func() error { end(); return e.Close() })
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		_ = a.close() // nothing was written: nobody had it
		a.err = ending()
		return
	}
	a.engine = e
	go e.Warm(ctx)
}

// failed reports whether the attempt has ended with an error.
func (a *attempt) failed() bool {
	select {
	case <-a.done:
		return a.err != nil
	default:
		return false
	}
}

// Close cancels an attempt under way, waits for its end and closes what was opened. It
// waits until ctx ends; an attempt that is still under way then closes the store by itself.
// A second call returns what the first one does.
func (p *Opener) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	a := p.pending
	p.mu.Unlock()
	if a == nil {
		return nil
	}
	a.cancel()
	select {
	case <-a.done:
	case <-ctx.Done():
		return fmt.Errorf("store still opening: %w", context.Cause(ctx))
	}
	if a.engine == nil {
		return nil // the failure was reported to those who asked for the engine
	}
	return a.close()
}

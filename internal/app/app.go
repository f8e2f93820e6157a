// Package app wires the parts of the program. It is the only place that knows
// every back end; what it returns is ready to use.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// Options are what does not come from the user; the zero value and nil are useful.
type Options struct {
	// Now is the clock; nil means the system's. Zone decides where a day begins.
	Now  func() time.Time
	Zone *time.Location
	Log  *slog.Logger
}

// Open opens the store that c names and everything above it.
// The caller closes the engine.
func Open(ctx context.Context, c config.Config, o *Options) (*engine.Engine, error) {
	if o == nil {
		o = &Options{}
	}
	backend, snapshot, err := openBackend(ctx, c.Store, o)
	if err != nil {
		return nil, err
	}
	s := store.New(backend, &store.Options{Now: o.Now, Zone: o.Zone})
	// Without a model, too: the snapshot is the same then, whoever asks.
	pieces, err := Pieces()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	x, err := index.Open(ctx, s, &index.Options{SnapshotPath: snapshot, Pieces: pieces, Log: o.Log})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	m, err := choose(ctx, c.Model, s)
	if err != nil {
		return nil, errors.Join(err, x.Close(), s.Close())
	}
	return engine.New(engine.Config{
		Store: s, Index: x, Ranker: c.Ranker, Models: m.models, Pieces: m.pieces, Degraded: m.degraded, Now: o.Now, Log: o.Log,
	}), nil
}

// openBackend returns the back end and where its index snapshot belongs.
func openBackend(ctx context.Context, s config.Store, o *Options) (driver.Backend, string, error) {
	switch s.Kind {
	case "memory":
		return Memory(), "", nil
	case "dir":
		b, err := dirstore.Open(ctx, s.Path, &dirstore.Options{Now: o.Now, Log: o.Log})
		if err != nil {
			return nil, "", err
		}
		return b, b.IndexPath(), nil
	case "sqlite":
		b, err := sqlitestore.Open(ctx, s.Path, &sqlitestore.Options{Log: o.Log})
		if err != nil {
			return nil, "", err
		}
		return b, filepath.Clean(s.Path) + ".index", nil
	default:
		return nil, "", fmt.Errorf("%w: a store of kind %q", hippo.ErrUnsupported, s.Kind)
	}
}

// Memory returns an empty back end in RAM, for evaluations.
func Memory() driver.Backend { return memstore.New(nil) }

// Opener opens a store once, when it is first asked for, and again if that fails.
type Opener struct {
	open func(ctx context.Context) (*engine.Engine, error)

	mu      sync.Mutex
	pending *opening // nil until it is first asked for
	closed  bool
}

// opening is one attempt.
type opening struct {
	done   chan struct{}
	engine *engine.Engine
	err    error
}

// NewOpener returns an Opener of the store that c names.
func NewOpener(c config.Config, o *Options) *Opener {
	return &Opener{open: func(ctx context.Context) (*engine.Engine, error) { return Open(ctx, c, o) }}
}

// begin starts an attempt that outlives its caller's ctx: others wait for it, too.
func (p *Opener) begin(ctx context.Context) *opening {
	a := &opening{done: make(chan struct{})}
	p.pending = a
	go func() {
		defer close(a.done)
		if a.engine, a.err = p.open(context.WithoutCancel(ctx)); a.err == nil {
			go a.engine.Warm()
		}
	}()
	return a
}

// failed reports whether the attempt is over and came to nothing.
func (a *opening) failed() bool {
	select {
	case <-a.done:
		return a.err != nil
	default:
		return false
	}
}

// Engine returns the engine when it is open. After a failure each call that
// comes later tries again.
func (p *Opener) Engine(ctx context.Context) (*engine.Engine, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, fmt.Errorf("%w: the program is ending", hippo.ErrUnavailable)
	}
	a := p.pending
	if a == nil || a.failed() {
		a = p.begin(ctx)
	}
	p.mu.Unlock()
	select {
	case <-a.done:
		return a.engine, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close waits for a pending attempt and closes what it opened.
func (p *Opener) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.pending == nil {
		return nil
	}
	<-p.pending.done
	if p.pending.err != nil {
		return nil // it was told to whoever asked for the engine
	}
	return p.pending.engine.Close()
}

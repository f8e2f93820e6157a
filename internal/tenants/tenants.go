// Package tenants keeps an engine open for each namespace of a database that is in use, within a bound of memory. Only this
// package and app know that there is more than one store.
package tenants

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Config wires a [Pool].
type Config struct {
	// Open opens the store of a namespace, with its index.
	Open func(ctx context.Context, namespace string) (*engine.Engine, error)
	// Namespace returns that of the caller of ctx.
	Namespace func(ctx context.Context) string
	// Size returns how many bytes of memory an engine holds that the system cannot take back.
	Size func(*engine.Engine) int64
	// Bytes bounds the sum of the sizes. Engines that somebody uses are above the bound if need be; 0 means no bound.
	Bytes int64
	// Log receives failures of closing.
	Log *slog.Logger
}

// Pool opens the engine of a namespace when somebody asks for it, and closes the one that was not used for the longest time when
// there is no room. It is safe for concurrent use.
type Pool struct {
	Config

	mu     sync.Mutex // never held while something waits
	open   map[string]*tenant
	unused *list.List // of open tenants that nobody uses, the first one for the longest time
	bytes  int64
	closed bool
	ending sync.WaitGroup // tenants that are being closed
}

// tenant is the engine of a namespace, from its opening to its end.
type tenant struct {
	namespace string
	opened    chan struct{} // closed when engine and err are set
	engine    *engine.Engine
	err       error
	cancel    context.CancelFunc // of the opening
	gone      chan struct{}      // closed when the engine is closed

	// The pool guards what follows.
	users int
	place *list.Element // in unused
	bytes int64
	left  bool // no longer in the pool
}

// New returns a Pool without engines.
func New(c Config) *Pool {
	return &Pool{Config: c, open: make(map[string]*tenant), unused: list.New()}
}

// Engine returns the engine of the namespace of the caller when it is open. It stays open until ctx ends, at least. Callers who come
// while it is opened wait for it; after a failure the next one tries again. After Close the error is [hippo.ErrUnavailable].
func (p *Pool) Engine(ctx context.Context) (*engine.Engine, error) {
	return p.Of(ctx, p.Namespace(ctx))
}

// Of is [Pool.Engine] for a namespace.
func (p *Pool) Of(ctx context.Context, namespace string) (*engine.Engine, error) {
	for {
		t, closing, err := p.use(ctx, namespace)
		if err != nil {
			return nil, err
		}
		if closing { // and then it is opened again
			if err := wait(ctx, t.gone); err != nil {
				return nil, err
			}
			continue
		}
		context.AfterFunc(ctx, func() { p.release(t) })
		if err := wait(ctx, t.opened); err != nil {
			return nil, err
		}
		return t.engine, t.err
	}
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// use returns the tenant of a namespace, with one more user unless it is closing.
func (p *Pool) use(ctx context.Context, namespace string) (t *tenant, closing bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, errEnding()
	}
	if t = p.open[namespace]; t == nil {
		opening, cancel := context.WithCancel(context.WithoutCancel(ctx))
		t = &tenant{namespace: namespace, opened: make(chan struct{}), gone: make(chan struct{}), cancel: cancel}
		p.open[namespace] = t
		go p.start(opening, t)
	}
	if t.left {
		return t, true, nil
	}
	t.users++
	p.unlist(t)
	return t, false, nil
}

// unlist takes a tenant from those that nobody uses; the pool is locked.
func (p *Pool) unlist(t *tenant) {
	if t.place != nil {
		p.unused.Remove(t.place)
		t.place = nil
	}
}

func errEnding() error { return fmt.Errorf("%w: the program is ending", hippo.ErrUnavailable) }

// start opens a tenant. One that cannot be opened leaves the pool at once.
func (p *Pool) start(ctx context.Context, t *tenant) {
	e, err := p.Open(ctx, t.namespace)
	p.mu.Lock()
	if t.engine, t.err = e, err; err != nil {
		t.left = true
		if p.open[t.namespace] == t {
			delete(p.open, t.namespace)
		}
		close(t.gone)
	}
	p.mu.Unlock()
	close(t.opened)
	if err == nil {
		e.Warm(ctx)
		p.measure(t)
	}
}

// release ends a use. The tenant stays open while there is room.
func (p *Pool) release(t *tenant) {
	p.mu.Lock()
	t.users--
	switch {
	case t.users > 0:
	case t.left:
		p.close(t)
	default:
		t.place = p.unused.PushBack(t)
	}
	p.mu.Unlock()
	p.measure(t)
}

// measure takes the size of an open tenant, and makes room.
func (p *Pool) measure(t *tenant) {
	select {
	case <-t.opened:
	default:
		return // its opening measures it
	}
	if t.err != nil {
		return
	}
	size := p.Size(t.engine)
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.left {
		return
	}
	p.bytes += size - t.bytes
	t.bytes = size
	for p.Bytes > 0 && p.bytes > p.Bytes && p.unused.Len() > 0 {
		if first, ok := p.unused.Front().Value.(*tenant); ok {
			p.evict(first)
		}
	}
}

// evict closes a tenant that nobody uses; the pool is locked. It is found until it is closed, so that nobody opens it meanwhile.
func (p *Pool) evict(t *tenant) {
	p.leave(t)
	p.close(t)
}

// leave makes a tenant one that gets no more users; the pool is locked.
func (p *Pool) leave(t *tenant) {
	p.unlist(t)
	t.left = true
	p.bytes -= t.bytes
	t.bytes = 0
}

// close closes a tenant that has left and has no users; the pool is locked.
func (p *Pool) close(t *tenant) {
	if p.closed || t.engine == nil {
		return // Shut closes it, or it was not opened
	}
	p.ending.Go(func() {
		if err := t.engine.Close(); err != nil {
			p.Log.Warn("a namespace was not closed cleanly", "namespace", t.namespace, "error", err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.open[t.namespace] == t {
			delete(p.open, t.namespace)
		}
		t.cancel()
		close(t.gone)
	})
}

// Leave makes the next caller open a namespace again: its store is no longer the one that was opened. Those who use it go on with
// that.
func (p *Pool) Leave(namespace string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.open[namespace]
	if t == nil || t.left {
		return
	}
	p.leave(t)
	delete(p.open, namespace)
	if t.users == 0 {
		p.close(t)
	}
}

// Warm returns how many engines are open, and the sum of their sizes.
func (p *Pool) Warm() (engines int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open), p.bytes
}

// Shut closes all engines, and waits until ctx ends for those that are still opening.
func (p *Pool) Shut(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	all := slices.Collect(maps.Values(p.open))
	for _, t := range all {
		t.left = true
	}
	p.mu.Unlock()
	var errs []error
	for _, t := range all {
		t.cancel()
		if err := wait(ctx, t.opened); err != nil {
			errs = append(errs, fmt.Errorf("namespace %q still opening: %w", t.namespace, err))
			continue
		}
		if t.err == nil {
			errs = append(errs, t.engine.Close())
		}
	}
	p.ending.Wait()
	return errors.Join(errs...)
}

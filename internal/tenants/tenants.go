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

	mu     sync.Mutex           // never held while something waits
	found  map[string]*tenant   // by namespace; one that is evicted is found until it is closed, so that nobody opens it meanwhile
	all    map[*tenant]struct{} // those that are not closed
	unused *list.List           // of those that nobody uses, the first one for the longest time
	bytes  int64
	shut   bool
	// evicted counts those that were closed to make room.
	evicted int64
}

// tenant is the engine of a namespace, from its opening to its end.
type tenant struct {
	namespace string
	opened    chan struct{} // closed when engine and err are set
	engine    *engine.Engine
	err       error
	cancel    context.CancelFunc // of the opening
	gone      chan struct{}      // closed when the engine is closed, and unclosed set
	unclosed  error              // why it was not closed cleanly

	// The pool guards what follows.
	users  int           // callers, and the goroutine that opens it
	place  *list.Element // in unused
	bytes  int64
	left   bool // it gets no more users
	ending bool // it is being closed
}

// New returns a Pool without engines.
func New(c Config) *Pool {
	return &Pool{Config: c, found: make(map[string]*tenant), all: make(map[*tenant]struct{}), unused: list.New()}
}

// Engine returns the engine of the namespace of the caller when it is open. It stays open until ctx ends, or [Pool.Shut]. Callers who
// come while it is opened wait for it; after a failure the next one tries again. After Shut the error is [hippo.ErrUnavailable].
func (p *Pool) Engine(ctx context.Context) (*engine.Engine, error) {
	return p.Of(ctx, p.Namespace(ctx))
}

// Of is [Pool.Engine] for a namespace.
func (p *Pool) Of(ctx context.Context, namespace string) (*engine.Engine, error) {
	for ctx.Err() == nil {
		t, closing, err := p.use(ctx, namespace)
		if err != nil {
			return nil, err
		}
		if closing { // and then it is opened again
			_ = wait(ctx, t.gone)
			continue
		}
		context.AfterFunc(ctx, func() { p.release(t) })
		if err := wait(ctx, t.opened); err != nil {
			return nil, err
		}
		return t.engine, t.err
	}
	return nil, context.Cause(ctx)
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
	if p.shut {
		return nil, false, fmt.Errorf("%w: the program is ending", hippo.ErrUnavailable)
	}
	if t = p.found[namespace]; t == nil {
		t = p.begin(ctx, namespace)
	}
	if t.left {
		return t, true, nil
	}
	t.users++
	p.unlist(t)
	return t, false, nil
}

// begin begins to open a tenant; the pool is locked. It goes on when ctx ends: others may wait for it.
func (p *Pool) begin(ctx context.Context, namespace string) *tenant {
	opening, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &tenant{namespace: namespace, opened: make(chan struct{}), gone: make(chan struct{}), cancel: cancel, users: 1}
	p.found[namespace], p.all[t] = t, struct{}{}
	go p.start(opening, t)
	return t
}

// unlist takes a tenant from those that nobody uses; the pool is locked.
func (p *Pool) unlist(t *tenant) {
	if t.place != nil {
		p.unused.Remove(t.place)
		t.place = nil
	}
}

// start opens a tenant. One that cannot be opened leaves the pool before anybody learns of it.
func (p *Pool) start(ctx context.Context, t *tenant) {
	t.engine, t.err = p.Open(ctx, t.namespace)
	if t.err != nil {
		p.mu.Lock()
		p.withdraw(t)
		p.mu.Unlock()
	}
	close(t.opened)
	if t.err == nil {
		t.engine.Warm(ctx)
	}
	p.release(t)
}

// release ends a use. The tenant stays open while there is room.
func (p *Pool) release(t *tenant) {
	size := t.measure(p.Size)
	p.mu.Lock()
	defer p.mu.Unlock()
	t.users--
	if t.left {
		p.end(t)
		return
	}
	p.bytes += size - t.bytes
	t.bytes = size
	if t.users == 0 {
		t.place = p.unused.PushBack(t)
	}
	for p.Bytes > 0 && p.bytes > p.Bytes && p.unused.Len() > 0 {
		evicted := p.unused.Front().Value.(*tenant) //nolint:errcheck // it holds tenants alone
		p.leave(evicted)
		p.end(evicted)
		p.evicted++
	}
}

// isOpened reports whether the opening of a tenant has ended.
func (t *tenant) isOpened() bool {
	select {
	case <-t.opened:
		return true
	default:
		return false
	}
}

// measure returns the size of a tenant; 0: it is not open yet.
func (t *tenant) measure(size func(*engine.Engine) int64) int64 {
	if !t.isOpened() || t.err != nil {
		return 0
	}
	return size(t.engine)
}

// leave makes a tenant one that gets no more users; the pool is locked.
func (p *Pool) leave(t *tenant) {
	p.unlist(t)
	t.left = true
	p.bytes -= t.bytes
	t.bytes = 0
}

// end closes a tenant that has left when nobody uses it, or the pool is shut; the pool is locked.
func (p *Pool) end(t *tenant) {
	if t.ending || !t.isOpened() || t.users > 0 && t.err == nil && !p.shut {
		return
	}
	t.ending = true
	go p.close(t)
}

// close closes a tenant.
func (p *Pool) close(t *tenant) {
	t.cancel()
	var err error
	if t.err == nil {
		err = t.engine.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		t.unclosed = fmt.Errorf("namespace %q was not closed cleanly: %w", t.namespace, err)
		if !p.shut {
			p.Log.Warn(t.unclosed.Error())
		}
	}
	p.forget(t)
	delete(p.all, t)
	close(t.gone)
}

// forget makes the next caller open a namespace again; the pool is locked.
func (p *Pool) forget(t *tenant) {
	if p.found[t.namespace] == t {
		delete(p.found, t.namespace)
	}
}

// Leave makes the next caller open a namespace again: its store is no longer the one that was opened. Those who use it go on with
// that.
func (p *Pool) Leave(namespace string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.found[namespace]; t != nil && !t.left {
		p.withdraw(t)
	}
}

// withdraw makes a tenant one that is not found; the pool is locked.
func (p *Pool) withdraw(t *tenant) {
	p.leave(t)
	p.forget(t)
	p.end(t)
}

// Warm returns how many engines are open, the sum of their sizes, and how many were closed to make room.
func (p *Pool) Warm() (engines int, bytes, evicted int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.all), p.bytes, p.evicted
}

// Shut closes all engines, those that somebody uses as well. It waits until ctx ends; what is still opening then is closed when that
// ends.
func (p *Pool) Shut(ctx context.Context) error {
	p.mu.Lock()
	p.shut = true
	all := slices.Collect(maps.Keys(p.all))
	for _, t := range all {
		t.cancel()
		p.leave(t)
		p.end(t)
	}
	p.mu.Unlock()
	var errs []error
	for _, t := range all {
		if err := wait(ctx, t.gone); err != nil {
			errs = append(errs, fmt.Errorf("namespace %q is still open: %w", t.namespace, err))
			continue
		}
		errs = append(errs, t.unclosed)
	}
	return errors.Join(errs...)
}

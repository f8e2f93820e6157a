package tenants_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
	"github.com/hippo-memory/hippo/internal/tenants"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// opener opens engines in RAM, and knows which ones are open.
type opener struct {
	t enginetest.T

	mu     sync.Mutex
	opened map[string]int // openings of each namespace
	open   map[*engine.Engine]string
	sizes  map[string]int64
	fails  map[string]error // of the openings of a namespace
	hold   chan struct{}    // openings wait until it is closed; nil: they do not
	close  chan struct{}    // closings wait until it is closed; nil: they do not
}

func newOpener(t enginetest.T) *opener {
	return &opener{t: t, opened: make(map[string]int), open: make(map[*engine.Engine]string), sizes: make(map[string]int64), fails: make(map[string]error)}
}

// store calls a function when it is closed.
type store struct {
	driver.Backend
	closed func()
}

func (s store) Close() error {
	s.closed()
	return s.Backend.Close()
}

func (o *opener) Open(_ context.Context, namespace string) (*engine.Engine, error) {
	o.mu.Lock()
	o.opened[namespace]++
	hold, err := o.hold, o.fails[namespace]
	o.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if err != nil {
		return nil, err
	}
	var e *engine.Engine
	e = enginetest.New(o.t, &enginetest.Options{Backend: store{memstore.New(nil), func() { o.closed(e) }}})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[e] = namespace
	return e, nil
}

func (o *opener) closed(e *engine.Engine) {
	o.mu.Lock()
	closing := o.close
	delete(o.open, e)
	o.mu.Unlock()
	if closing != nil {
		<-closing
	}
}

func (o *opener) size(e *engine.Engine) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sizes[o.open[e]]
}

// count returns how many engines are open.
func (o *opener) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open)
}

// isOpen reports whether an engine is open.
func (o *opener) isOpen(e *engine.Engine) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open[e] != ""
}

// names returns the namespaces that are open, in order.
func (o *opener) names() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Values(o.open)), " ")
}

func (o *opener) openings(namespace string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.opened[namespace]
}

// set changes how the opener behaves.
func (o *opener) set(change func(*opener)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(o)
}

// namespace is the key of the namespace of a context.
type namespace struct{}

func newPool(o *opener, bytes int64) *tenants.Pool {
	return tenants.New(tenants.Config{
		Open: o.Open, Size: o.size, Bytes: bytes, Log: slog.New(slog.DiscardHandler),
		Namespace: func(ctx context.Context) string { return ctx.Value(namespace{}).(string) }, //nolint:errcheck // tests set it
	})
}

// bubble runs a test with a pool whose engines have size 1 each, with room for some; goroutines that stay are a failure.
func bubble(t *testing.T, room int64, test func(t *testing.T, p *tenants.Pool, o *opener)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpener(t)
		for _, name := range []string{"a", "b", "c", "d"} {
			o.sizes[name] = 1
		}
		p := newPool(o, room)
		test(t, p, o)
		if err := p.Shut(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if names := o.names(); names != "" {
			t.Errorf("%s is open after Shut", names)
		}
		if n, bytes, _ := p.Warm(); n != 0 || bytes != 0 {
			t.Errorf("%d engines of %d bytes are warm after Shut", n, bytes)
		}
	})
}

// use returns the engine of a namespace, and what ends its use.
func use(t *testing.T, p *tenants.Pool, name string) (*engine.Engine, func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), namespace{}, name))
	e, err := p.Engine(ctx)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return e, func() {
		cancel()
		synctest.Wait()
	}
}

// used uses a namespace for a moment.
func used(t *testing.T, p *tenants.Pool, names ...string) {
	t.Helper()
	for _, name := range names {
		_, end := use(t, p, name)
		end()
	}
}

func wants(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestPool_OneOpeningForAll(t *testing.T) {
	bubble(t, 0, func(t *testing.T, p *tenants.Pool, o *opener) {
		hold := make(chan struct{})
		o.set(func(o *opener) { o.hold = hold })
		var all sync.WaitGroup
		var engines sync.Map
		for range 50 {
			all.Go(func() {
				e, err := p.Of(t.Context(), "a")
				if err != nil {
					t.Error(err)
				}
				engines.Store(e, true)
			})
		}
		impatient, cancel := context.WithCancel(t.Context())
		all.Go(func() {
			if _, err := p.Of(impatient, "a"); !errors.Is(err, context.Canceled) {
				t.Errorf("who gives up gets %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(hold)
		all.Wait()
		n := 0
		engines.Range(func(any, any) bool { n++; return true })
		if n != 1 || o.openings("a") != 1 {
			t.Errorf("%d openings gave 50 waiters %d engines", o.openings("a"), n)
		}
	})
}

func TestPool_TriesAgain(t *testing.T) {
	bubble(t, 0, func(t *testing.T, p *tenants.Pool, o *opener) {
		down := errors.New("the server is down")
		o.set(func(o *opener) { o.fails["a"] = down })
		for range 3 {
			if _, err := p.Of(t.Context(), "a"); !errors.Is(err, down) {
				t.Errorf("got %v", err)
			}
		}
		synctest.Wait()
		if n, _, _ := p.Warm(); n != 0 || o.openings("a") != 3 {
			t.Errorf("%d openings, and %d engines are open", o.openings("a"), n)
		}
		o.set(func(o *opener) { o.fails["a"] = nil })
		used(t, p, "a")
		wants(t, "open", o.names(), "a")
	})
}

// Nobody waits for an opening any more: it goes on, and its engine is there for the next one.
func TestPool_GivenUp(t *testing.T) {
	bubble(t, 1, func(t *testing.T, p *tenants.Pool, o *opener) {
		used(t, p, "b")
		hold := make(chan struct{})
		o.set(func(o *opener) { o.hold = hold })
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Of(ctx, "a"); !errors.Is(err, context.Canceled) || o.openings("a") != 0 {
			t.Errorf("a context that has ended: got %v after %d openings", err, o.openings("a"))
		}
		ctx, cancel = context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _, _ = p.Of(ctx, "a") })
		synctest.Wait()
		cancel()
		all.Wait()
		o.set(func(o *opener) { o.sizes["b"] = 5 })
		used(t, p, "b") // there is no room for it, and what is being opened is not closed
		wants(t, "open", o.names(), "")
		close(hold)
		synctest.Wait()
		wants(t, "open after that", o.names(), "a")
		used(t, p, "a")
		if n := o.openings("a"); n != 1 {
			t.Errorf("%d openings", n)
		}
	})
}

func TestPool_Room(t *testing.T) {
	bubble(t, 2, func(t *testing.T, p *tenants.Pool, o *opener) {
		used(t, p, "a", "b", "a", "c")
		wants(t, "the least used one is closed", o.names(), "a c")
		_, end := use(t, p, "a")
		used(t, p, "b", "d")
		wants(t, "but not the one that is in use", o.names(), "a d")
		_, endB := use(t, p, "b")
		wants(t, "the one that nobody uses makes room", o.names(), "a b")
		_, endC := use(t, p, "c")
		if n, bytes, _ := p.Warm(); n != 3 || bytes != 3 {
			t.Errorf("three that are in use: %d engines of %d bytes are warm", n, bytes)
		}
		for _, end := range []func(){end, endB, endC} {
			end()
		}
		wants(t, "the bound holds again", o.names(), "b c")
		open, _, evicted := p.Warm()
		if opened := o.openings("a") + o.openings("b") + o.openings("c") + o.openings("d"); evicted != int64(opened-open) {
			t.Errorf("%d were evicted of %d, and %d are open", evicted, opened, open)
		}
		o.set(func(o *opener) { o.sizes["c"] = 3 })
		used(t, p, "c")
		wants(t, "what has grown alone above the bound is closed", o.names(), "")
	})
}

// A use lasts until its context ends, however many there are.
func TestPool_Users(t *testing.T) {
	bubble(t, 1, func(t *testing.T, p *tenants.Pool, o *opener) {
		e, end := use(t, p, "a")
		again, endAgain := use(t, p, "a")
		used(t, p, "b")
		end()
		end()
		used(t, p, "b")
		if e != again || !o.isOpen(e) {
			t.Errorf("it is open: %v", o.isOpen(e))
		}
		endAgain()
		used(t, p, "b")
		wants(t, "open", o.names(), "b")
	})
}

// Who comes while an engine is closed waits, and gets a new one.
func TestPool_WhileClosing(t *testing.T) {
	bubble(t, 1, func(t *testing.T, p *tenants.Pool, o *opener) {
		old, end := use(t, p, "a")
		end()
		closing := make(chan struct{})
		o.set(func(o *opener) { o.close = closing })
		used(t, p, "b") // evicts a
		var all sync.WaitGroup
		all.Go(func() {
			e, err := p.Of(t.Context(), "a")
			if err != nil || e == old || !o.isOpen(e) {
				t.Errorf("the old one: %v, open: %v (%v)", e == old, o.isOpen(e), err)
			}
		})
		impatient, cancel := context.WithCancel(t.Context())
		all.Go(func() {
			if _, err := p.Of(impatient, "a"); !errors.Is(err, context.Canceled) {
				t.Errorf("who gives up gets %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		if n := o.openings("a"); n != 1 {
			t.Errorf("%d openings before it was closed", n)
		}
		o.set(func(o *opener) { o.close = nil })
		close(closing)
		all.Wait()
	})
}

func TestPool_Leave(t *testing.T) {
	bubble(t, 0, func(t *testing.T, p *tenants.Pool, o *opener) {
		p.Leave("a") // it is not open
		old, end := use(t, p, "a")
		p.Leave("a")
		p.Leave("a")
		e, endNew := use(t, p, "a")
		if e == old || !o.isOpen(old) {
			t.Errorf("the old one: %v; it is open: %v", e == old, o.isOpen(old))
		}
		end()
		wants(t, "open when its last user has left", o.names(), "a")
		endNew()
		p.Leave("a")
		synctest.Wait()
		wants(t, "open when nobody used it", o.names(), "")

		hold := make(chan struct{})
		o.set(func(o *opener) { o.hold = hold })
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _, _ = p.Of(ctx, "a") })
		synctest.Wait()
		p.Leave("a")
		cancel()
		all.Wait()
		close(hold)
		synctest.Wait()
		wants(t, "open after an opening that nobody wants", o.names(), "")
	})
}

func TestPool_Shut(t *testing.T) {
	bubble(t, 0, func(t *testing.T, p *tenants.Pool, o *opener) {
		use(t, p, "a")
		p.Leave("a")
		use(t, p, "a")
		used(t, p, "b")
		hold := make(chan struct{})
		o.set(func(o *opener) { o.hold = hold })
		var all sync.WaitGroup
		all.Go(func() { _, _ = p.Of(t.Context(), "c") })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		var err error
		all.Go(func() { err = p.Shut(ctx) })
		synctest.Wait()
		wants(t, "open, but for what is opening", o.names(), "")
		cancel()
		synctest.Wait()
		if err == nil || !strings.Contains(err.Error(), `"c" is still open`) {
			t.Errorf("shut: got %v", err)
		}
		if _, err := p.Of(t.Context(), "a"); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("after Shut: got %v", err)
		}
		close(hold)
		all.Wait()
		synctest.Wait()
		wants(t, "open when the opening has ended", o.names(), "")
	})
}

// Whatever callers do in whatever order, each has an engine of its namespace that is open, the only one unless its store was left,
// and the bound holds when nobody uses any.
func TestPool_Any(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(r *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 99), 1, 40).Draw(r, "steps")
		sizes := rapid.SliceOfN(rapid.Int64Range(1, 4), 4, 4).Draw(r, "sizes")
		var failed error
		synctest.Test(t, func(t *testing.T) { failed = play(t, names, sizes, steps) })
		if failed != nil {
			r.Fatal(failed)
		}
	})
}

// held is an engine that a caller has.
type held struct {
	name   string
	engine *engine.Engine
	end    func()
}

// play does the steps, and returns what is wrong.
func play(t *testing.T, names []string, sizes []int64, steps []int) error {
	t.Helper()
	const room = 5
	o := newOpener(t)
	for i, name := range names {
		o.sizes[name] = sizes[i]
	}
	p := newPool(o, room)
	var holders []held
	for _, step := range steps {
		name := names[step%len(names)]
		switch do := step / len(names) % 5; {
		case do < 2:
			e, end := use(t, p, name)
			holders = append(holders, held{name, e, end})
		case do < 4 && len(holders) > 0:
			i := step % len(holders)
			holders[i].end()
			holders = slices.Delete(holders, i, i+1)
		case do == 4:
			p.Leave(name)
		}
		for _, h := range holders {
			if !o.isOpen(h.engine) {
				return fmt.Errorf("the engine of %s in use is closed", h.name)
			}
		}
	}
	for _, h := range holders {
		h.end()
	}
	synctest.Wait()
	n, bytes, _ := p.Warm()
	if n != o.count() || bytes > room {
		return fmt.Errorf("%d engines of %d bytes are warm, and %q are open", n, bytes, o.names())
	}
	return p.Shut(t.Context())
}

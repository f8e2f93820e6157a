package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
)

// loadAgain is how long a [Lazy] waits after a failure before it loads again: a
// missing file or a server that is down does not change within seconds, and each
// attempt may cost a download.
const loadAgain = 30 * time.Second

// State says how far a [Lazy] is.
type State uint8

// The states.
const (
	// Idle: nobody has asked yet.
	Idle State = iota
	// Loading: texts get [ErrNotReady].
	Loading
	// Ready: texts get vectors.
	Ready
	// Failed: texts get the error of loading.
	Failed
	// Closed: texts get a [hippo.ErrUnavailable].
	Closed
)

func (s State) String() string {
	switch s {
	case Idle:
		return "idle"
	case Loading:
		return "loading"
	case Ready:
		return "ready"
	case Failed:
		return "failed"
	default:
		return "closed"
	}
}

// Lazy is an [Embedder] that is loaded in the background when it is needed. Until
// then it answers [ErrNotReady], at once. After a failure it answers the error of
// loading; the first Embed or Start later than 30 seconds after it loads again.
type Lazy struct {
	model  Model
	load   func(context.Context) (Embedder, error)
	ctx    context.Context // which ends with Close
	cancel context.CancelFunc
	users  sync.WaitGroup // of the loaded Embedder, and the loader

	mu       sync.Mutex
	state    State
	err      error
	inner    Embedder
	finished chan struct{} // closed when the load under way is over
	timer    *time.Timer   // of the next attempt
	again    bool          // a failure was long enough ago
}

// NewLazy returns a Lazy that declares to be model and gets it by load. The
// context of load ends with Close. What load returns belongs to the Lazy, which
// closes it if it is an [io.Closer].
func NewLazy(model Model, load func(context.Context) (Embedder, error)) *Lazy {
	ctx, cancel := context.WithCancel(context.Background())
	return &Lazy{model: model, load: load, ctx: ctx, cancel: cancel}
}

// Model returns the declared model; that of what is loaded is equal.
func (l *Lazy) Model() Model { return l.model }

// State returns how far l is, and the error if it is [Failed]. It never blocks.
func (l *Lazy) State() (State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.err
}

// Start begins loading unless that has been done. It does not wait for it.
func (l *Lazy) Start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start()
}

// Wait starts loading and waits until it is over; its error is that of loading,
// or of ctx.
func (l *Lazy) Wait(ctx context.Context) error {
	l.mu.Lock()
	l.start()
	finished := l.finished
	l.mu.Unlock()
	if finished != nil {
		select {
		case <-finished:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == Closed {
		return l.errClosed()
	}
	return l.err
}

// Embed implements [Embedder].
func (l *Lazy) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	inner, err := l.use()
	if err != nil {
		return nil, err
	}
	defer l.users.Done()
	return inner.Embed(ctx, role, texts)
}

// use returns the loaded Embedder, which stays open until users.Done.
func (l *Lazy) use() (Embedder, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start()
	switch l.state {
	case Ready:
		l.users.Add(1)
		return l.inner, nil
	case Failed:
		return nil, l.err
	case Closed:
		return nil, l.errClosed()
	default:
		return nil, fmt.Errorf("model %s: %w", l.model.ID, ErrNotReady)
	}
}

func (l *Lazy) errClosed() error {
	return fmt.Errorf("model %s: closed: %w", l.model.ID, hippo.ErrUnavailable)
}

// start is called with l.mu held.
func (l *Lazy) start() {
	if due := l.state == Failed && l.again; l.state != Idle && !due {
		return
	}
	l.state, l.err, l.again = Loading, nil, false
	l.finished = make(chan struct{})
	l.users.Go(l.run)
}

func (l *Lazy) run() {
	inner, err := l.load(l.ctx)
	if err == nil {
		err = l.accept(inner)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer close(l.finished)
	if err == nil {
		l.inner = inner // Close looks for it after this
	}
	switch {
	case l.state == Closed:
	case err != nil:
		l.state, l.err = Failed, fmt.Errorf("model %s: %w", l.model.ID, err)
		l.timer = time.AfterFunc(loadAgain, l.allow)
	default:
		l.state = Ready
	}
}

// accept closes inner and returns an error if it is not what l declares to be.
func (l *Lazy) accept(inner Embedder) error {
	m := inner.Model()
	if m == l.model {
		return nil
	}
	err := fmt.Errorf("loaded %s (space %s, %d dimensions), want %s (space %s, %d dimensions): %w",
		m.ID, m.Space, m.Dimension, l.model.ID, l.model.Space, l.model.Dimension, hippo.ErrConflict)
	return errors.Join(err, closeEmbedder(inner))
}

func (l *Lazy) allow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.again = true
}

// Close ends loading, waits for calls that are under way, and closes what was
// loaded. Closing again does nothing.
func (l *Lazy) Close() error {
	l.mu.Lock()
	if l.state == Closed {
		l.mu.Unlock()
		return nil
	}
	l.state, l.err = Closed, nil
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.cancel()
	l.users.Wait()
	return closeEmbedder(l.inner)
}

func closeEmbedder(e Embedder) error {
	if c, ok := e.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Package groupcommit lets concurrent transactions share a commit.
//
// One goroutine, which exists while there are any, runs the transactions of a store one after the other. Those that wait
// when it becomes free form a group, which is committed, and so flushed to the disk,
// once. A transaction that fails or panics harms no other one of its group.
package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/ondemand"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// maxGroup bounds how many transactions share a commit, so that the first one does not
// wait long for its reply.
const maxGroup = 256

// Writer runs transactions on a T. It is safe for concurrent use.
type Writer[T any] struct {
	commit func(group []*Request[T]) error
	queue  chan *Request[T]
	worker ondemand.Worker

	mu     sync.RWMutex // held for reading while a request is queued
	closed bool
}

// New returns a Writer. commit runs the requests of a group and commits them. For each it calls
// [Request.Start] and, if that is true, [Request.Run]; it answers those that failed
// with [Request.Reply]. The error it returns, nil if the group is committed, is the
// reply to all others.
func New[T any](commit func(group []*Request[T]) error) *Writer[T] {
	return &Writer[T]{commit: commit, queue: make(chan *Request[T], maxGroup)}
}

// Write runs fn in a transaction and returns when it is committed, with the error of fn
// or of the commit. A caller whose ctx ends before fn has begun gets its error at once,
// and fn does not run. A panic of fn is raised again here. After Close it returns
// [hippo.ErrUnavailable].
func (w *Writer[T]) Write(ctx context.Context, d driver.Durability, fn func(T) error) error {
	r := &Request[T]{ctx: ctx, durability: d, fn: fn, reply: make(chan error, 1)}
	if err := w.enqueue(r); err != nil {
		return err
	}
	var err error
	select {
	case err = <-r.reply:
	case <-ctx.Done():
		if r.claim() {
			return ctx.Err()
		}
		err = <-r.reply // it runs already
	}
	if p, ok := errors.AsType[*panicError](err); ok {
		panic(p.value)
	}
	return err
}

func (w *Writer[T]) enqueue(r *Request[T]) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return fmt.Errorf("%w: the store is closed", hippo.ErrUnavailable)
	}
	select {
	case w.queue <- r:
		w.worker.Start(w.run)
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

// run commits all that waits.
func (w *Writer[T]) run() {
	for {
		select {
		case first := <-w.queue:
			w.commitGroup(w.gather(first))
		default:
			return
		}
	}
}

func (w *Writer[T]) commitGroup(group []*Request[T]) {
	err := w.commit(group)
	for _, r := range group {
		if !r.replied && (r.started || r.claim()) {
			r.Reply(err)
		}
	}
}

// gather returns first and the queued requests.
func (w *Writer[T]) gather(first *Request[T]) []*Request[T] {
	group := []*Request[T]{first}
	for len(group) < maxGroup {
		select {
		case r := <-w.queue:
			group = append(group, r)
		default:
			return group
		}
	}
	return group
}

// Close lets the waiting transactions run. Further calls do nothing.
func (w *Writer[T]) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.worker.Close()
	w.run() // what came when the goroutine was about to end
}

// Request is one waiting transaction. Its methods are for the commit function of [New].
type Request[T any] struct {
	ctx        context.Context
	durability driver.Durability
	fn         func(T) error
	reply      chan error
	claimed    atomic.Bool // by the first of: the goroutine of the Writer, a caller who gives up

	started, replied bool // used by the goroutine of the Writer only
}

func (r *Request[T]) claim() bool { return r.claimed.CompareAndSwap(false, true) }

// Context is that of the caller.
func (r *Request[T]) Context() context.Context { return r.ctx }

// Durability is what the caller asked for.
func (r *Request[T]) Durability() driver.Durability { return r.durability }

// Start reports whether the transaction has to be run: its caller still waits, and has no
// reply. A group may be run again, from the beginning.
func (r *Request[T]) Start() bool {
	if r.replied || !r.started && !r.claim() {
		return false
	}
	r.started = true
	if err := r.ctx.Err(); err != nil {
		r.Reply(err)
		return false
	}
	return true
}

// Run calls the function of the caller and returns its error. If the function panics
// the error says so; as a reply it becomes a panic in the goroutine of the caller.
func (r *Request[T]) Run(tx T) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v}
		}
	}()
	return r.fn(tx)
}

// Reply ends the request. It is called at most once, after Start.
func (r *Request[T]) Reply(err error) {
	r.replied = true
	r.reply <- err
}

// Context returns a context for a group, which ends when none of its callers waits any more: the end of one must not undo the others.
func Context[T any](group []*Request[T]) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var waiting atomic.Int64
	waiting.Store(int64(len(group)))
	stops := make([]func() bool, len(group))
	for i, r := range group {
		stops[i] = context.AfterFunc(r.Context(), func() {
			if waiting.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// panicError carries a panic from the goroutine of the Writer to the caller.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic in a transaction: %v", e.value) }

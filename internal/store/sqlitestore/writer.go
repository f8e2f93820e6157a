package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// writer runs all transactions on one connection, in one goroutine. Those that
// wait while it is busy are committed together: one sync for all.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	lazy  bool // the connection does not sync on commit

	requests chan *request
	done     chan struct{}
	commits  atomic.Int64 // groups so far

	mu     sync.RWMutex // held for reading while a request is handed over
	closed bool
}

// request is one waiting transaction.
type request struct {
	ctx        context.Context
	durability driver.Durability
	fn         func(driver.Tx) error
	reply      chan outcome
	// taken is set by whoever comes first: the goroutine that runs fn, or the
	// caller who gives up.
	taken atomic.Bool
}

// outcome is what became of a request.
type outcome struct {
	err      error
	panicked any
}

// maxGroup bounds how many transactions share a commit, so that the first one
// does not wait long.
const maxGroup = 256

func newWriter(conn *sql.Conn) *writer {
	w := &writer{
		conn: conn, stmts: make(map[string]*sql.Stmt),
		requests: make(chan *request, maxGroup), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// do runs fn in a transaction and returns when it is committed.
func (w *writer) do(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	r := &request{ctx: ctx, durability: d, fn: fn, reply: make(chan outcome, 1)}
	if err := w.hand(r); err != nil {
		return err
	}
	var o outcome
	select {
	case o = <-r.reply:
	case <-ctx.Done():
		if r.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		o = <-r.reply // it runs already
	}
	if o.panicked != nil {
		panic(o.panicked) // the caller's own, carried over from the writer
	}
	return o.err
}

func (w *writer) hand(r *request) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.requests <- r:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

func (w *writer) run() {
	defer close(w.done)
	for first := range w.requests {
		group := []*request{first}
		for more := true; more && len(group) < maxGroup; {
			select {
			case r, ok := <-w.requests:
				if more = ok; ok {
					group = append(group, r)
				}
			default:
				more = false
			}
		}
		w.commit(group)
	}
}

// commit runs a group in one database transaction and replies to all.
func (w *writer) commit(group []*request) {
	w.commits.Add(1)
	outcomes := make([]outcome, len(group))
	if err := w.attempt(group, outcomes); err != nil {
		for i := range outcomes {
			if outcomes[i].err == nil && outcomes[i].panicked == nil {
				outcomes[i].err = err
			}
		}
	}
	for i, r := range group {
		r.reply <- outcomes[i]
	}
}

// attempt runs the functions of a group; those that fail are rolled back alone.
func (w *writer) attempt(group []*request, outcomes []outcome) error {
	ctx := context.Background() // one caller's end must not undo the others
	if err := w.sync(ctx, group); err != nil {
		return err
	}
	if err := w.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := w.all(ctx, group, outcomes)
	if err == nil {
		err = w.exec(ctx, "COMMIT")
	}
	if err != nil {
		_ = w.exec(ctx, "ROLLBACK") // fails when SQLite already did it
	}
	return err
}

// all runs the functions of a group inside the transaction.
func (w *writer) all(ctx context.Context, group []*request, outcomes []outcome) error {
	head, err := readHead(ctx, &tx{w: w})
	if err != nil {
		return err
	}
	t := &tx{w: w, head: head}
	for i, r := range group {
		if outcomes[i], err = w.one(ctx, t, r); err != nil {
			return err
		}
	}
	if t.head == head {
		return nil
	}
	return w.exec(ctx, "UPDATE state SET revision = ?, day = ?, date = ?, memories = ?, forgotten = ?, relations = ?",
		int64(t.head.Revision), int(t.head.Calendar.Day), t.head.Calendar.Date, t.head.Memories, t.head.Forgotten, t.head.Relations)
}

// one runs a request inside a savepoint. The error is about the database; what
// the function did wrong is in the outcome.
func (w *writer) one(ctx context.Context, t *tx, r *request) (o outcome, err error) {
	if r.ctx.Err() != nil || !r.taken.CompareAndSwap(false, true) {
		return outcome{err: r.ctx.Err()}, nil
	}
	if err := w.exec(ctx, "SAVEPOINT one"); err != nil {
		return o, err
	}
	before := t.head
	t.ctx, t.known = context.WithoutCancel(r.ctx), make(map[hippo.ID]stored)
	o = call(r.fn, t)
	if o.err == nil && o.panicked == nil {
		o.err = r.ctx.Err()
	}
	if o.err == nil && o.panicked == nil {
		return o, w.exec(ctx, "RELEASE one")
	}
	t.head = before
	if err := w.exec(ctx, "ROLLBACK TO one"); err != nil {
		// SQLite undid the whole group, as it does when the disk is full: what it
		// said to this function is the reason for all.
		if cause, ok := errors.AsType[*sqlite.Error](o.err); ok {
			return o, cause
		}
		return o, err
	}
	return o, w.exec(ctx, "RELEASE one")
}

func call(fn func(driver.Tx) error, t *tx) (o outcome) {
	defer func() { o.panicked = recover() }()
	return outcome{err: fn(t)}
}

// sync sets whether commits sync, before the transaction begins.
func (w *writer) sync(ctx context.Context, group []*request) error {
	lazy := true
	for _, r := range group {
		lazy = lazy && r.durability == driver.Lazy
	}
	if lazy == w.lazy {
		return nil
	}
	mode := "FULL"
	if lazy {
		mode = "NORMAL"
	}
	err := w.exec(ctx, "PRAGMA synchronous = "+mode)
	if err == nil {
		w.lazy = lazy
	}
	return err
}

// stmt returns a prepared statement, made at first use.
func (w *writer) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(ctx, query)
	if err == nil {
		w.stmts[query] = s
	}
	return s, err
}

func (w *writer) exec(ctx context.Context, query string, args ...any) error {
	s, err := w.stmt(ctx, query) //nolint:sqlclosecheck // the writer keeps it until it closes
	if err == nil {
		_, err = s.ExecContext(ctx, args...)
	}
	return err
}

// close waits for the waiting transactions and ends the goroutine.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	close(w.requests)
	w.mu.Unlock()
	<-w.done
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

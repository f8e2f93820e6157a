package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/groupcommit"
)

// Tx is a transaction that excludes all other writers, of every process. It is used by
// one goroutine, inside of [DB.Update] or [Writer.Write]. Statements are prepared once
// for the life of the file, so queries should be few and constant.
type Tx struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	lazy  bool // commits do not flush the disk
	// damage is that of the file.
	damage *damage
	inVain inVain // see whenFree
	file   *File
}

// Number is [File.Number] of the file that is written.
func (t *Tx) Number() string { return t.file.Number() }

// stmt returns a prepared statement.
func (t *Tx) stmt(query string) (*sql.Stmt, error) {
	if s, ok := t.stmts[query]; ok {
		return s, nil
	}
	s, err := t.conn.PrepareContext(context.Background(), query)
	if err == nil {
		t.stmts[query] = s
	}
	return s, err
}

// Exec runs a statement.
func (t *Tx) Exec(query string, args ...any) error {
	_, err := t.exec(query, args)
	return err
}

// Script runs several statements without arguments, which are not kept prepared.
func (t *Tx) Script(statements string) error {
	_, err := t.conn.ExecContext(context.Background(), statements)
	return err
}

// cacheSize is the room for pages that a connection has, in KiB.
const cacheSize = 1024

// WithCache runs fn with room for more pages, in bytes.
func (t *Tx) WithCache(bytes int, fn func() error) error {
	if err := t.Script(fmt.Sprintf("PRAGMA cache_size = -%d", bytes>>10)); err != nil {
		return err
	}
	err := fn()
	return errors.Join(err, t.Script(fmt.Sprintf("PRAGMA cache_size = -%d", cacheSize)))
}

// Insert runs an INSERT and returns the row ID.
func (t *Tx) Insert(query string, args ...any) (int64, error) {
	r, err := t.exec(query, args)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (t *Tx) exec(query string, args []any) (sql.Result, error) {
	s, err := t.stmt(query) //nolint:sqlclosecheck // it is kept until the file is closed
	if err != nil {
		return nil, err
	}
	r, err := s.ExecContext(context.Background(), args...)
	return r, t.damage.judge(err)
}

// QueryContext implements [Queryer].
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.stmt(query) //nolint:sqlclosecheck // it is kept until the file is closed
	if err != nil {
		return nil, err
	}
	return s.QueryContext(context.WithoutCancel(ctx), args...)
}

// flush sets whether commits flush the disk, before a transaction begins.
func (t *Tx) flush(d driver.Durability) error {
	lazy, mode := false, "FULL"
	if d == driver.Lazy {
		lazy, mode = true, "NORMAL"
	}
	if lazy == t.lazy {
		return nil
	}
	err := t.Exec("PRAGMA synchronous = " + mode)
	if err == nil {
		t.lazy = lazy
	}
	return err
}

// checkpoint brings the log into a file that is no longer at its path, if no other process has that open. SQLite itself does not
// checkpoint when it closes such a file. To leave WAL mode would do so, but open the log that is at the path then: it belongs to
// another file.
func (t *Tx) checkpoint() {
	// The first write in this mode locks the file exclusively.
	if t.Script("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT") == nil {
		_ = t.Script("PRAGMA wal_checkpoint(TRUNCATE)")
	}
}

func (t *Tx) close() error {
	var errs []error
	for _, s := range t.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, t.conn.Close())...)
}

// Update runs fn in a transaction and commits it; if fn fails nothing changes and Update
// returns its error. Calls are serialized; [Writer] commits several together. A file of derived
// data is never flushed to the disk, and an update of one that was deleted or replaced meanwhile
// is lost with it, without an error.
// Errors: [hippo.ErrReadOnly], and those of SQLite, explained.
func (d *DB) Update(ctx context.Context, durability driver.Durability, fn func(*Tx) error) error {
	return d.Explain("write", d.update(ctx, durability, fn, nil))
}

// maxRepeats bounds how often an update is tried because the file was replaced, repeatPause is the time before the second
// time, twice that before the third, and so on: who closes the former file may still tidy up beside the new one.
const maxRepeats, repeatPause = 4, 20 * time.Millisecond

// update runs fn in a transaction. mark, if not nil, returns the same text of two files that both have the changes of fn: a
// commit that is in the file that is now at the path is not repeated.
func (d *DB) update(ctx context.Context, durability driver.Durability, fn func(*Tx) error, mark func(Queryer) (string, error)) error {
	if err := take(ctx, d); err != nil {
		return err
	}
	defer pass(d)
	if d.derived() {
		durability = driver.Lazy
	}
	done := "" // the mark of a commit to a file that was not in its place
	for i := range maxRepeats {
		time.Sleep(time.Duration(i) * repeatPause)
		f, err := d.acquire(ctx)
		if err != nil {
			return err
		}
		if done != "" && done == marked(f, mark) {
			f.release()
			return nil
		}
		kept, err := f.update(ctx, durability, d.derived(), fn)
		if !kept && err == nil && f.tx != nil {
			done = marked(f.tx, mark)
		}
		f.release()
		if kept {
			return err
		}
		d.drop(f)
		if d.derived() {
			return err
		}
	}
	return fmt.Errorf("%w: store %s is being replaced again and again", hippo.ErrUnavailable, d.path)
}

// marked returns the mark of a file; empty if it cannot be read.
func marked(q Queryer, mark func(Queryer) (string, error)) string {
	if mark == nil {
		return ""
	}
	m, err := mark(q)
	if err != nil {
		return ""
	}
	return m
}

// update runs fn in a transaction. kept is false if the file, or the log that has the
// transaction, is no longer at its path.
func (f *File) update(ctx context.Context, d driver.Durability, derived bool, fn func(*Tx) error) (kept bool, err error) {
	if f.tx == nil {
		return true, readOnly(f)
	}
	if !derived {
		if err := Unfit(f.path); err != nil {
			return true, err
		}
	}
	if err := whyDamaged(ctx, f, derived); err != nil {
		return true, err
	}
	err = f.damage.judge(transact(ctx, f, d, fn))
	return f.logged(), err
}

func readOnly(f *File) error {
	if f.unfit != nil {
		return f.unfit
	}
	if f.immutable && !sharesMaps(filepath.Dir(f.path)) {
		return fmt.Errorf("%w: store %s was made where processes can share memory, and its file system cannot: it can be read here. "+
			"To write, back it up (hippo backup FILE) and restore that into a new store (hippo restore FILE --store NEW)", hippo.ErrReadOnly, f.path)
	}
	return fmt.Errorf("%w: store %s", hippo.ErrReadOnly, f.path)
}

// transact runs fn between BEGIN and COMMIT.
func transact(ctx context.Context, f *File, d driver.Durability, fn func(*Tx) error) error {
	t := f.tx
	if err := t.flush(d); err != nil {
		return err
	}
	if err := begin(ctx, f); err != nil {
		return err
	}
	defer beat(f)()
	if f.rollback { // those that read keep a commit waiting
		if err := t.waitFor(busyTimeout); err != nil {
			return errors.Join(err, t.Exec("ROLLBACK"))
		}
		defer t.waitFor(0) //nolint:errcheck // the next one waits longer then
	}
	committed := false
	defer func() {
		if !committed { // also if fn panics
			_ = t.Exec("ROLLBACK") // fails when SQLite already did it
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	err := t.Exec("COMMIT")
	committed = err == nil
	return err
}

// Writer commits the transactions of concurrent callers together; see [groupcommit].
// Each runs inside of a savepoint, so that those that fail are undone alone.
type Writer[T any] struct {
	db    *DB
	ahead func()
	begin func(*Tx, driver.Durability) (Group[T], error)
	queue *groupcommit.Writer[T]
}

// Group is the state of a driver during a group of transactions.
type Group[T any] interface {
	// Begin returns what the next function is called with. ctx has the values of that
	// of its caller, and does not end.
	Begin(ctx context.Context) T
	// Keep is called with that when the function succeeded. When it failed, what it did
	// to the file is undone, and what it did to its T must not be seen by later ones.
	Keep(T)
	// End is called before the commit.
	End() error
	// Mark returns a text that a file with the changes of the group has, and another one, or one with later changes, as
	// good as never; empty if that is not known.
	Mark(q Queryer) (string, error)
	// Done is called after it, with what it returned.
	Done(error)
}

// NewWriter returns a Writer on a file. begin is called at the beginning of a group, in
// its transaction, with the highest durability that its callers ask for. ahead, if not nil,
// is called before that transaction, for what need not lock others out. The Writer is to
// be closed before the file.
func NewWriter[T any](db *DB, ahead func(), begin func(*Tx, driver.Durability) (Group[T], error)) *Writer[T] {
	w := &Writer[T]{db: db, ahead: ahead, begin: begin}
	w.queue = groupcommit.New(w.commit)
	return w
}

// Write runs fn in a transaction and returns when it is committed. A panic of fn is
// raised again in the goroutine of the caller. Errors: that of fn, [hippo.ErrReadOnly],
// and those of SQLite, explained.
func (w *Writer[T]) Write(ctx context.Context, d driver.Durability, fn func(T) error) error {
	return w.db.Explain("write", w.queue.Write(ctx, d, fn))
}

// Close waits for the running and the queued transactions.
func (w *Writer[T]) Close() { w.queue.Close() }

// commit runs a group in one database transaction.
func (w *Writer[T]) commit(requests []*groupcommit.Request[T]) error {
	d := driver.Lazy
	for _, r := range requests {
		if r.Durability() == driver.Durable {
			d = driver.Durable
		}
	}
	if w.ahead != nil {
		w.ahead()
	}
	ctx, stop := groupcommit.Context(requests)
	defer stop()
	var g Group[T]
	err := w.db.update(ctx, d, func(tx *Tx) error {
		begun, err := w.begin(tx, d)
		if err != nil {
			return err
		}
		g = begun
		for _, r := range requests {
			if err := run(tx, g, r); err != nil {
				return err
			}
		}
		return g.End()
	}, func(q Queryer) (string, error) { return g.Mark(q) })
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = requests[0].Context().Err() // as that of each
	}
	if g != nil {
		g.Done(err)
	}
	return err
}

// run runs one request inside of a savepoint. It returns what is wrong with the
// database; what the function did wrong is the reply to its caller.
func run[T any](tx *Tx, g Group[T], r *groupcommit.Request[T]) error {
	if !r.Start() {
		return nil
	}
	if err := tx.Exec("SAVEPOINT one"); err != nil {
		return err
	}
	t := g.Begin(context.WithoutCancel(r.Context()))
	err := r.Run(t)
	if err == nil {
		err = r.Context().Err()
	}
	if err == nil {
		g.Keep(t)
		return tx.Exec("RELEASE one")
	}
	err = tx.damage.judge(err)
	r.Reply(err)
	if undo := tx.Exec("ROLLBACK TO one"); undo != nil {
		// SQLite undid the whole group, as it does when the disk is full: what it
		// said to this function is the reason for all.
		if cause, ok := errors.AsType[*sqlite.Error](err); ok {
			return cause
		}
		return undo
	}
	return tx.Exec("RELEASE one")
}

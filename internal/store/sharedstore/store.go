// Package sharedstore keeps memories in the database file of another program, in place: of claude-hippo,
// mcp-memory-service-rs or mcp-memory-service. They go on using the file, at the same time too.
//
// The file has two parts. Table memories and what belongs to it are theirs. The tables of package
// sqlitestore beside them hold the memories as this program knows them, with what those tables cannot
// hold. Both are written in one transaction: a row of memories shows a memory to the others, and what they
// change there is applied to the memory before the next read or write.
//
// A row has a text of its own. Memories with equal texts, as the other programs compare them, share a row,
// which shows the first of them.
package sharedstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// client is the client of the memories of the other programs.
const client = "shared"

// Store is a [driver.Backend] on a file of another program. It is safe for concurrent use.
type Store struct {
	inner  *sqlitestore.Store
	writer *sqlitex.Writer[*tx]
	relations
	vectors
	driver.History
	driver.Leases
	now func() time.Time
	// rest takes over the rows that are left when the store is open.
	rest rest
	// seen is the state of the file up to which the changes of other programs were applied.
	seen atomic.Pointer[seen]
	// space is what is known of the vectors of the other programs.
	space atomic.Int32
	// read is the last state that a reader compared with that.
	read atomic.Pointer[sqlitex.State]
}

// seen is a state of the file, as the connection that writes numbers them.
type seen struct {
	tx      *sqlitex.Tx
	version int64
	layout  layout
	// left are the ids of new rows that were not taken over yet, in ascending order.
	left []int64
}

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// Now is the clock, for what another program removed without a time; nil means the system's.
	Now func() time.Time
	// Gradual: of many new rows the last ones are taken over before the first read, and all others in the background.
	// [driver.Head] says how many are missing.
	Gradual bool
	// Log reports the copy that is made of a file before it is written for the first time; nil discards.
	Log *slog.Logger
}

// Open opens the file, after a copy of it was made if it is the first time, and applies what other programs
// did since the last time. A file that does not exist is created, as those programs do it.
//
// Errors: those of [sqlitex.Open], and [hippo.ErrUnsupported] with the table or the column for a file that is
// of none of these programs, or of a version of one that cannot be written. It is left as it is then.
func Open(ctx context.Context, path string, o *Options) (*Store, error) {
	if o == nil {
		o = &Options{}
	}
	s := &Store{now: time.Now} //nolint:forbidigo // the system clock is the default
	if o.Now != nil {
		s.now = o.Now
	}
	inner, err := sqlitestore.OpenGuest(ctx, path, guest{path}, o.Log)
	if err != nil {
		return nil, err
	}
	s.inner = inner
	s.History, s.Leases = inner, inner
	s.writer = sqlitex.NewWriter(inner.DB(), func() { ahead(s) }, func(t *sqlitex.Tx, _ driver.Durability) (sqlitex.Group[*tx], error) { return s.begin(t) })
	s.relations, s.vectors = relations{inner, s.writer}, vectors{inner, s.writer}
	if o.Gradual {
		s.rest.fn, s.rest.log = func(ctx context.Context) error { return takeRest(ctx, s) }, o.Log
	}
	if err := s.current(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !s.rest.take() { // else it does
		err = sweep(sqlitex.Briefly(ctx), s)
	}
	if err != nil && !errors.Is(err, hippo.ErrReadOnly) && !errors.Is(err, hippo.ErrCorrupt) && !sqlitex.Held(err) {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// current applies what other programs did, if they did anything. Cost: some 10 us if they did not.
func (s *Store) current(ctx context.Context) error {
	if left(s) > 0 && s.rest.take() {
		return nil // and what others did is applied with each part
	}
	now, err := s.inner.DB().State(ctx)
	if err != nil {
		return err
	}
	if last := s.read.Load(); last != nil && *last == now && left(s) == 0 {
		return nil
	}
	switch err := catchUpAll(sqlitex.Briefly(ctx), s); {
	case errors.Is(err, hippo.ErrReadOnly), errors.Is(err, hippo.ErrCorrupt), sqlitex.Held(err):
		return nil // what was applied so far can be read
	case err != nil:
		return err
	}
	s.read.Store(&now)
	return nil
}

// catchUpAll applies what other programs did, and takes over what is left, or of that a part if the rest is taken over in the
// background.
func catchUpAll(ctx context.Context, s *Store) error {
	err := catchUp(ctx, s)
	if err == nil && left(s) > 0 {
		_, err = takePart(ctx, s)
	}
	if err == nil && left(s) > 0 && !s.rest.take() {
		err = takeAll(ctx, s)
	}
	return err
}

// ahead applies what other programs did before a transaction of this one, so that as a rule that need not compare all rows while
// it locks them out. What fails here also fails there.
func ahead(s *Store) { _ = catchUp(context.Background(), s) }

// Get implements [driver.Backend].
func (s *Store) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	return s.inner.Get(ctx, ids)
}

// Head implements [driver.Backend].
func (s *Store) Head(ctx context.Context) (driver.Head, error) {
	if err := s.current(ctx); err != nil {
		return driver.Head{}, err
	}
	pending := left(s) // before what was taken over is counted: together they are not too few
	h, err := s.inner.Head(ctx)
	h.Pending = pending
	return h, err
}

// Changes implements [driver.Backend].
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		if err := s.current(ctx); err != nil {
			yield(driver.Change{}, err)
			return
		}
		s.inner.Changes(ctx, since)(yield)
	}
}

// Uses implements [driver.Backend].
func (s *Store) Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	return s.inner.Uses(ctx, since)
}

// Write implements [driver.Backend].
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return s.writer.Write(ctx, d, func(t *tx) error { return fn(t) })
}

// Problems implements [driver.Backend]: those of the store, and rows of the others that cannot be memories.
func (s *Store) Problems(ctx context.Context) ([]api.StoreProblem, error) {
	list, err := s.inner.Problems(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.badRows(ctx)
	return append(list, rows...), err
}

// Check implements [driver.Checker].
func (s *Store) Check(ctx context.Context) ([]api.StoreProblem, error) {
	list, err := s.inner.Check(ctx)
	if err != nil {
		return list, err
	}
	rows, err := s.badRows(ctx)
	return append(list, rows...), err
}

// badRows lists the rows that cannot be memories, or only without a column. Cost: a read of all rows.
func (s *Store) badRows(ctx context.Context) (list []api.StoreProblem, err error) {
	err = s.inner.DB().View(ctx, func(f *sqlitex.File) error {
		return f.Snapshot(ctx, func(q sqlitex.Queryer) error {
			l, err := readLayout(ctx, q)
			if err != nil {
				return err
			}
			return l.eachRow(ctx, q, "deleted_at IS NULL", func(r *row) {
				_, bad := r.object()
				if _, err := r.memory(); err != nil {
					bad = err
				}
				if bad != nil {
					list = append(list, api.StoreProblem{Path: s.inner.DB().Path(), Err: fmt.Sprintf("memories row %d: %v", r.id, bad)})
				}
			})
		})
	})
	return list, err
}

// Close implements [driver.Backend].
func (s *Store) Close() error {
	s.rest.end()
	s.writer.Close()
	return s.inner.Close()
}

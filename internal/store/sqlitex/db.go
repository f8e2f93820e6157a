// Package sqlitex opens, reads, writes and closes SQLite files, without cgo, for the
// drivers of the store that keep their data in one. It knows none of their tables.
//
// Files are in WAL mode: one connection writes, others read and never wait for it. Any
// number of processes may have a file open. A commit that is acknowledged as durable was
// flushed to the disk. Errors of SQLite are mapped to those of package hippo and name
// the file.
package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"sync"

	"github.com/hippo-memory/hippo"
)

// DB is an open SQLite file. It is safe for concurrent use.
//
// It follows its path: when the file there was replaced while it was open, by a rename for
// example, the next call opens the new one, and when it was deleted or moved, calls return
// [hippo.ErrUnavailable] until there is a file again. A write that was committed to a file
// that is no longer at the path is repeated on the new one.
type DB struct {
	path    string
	options Options
	writing chan struct{} // holds a token during an update

	mu     sync.RWMutex // guards what follows
	file   *File        // nil if it could not be opened again
	closed bool
}

// Options configures a [DB]; the zero value and nil are useful.
type Options struct {
	// ReadOnly opens an existing file without the right to change it.
	ReadOnly bool
	// Schema is brought up to date when the file is opened. The zero Schema leaves the
	// tables to the caller.
	Schema Schema
	// Guest, if not nil, has tables in the file of another program. Schema is zero then.
	Guest Guest
	// Log reports migrations, and files that were replaced; nil discards.
	Log *slog.Logger

	// ensure, if not nil, completes a file that was opened; see [OpenDerived].
	ensure func(context.Context, *File) error
}

// Open opens the file, creating it and its folder (readable by the user alone) if they do
// not exist, and brings its schema up to date. A file that cannot be written, itself or
// its folder, is opened for reading, and [DB.Update] returns [hippo.ErrReadOnly].
//
// Errors: [hippo.ErrInvalid] for what is not a regular file, [hippo.ErrCorrupt] for a file
// that is not a sound database, [hippo.ErrUnsupported] for one of another or a
// newer program, [hippo.ErrReadOnly] for one that has to be migrated and cannot be
// written, and [hippo.ErrUnavailable] for what cannot be reached.
func Open(ctx context.Context, path string, o *Options) (*DB, error) {
	d := &DB{path: path, writing: make(chan struct{}, 1)}
	if o != nil {
		d.options = *o
	}
	if d.options.Log == nil {
		d.options.Log = slog.New(slog.DiscardHandler)
	}
	if !d.options.ReadOnly {
		if err := create(ctx, path, &d.options); err != nil {
			return nil, err
		}
	}
	f, err := openFile(ctx, path, &d.options)
	if err != nil {
		return nil, err
	}
	d.file = f
	return d, nil
}

// Path is the name of the file.
func (d *DB) Path() string { return d.path }

// Close closes the file. Later calls of methods return [hippo.ErrUnavailable], those of
// Close do nothing.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.file
	d.file, d.closed = nil, true
	switch {
	case f == nil:
		return nil
	case f.logged():
		return f.close()
	default:
		return f.detach(d.options.Log)
	}
}

// acquire returns the file that is at the path. The caller calls its release.
func (d *DB) acquire(ctx context.Context) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.RLock()
	f := d.file
	if f != nil && f.current() {
		f.users.Add(1)
		d.mu.RUnlock()
		return f, nil
	}
	d.mu.RUnlock()
	d.drop(f)
	return d.reopen(ctx)
}

// drop closes a file that is no longer at the path, unless that was done already.
func (d *DB) drop(f *File) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f == nil || d.file != f {
		return
	}
	d.file = nil
	d.options.Log.Warn("the file of the store was replaced, moved or deleted", "store", d.path)
	if err := f.detach(d.options.Log); err != nil {
		d.options.Log.Warn("the file that was replaced cannot be closed", "store", d.path, "error", err)
	}
}

// reopenings is how often a file is opened that is replaced while that happens: derived data is removed and made again by any process
// that finds it damaged.
const reopenings = 3

// reopen opens what is at the path now.
func (d *DB) reopen(ctx context.Context) (*File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, fmt.Errorf("%w: store %s is closed", hippo.ErrUnavailable, d.path)
	}
	if d.file == nil { // nobody else did it meanwhile
		if _, err := os.Stat(d.path); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%w: store %s was deleted or moved while it was open: put it back", hippo.ErrUnavailable, d.path)
		}
		f, err := openFile(context.WithoutCancel(ctx), d.path, &d.options)
		for n := 1; n < reopenings && errors.Is(err, errMoved); n++ {
			f, err = openFile(context.WithoutCancel(ctx), d.path, &d.options)
		}
		if err != nil {
			return nil, err
		}
		d.file = f
	}
	d.file.users.Add(1)
	return d.file, nil
}

// Queryer is what reads data: a [File] and a [Tx].
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// View calls fn with the file. Each query sees the last commit, and all of them see one
// file, also if it is replaced meanwhile. Errors of SQLite are explained.
func (d *DB) View(ctx context.Context, fn func(*File) error) error {
	f, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer f.release()
	return d.Explain("read", fn(f))
}

// Rows yields the rows of a query, for the loop to scan. An error is the last it yields.
func Rows(ctx context.Context, q Queryer, query string, args ...any) iter.Seq2[*sql.Rows, error] {
	return func(yield func(*sql.Rows, error) bool) {
		rows, err := q.QueryContext(ctx, query, args...)
		if err == nil {
			defer rows.Close() //nolint:errcheck // rows.Err has it
			for rows.Next() {
				if !yield(rows, nil) {
					return
				}
			}
			err = rows.Err()
		}
		switch q := q.(type) {
		case *File:
			err = q.damage.judge(err)
		case *Tx:
			err = q.damage.judge(err)
		case snapshot:
			err = q.judge(err)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// First scans the first row of a query into dest, and reports whether there is one.
func First(ctx context.Context, q Queryer, query string, args []any, dest ...any) (bool, error) {
	for rows, err := range Rows(ctx, q, query, args...) {
		if err == nil {
			err = rows.Scan(dest...)
		}
		return err == nil, err
	}
	return false, nil
}

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
	"net/url"
	"os"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite" // the database driver

	"github.com/hippo-memory/hippo"
)

// DB is an open SQLite file. It is safe for concurrent use.
type DB struct {
	path      string
	schema    Schema
	log       *slog.Logger
	immutable *immutable // nil unless SQLite reads the file without locks
	reads     *sql.DB
	stmts     sync.Map      // of the reads: query -> *sql.Stmt, prepared at first use
	writes    *sql.DB       // nil if the file can only be read
	writing   chan struct{} // holds a token while tx is in use
	tx        *Tx
	close     func() error
}

// Options configures a [DB]; the zero value and nil are useful.
type Options struct {
	// ReadOnly opens an existing file without the right to change it.
	ReadOnly bool
	// Schema is brought up to date when the file is opened. The zero Schema leaves the
	// tables to the caller.
	Schema Schema
	// Log reports migrations; nil discards.
	Log *slog.Logger
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
	if o == nil {
		o = &Options{}
	}
	readOnly, err := prepare(path, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	d := &DB{path: path, schema: o.Schema, log: o.Log, writing: make(chan struct{}, 1)}
	err = d.openReads(ctx, readOnly)
	if needsFolder(err) {
		if d.immutable = immutableFile(path); d.immutable != nil {
			readOnly, err = true, d.openReads(ctx, true)
		}
	}
	if err != nil {
		return nil, err
	}
	if readOnly {
		return d, nil
	}
	if err := d.openWriter(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// openReads opens the connections that read, and refuses a file that does not fit.
func (d *DB) openReads(ctx context.Context, readOnly bool) error {
	more := "_pragma=query_only(1)"
	if d.immutable != nil {
		more += "&immutable=1"
	}
	var err error
	if d.reads, err = pool(d.path, readOnly, more); err != nil {
		return d.Explain("open", err)
	}
	d.reads.SetMaxOpenConns(readConns)
	d.reads.SetMaxIdleConns(readConns)
	d.close = d.reads.Close
	if err := d.schema.check(ctx, d.reads, d.path, readOnly); err != nil {
		return errors.Join(d.Explain("open", err), d.Close())
	}
	return nil
}

// writePragmas make every commit flush the disk, and keep what a savepoint undoes in RAM.
const writePragmas = "_txlock=immediate&_pragma=temp_store(memory)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"

// readConns bounds concurrent reads, and with it the RAM of their caches.
const readConns = 2

// openWriter opens the connection that writes, and migrates.
func (d *DB) openWriter(ctx context.Context) error {
	var err error
	if d.writes, err = pool(d.path, false, writePragmas); err != nil {
		return d.Explain("open", err)
	}
	d.close = sync.OnceValue(func() error { return errors.Join(d.reads.Close(), d.writes.Close()) })
	conn, err := d.writes.Conn(ctx)
	if err != nil {
		return d.Explain("open", err)
	}
	if err = makeWAL(ctx, conn); err == nil {
		err = d.schema.migrate(ctx, conn, d.log)
	}
	if err != nil {
		return errors.Join(d.Explain("open", err), conn.Close())
	}
	d.tx = &Tx{conn: conn, stmts: make(map[string]*sql.Stmt)}
	d.close = sync.OnceValue(func() error { return errors.Join(d.tx.close(), d.reads.Close(), d.writes.Close()) })
	return nil
}

// prepare ensures that there is a file, and reports whether it can only be read. It
// never opens a file that exists; see canWrite.
func prepare(path string, readOnly bool) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return false, fmt.Errorf("%w: store %s is a directory, want a file (dir:%s opens a directory of JSON files)", hippo.ErrInvalid, path, path)
	case err == nil && !info.Mode().IsRegular():
		return false, fmt.Errorf("%w: store %s is a device or a pipe, want a file", hippo.ErrInvalid, path)
	case err == nil:
		return readOnly || !canWrite(path), nil
	case !errors.Is(err, os.ErrNotExist) || readOnly:
		return false, fmt.Errorf("%w: store: %w", hippo.ErrUnavailable, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("%w: store: %w", hippo.ErrUnavailable, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, os.ErrExist): // another process was faster
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w: store: %w", hippo.ErrUnavailable, err)
	}
	return false, f.Close()
}

// dsn returns the data source name of the file. An absolute path is never taken
// for the name of something else, as ":memory:" and "//host" are.
func dsn(path string, readOnly bool, more string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	u.RawQuery = fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=cache_size(-1024)&%s", busyTimeout.Milliseconds(), more)
	if readOnly {
		u.RawQuery += "&mode=ro"
	}
	return u.String(), nil
}

// pool returns connections to the file, none of them open yet.
func pool(path string, readOnly bool, more string) (*sql.DB, error) {
	name, err := dsn(path, readOnly, more)
	if err != nil {
		return nil, err
	}
	return sql.Open("sqlite", name)
}

// Path is the name of the file.
func (d *DB) Path() string { return d.path }

// ReadOnly reports whether the file can only be read.
func (d *DB) ReadOnly() bool { return d.tx == nil }

// Close closes the file. Further calls do nothing.
func (d *DB) Close() error { return d.close() }

// Queryer is what reads data: a [DB] inside of [DB.View], and a [Tx].
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// View calls fn with what the file holds. Each query sees the last commit.
// Errors of SQLite are explained.
func (d *DB) View(ctx context.Context, fn func(Queryer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.immutable.check(); err != nil {
		return err
	}
	return d.Explain("read", fn((*reader)(d)))
}

// reader is a [Queryer] on the connections that read.
type reader DB

// QueryContext implements [Queryer]. All reads are short: ctx is looked at before, not
// during a query, because watching it costs the driver a goroutine each time.
func (r *reader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	st, err := r.stmt(ctx, query) //nolint:sqlclosecheck // it is kept until the file is closed
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// stmt returns a prepared statement on the connections that read.
func (r *reader) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st, ok := r.stmts.Load(query); ok {
		return st.(*sql.Stmt), nil //nolint:errcheck // nothing else is kept there
	}
	st, err := r.reads.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r.stmts.Store(query, st) // a statement that lost a race is closed with the file
	return st, nil
}

// Rows yields the rows of a query, for the loop to scan. An error is the last it yields.
func Rows(ctx context.Context, q Queryer, query string, args ...any) iter.Seq2[*sql.Rows, error] {
	return func(yield func(*sql.Rows, error) bool) {
		rows, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close() //nolint:errcheck // rows.Err has it
		for rows.Next() {
			if !yield(rows, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
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

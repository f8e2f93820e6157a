// Package sqlitestore keeps memories in one SQLite file, without cgo. Several
// processes may share the file.
//
// The schema is in migrations/; PRAGMA user_version holds the number of the last
// one applied. Every write runs on one connection in one goroutine, which commits
// waiting transactions together; reads have connections of their own and never
// wait for writes (WAL). A commit that is acknowledged as durable was synced.
//
// It refuses to touch what it does not understand: a file that is not a
// database, is damaged, or was written by another or a newer program.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite" // the database driver

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Store is a [driver.Backend] on a SQLite file. It is safe for concurrent use.
type Store struct {
	path  string
	still *still // nil unless it is read as a file that nobody writes
	reads *sql.DB
	stmts sync.Map // of the reads: query -> *sql.Stmt, prepared at first use
	// strongest is the statement of that name: long, and asked in every search.
	strongest string
	writes    *sql.DB
	writer    *writer
	close     func() error
}

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// ReadOnly opens an existing file without the right to change it.
	ReadOnly bool
	// Log tells of migrations; nil discards.
	Log *slog.Logger
}

// Open opens the file, making it and its folder (readable by the user alone) if
// they do not exist, and brings its schema up to date. A file that may not be
// written, or whose folder cannot, is opened for reading, and writes are
// [hippo.ErrReadOnly].
// Errors: [hippo.ErrInvalid] for what is not a file, [hippo.ErrCorrupt] for a file
// that is not a sound database, [hippo.ErrUnsupported] for one of another or a
// newer program, [hippo.ErrReadOnly] for one that can be read only in a folder
// that can be written, and [hippo.ErrUnavailable] for what cannot be reached.
func Open(ctx context.Context, path string, o *Options) (*Store, error) {
	if o == nil {
		o = &Options{}
	}
	readOnly, err := prepare(path, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, strongest: strongest()}
	err = s.openReads(ctx, readOnly)
	if isLocked(err) {
		if s.still = standsStill(path); s.still != nil {
			readOnly, err = true, s.openReads(ctx, true)
		}
	}
	if err != nil {
		return nil, err
	}
	if readOnly {
		return s, nil
	}
	if err := s.openWriter(ctx, o.Log); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openReads opens the connections that read, and looks what the file is.
func (s *Store) openReads(ctx context.Context, readOnly bool) error {
	more := "_pragma=query_only(1)"
	if s.still != nil {
		more += "&immutable=1"
	}
	var err error
	if s.reads, err = pool(s.path, readOnly, more); err != nil {
		return s.explain("open", err)
	}
	s.reads.SetMaxOpenConns(readConns)
	s.reads.SetMaxIdleConns(readConns)
	s.close = s.reads.Close
	if err := s.checkVersion(ctx, readOnly); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// writePragmas make every commit sync; what undoes a savepoint stays in memory.
const writePragmas = "_txlock=immediate&_pragma=temp_store(memory)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"

// readConns bounds concurrent reads, and with it the memory of their caches.
const readConns = 2

func (s *Store) openWriter(ctx context.Context, log *slog.Logger) error {
	var err error
	if s.writes, err = pool(s.path, false, writePragmas); err != nil {
		return s.explain("open", err)
	}
	s.close = sync.OnceValue(func() error { return errors.Join(s.reads.Close(), s.writes.Close()) })
	conn, err := s.writes.Conn(ctx)
	if err != nil {
		return s.explain("open", err)
	}
	if err = makeWAL(ctx, conn); err == nil {
		err = migrate(ctx, conn, migrations(), log)
	}
	if err != nil {
		return errors.Join(s.explain("open", err), conn.Close())
	}
	s.writer = newWriter(conn)
	s.close = sync.OnceValue(func() error { return errors.Join(s.writer.close(), s.reads.Close(), s.writes.Close()) })
	return nil
}

// prepare makes sure that there is a file, and tells whether it can only be read.
// It never opens one that exists; see mayWrite.
func prepare(path string, readOnly bool) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return false, fmt.Errorf("%w: store %s is a directory, want a file (dir:%s opens a directory of JSON files)", hippo.ErrInvalid, path, path)
	case err == nil && !info.Mode().IsRegular():
		return false, fmt.Errorf("%w: store %s is a device or a pipe, want a file", hippo.ErrInvalid, path)
	case err == nil:
		return readOnly || !mayWrite(path), nil
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

// stmt returns a prepared statement on the reading connections.
func (s *Store) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st, ok := s.stmts.Load(query); ok {
		return st.(*sql.Stmt), nil //nolint:errcheck // nothing else is kept there
	}
	st, err := s.reads.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s.stmts.Store(query, st) // a statement that lost a race ends with the store
	return st, nil
}

// QueryContext reads through a prepared statement. All reads are short: a context
// is looked at before, not during one, because watching it costs the driver a
// goroutine each time.
func (s *Store) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.still.check(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	st, err := s.stmt(ctx, query) //nolint:sqlclosecheck // it is kept until the store closes
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// Get implements [driver.Backend].
func (s *Store) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	ms, err := get(ctx, s, ids)
	if err != nil {
		return nil, s.explain("read", err)
	}
	out := make([]*hippo.Memory, len(ms))
	for i, m := range ms {
		out[i] = m.Memory
	}
	return out, nil
}

// Head implements [driver.Backend].
func (s *Store) Head(ctx context.Context) (driver.Head, error) {
	h, err := readHead(ctx, s)
	return h, s.explain("read", err)
}

// Problems implements [driver.Backend]: SQLite keeps nothing aside.
func (s *Store) Problems(ctx context.Context) ([]driver.Problem, error) { return nil, ctx.Err() }

// Write implements [driver.Backend].
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if s.writer == nil {
		return fmt.Errorf("%w: store %s", hippo.ErrReadOnly, s.path)
	}
	return s.explain("write", s.writer.do(ctx, d, fn))
}

// Close implements [driver.Backend].
func (s *Store) Close() error { return s.close() }

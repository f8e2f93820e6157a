package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite/vec" // the tables of vectors of other programs

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// Guest are tables that a driver keeps in the file of another program, to which the file, its PRAGMA
// user_version too, belongs.
type Guest interface {
	// Check refuses a file that does not fit, before anything is written to it. ready: Prepare was
	// called for this file already.
	Check(ctx context.Context, q Queryer) (ready bool, err error)
	// Prepare creates or completes the tables, in a transaction of its own. Another process may have
	// done it since Check.
	Prepare(t *Tx) error
}

// BackupSuffix is of the copy of a file as its own program left it.
const BackupSuffix = ".before-hippo"

// prepare lets a guest check the file, and keeps a copy of it before the first write.
func prepare(ctx context.Context, f *File, o *Options, readOnly bool) (ready bool, err error) {
	ready, err = o.Guest.Check(ctx, f.reads)
	switch {
	case err != nil || ready:
		return ready, err
	case readOnly:
		return false, fmt.Errorf("%w: %s is the file of another program, and to be used it has to be written once", hippo.ErrReadOnly, f.path)
	}
	tables := 0
	if _, err := First(ctx, f.reads, "SELECT count(*) FROM sqlite_schema", nil, &tables); err != nil || tables == 0 {
		return false, err
	}
	name, err := backUp(ctx, f)
	if err == nil {
		o.Log.Info("the file of another program was copied before the first write", "file", f.path, "copy", name)
	}
	return false, err
}

// backUp copies the file beside itself. A copy that is there already is kept.
func backUp(ctx context.Context, f *File) (name string, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*")
	if err != nil {
		return "", fmt.Errorf("%w: backup: %w", hippo.ErrUnavailable, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "copy")
	if err := copyFile(ctx, f, copied); err != nil {
		return "", err
	}
	_ = os.Chmod(copied, 0o600) // some file systems have no permissions, and refuse to set them
	for n := 1; ; n++ {
		name = f.path + BackupSuffix
		if n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return name, atomicfile.Publish(copied, name)
		}
	}
}

// DataVersion returns a number that changes with every commit by another connection, of this process
// or another one.
func (t *Tx) DataVersion() (v int64, err error) {
	_, err = First(context.Background(), t, "PRAGMA data_version", nil, &v)
	return v, err
}

// DataVersion returns [Tx.DataVersion] of the connection that writes, and which connection that is: each counts for itself. It
// locks nobody out. Errors: [hippo.ErrReadOnly] for a file that cannot be written. Cost: some 20 us.
func DataVersion(ctx context.Context, d *DB) (t *Tx, v int64, err error) {
	if err := take(ctx, d); err != nil {
		return nil, 0, err
	}
	defer pass(d)
	f, err := d.acquire(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer f.release()
	if f.tx == nil {
		return nil, 0, readOnly(f)
	}
	err = whenFree(ctx, f, func() error { v, err = f.tx.DataVersion(); return err })
	return f.tx, v, d.Explain("read", err)
}

// State is a state of the data of a [DB].
type State struct {
	file    *File
	version int64
}

// State returns a value that is another one after every commit, by whatever program, and after the file was
// replaced. Cost: some 10 us.
func (d *DB) State(ctx context.Context) (State, error) {
	f, err := d.acquire(ctx)
	if err != nil {
		return State{}, err
	}
	defer f.release()
	v, err := f.watch.version(context.WithoutCancel(ctx), f.reads)
	return State{f, v}, d.Explain("read", err)
}

// watch reads the number of the data by a connection of its own: each connection counts for itself. The
// zero value opens it when it is needed.
type watch struct {
	mu   sync.Mutex
	conn *sql.Conn
	stmt *sql.Stmt
}

func (w *watch) version(ctx context.Context, reads *sql.DB) (v int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		reads.SetMaxOpenConns(readConns + 1)
		if w.conn, err = reads.Conn(ctx); err != nil {
			return 0, err
		}
	}
	if w.stmt == nil {
		if w.stmt, err = w.conn.PrepareContext(ctx, "PRAGMA data_version"); err != nil {
			return 0, err
		}
	}
	return v, w.stmt.QueryRowContext(ctx).Scan(&v)
}

func (w *watch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	if w.stmt != nil {
		errs = append(errs, w.stmt.Close())
	}
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	w.stmt, w.conn = nil, nil
	return errors.Join(errs...)
}

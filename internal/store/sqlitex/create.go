package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// create ensures that there is a file. It never opens one that exists; see canWrite.
func create(ctx context.Context, path string, o *Options) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // openFile checks what it is
	}
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%w: store: %w", hippo.ErrUnavailable, err)
	}
	if err := os.Remove(path + damagedSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: store: %w", hippo.ErrUnavailable, err)
	}
	if o.ensure == nil && createWhole(ctx, path, o.Schema) == nil {
		return nil
	}
	if err := removeForeignLog(path, o.Log); err != nil {
		return err
	}
	for _, suffix := range []string{ownerSuffix, indexSuffix} { // of a file that was deleted; see emptied
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: store: %w", hippo.ErrUnavailable, err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist): // another process was faster
		return nil
	case err != nil:
		return fmt.Errorf("%w: store: %w", hippo.ErrUnavailable, err)
	}
	return f.Close()
}

// makeFolder creates a folder, readable by the user alone, with those above it, durably.
func makeFolder(dir string) error {
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append(made, at)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var err error
	for _, at := range made {
		err = errors.Join(err, atomicfile.SyncDir(filepath.Dir(at)))
	}
	return err
}

// createWhole creates a complete file with its tables under a temporary name and links it to
// its path. It flushes the disk twice, where SQLite would do so a dozen times. Of several
// processes one succeeds. Without hard links openFile creates the tables.
func createWhole(ctx context.Context, path string, s Schema) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+unfinished+"*")
	if err != nil {
		return err
	}
	name := f.Name()
	defer func() {
		if gone := os.Remove(name); !errors.Is(gone, fs.ErrNotExist) { // another process may have removed it: see Unfit
			err = errors.Join(err, gone)
		}
	}()
	if err := errors.Join(f.Close(), writeTables(ctx, name, s)); err != nil {
		return err
	}
	if f, err = os.OpenFile(name, os.O_RDWR, 0); err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Link(name, path)
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(path))
	}
	if errors.Is(err, fs.ErrExist) { // another process was faster
		err = nil
	}
	return err
}

// writeTables makes an empty file a database in WAL mode, without flushing the disk.
func writeTables(ctx context.Context, path string, s Schema) error {
	name, err := dsn(path, false, "_txlock=immediate&_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)")
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		_, err = s.apply(ctx, conn)
		if err == nil && sharesMaps(filepath.Dir(path)) {
			_, err = conn.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		}
		err = errors.Join(err, conn.Close())
	}
	return errors.Join(err, db.Close())
}

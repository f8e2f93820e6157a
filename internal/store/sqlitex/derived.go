package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// Derived is the schema of a private file whose data can be computed again, so that it
// is migrated only where that is easy.
type Derived struct {
	// Version is above 0 and changes with SQL or with the meaning of what is stored.
	Version int
	// SQL creates the tables in an empty file.
	SQL string
	// Upgrade returns what brings the tables of an earlier version to this one, with their data, of which some may have no other
	// copy; empty: nothing does. Nil: every other version is dropped.
	Upgrade func(from int) (statements string)
}

// OpenDerived opens a file of derived data. It creates the file and its tables if they do
// not exist. Tables of another version are upgraded, or else dropped and created. A damaged
// file is removed if the damage shows when it is opened; see [Remove]. What the tables
// contain is up to the caller: they may be empty after any call.
//
// Processes that share a file have to agree on the version, else each empties it when it
// opens it. Errors are those of [Open]; [hippo.ErrReadOnly] if the tables would have to be
// created and cannot be.
func OpenDerived(ctx context.Context, path string, s Derived, log *slog.Logger) (*DB, error) {
	if links, _, err := namesOf(path); err == nil && links > 1 { // a folder that was copied by hard links
		if err := separate(ctx, path); err != nil {
			return nil, err
		}
	}
	o := Options{Log: log, ensure: s.ensure}
	d, err := Open(ctx, path, &o)
	if !errors.Is(err, hippo.ErrCorrupt) {
		return d, err
	}
	if log != nil {
		log.Warn("derived data is damaged and is rebuilt", "file", path, "error", err)
	}
	if err := Remove(path); err != nil {
		return nil, err
	}
	return Open(ctx, path, &o)
}

// derived reports whether the data can be computed again.
func (d *DB) derived() bool { return d.options.ensure != nil }

// separate puts a copy of a file in its place, so that it has one name; a file that cannot be copied is removed.
func separate(ctx context.Context, path string) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	copied, f := filepath.Join(dir, "copy"), &File{location: locate(path)}
	if err = f.openReads(ctx, Schema{}, true); err == nil {
		err = copyFile(ctx, f, copied)
	}
	if err = errors.Join(err, f.close()); err == nil {
		err = atomicfile.Publish(copied, path)
	}
	if err != nil {
		err = Remove(path)
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// Remove deletes a file with what SQLite keeps beside it, for its data to be rebuilt in a
// new one. Processes that have it open notice that.
func Remove(path string) error {
	for _, suffix := range []string{"", walSuffix, shmSuffix, "-journal", ownerSuffix} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
		}
	}
	return nil
}

// ensure creates the tables, unless those of this version are there.
func (s Derived) ensure(ctx context.Context, f *File) error {
	at, err := version(ctx, f)
	switch {
	case err != nil || at == s.Version:
		return err
	case f.tx == nil:
		return fmt.Errorf("%w: %s has version %d of its tables and cannot be changed to %d", hippo.ErrReadOnly, f.path, at, s.Version)
	}
	return withoutForeignKeys(ctx, f.tx.conn, func() error { return s.create(ctx, f.tx.conn) })
}

// create replaces all tables by empty ones, unless another process has just done it.
func (s Derived) create(ctx context.Context, conn *sql.Conn) error {
	tx, err := conn.BeginTx(ctx, nil) // immediate: others wait here
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	at, err := version(ctx, tx)
	if err != nil || at == s.Version {
		return err
	}
	if !s.upgraded(ctx, tx, at) {
		drop, err := dropAll(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, drop+s.SQL); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", s.Version)); err != nil {
		return err
	}
	return tx.Commit()
}

// upgraded brings the tables to this version, and reports whether that is possible. If not they are as they were.
func (s Derived) upgraded(ctx context.Context, tx *sql.Tx, from int) bool {
	if s.Upgrade == nil {
		return false
	}
	statements := s.Upgrade(from)
	if statements == "" {
		return false
	}
	if _, err := tx.ExecContext(ctx, "SAVEPOINT upgrade;"+statements+"; RELEASE upgrade"); err == nil {
		return true
	}
	_, _ = tx.ExecContext(ctx, "ROLLBACK TO upgrade; RELEASE upgrade") // what is left is dropped
	return false
}

// dropAll returns the SQL that drops all tables and views.
func dropAll(ctx context.Context, q Queryer) (drop string, err error) {
	_, err = First(ctx, q, `SELECT ifnull(group_concat(printf('DROP %s "%w";', type, name), ' '), '') FROM sqlite_schema
		WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`, nil, &drop)
	return drop, err
}

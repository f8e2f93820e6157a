package sqlitex

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"

	"github.com/hippo-memory/hippo"
)

// Schema is a series of versions of a kind of file. PRAGMA user_version holds the number
// of the last migration that was applied. The zero Schema accepts any file.
type Schema struct {
	// Migrations is the SQL of all versions: element i leads from version i to i+1.
	// That of a released version never changes.
	Migrations []string
	// Table is one that every version has. A file without it, unless it is empty, is
	// of another program.
	Table string
}

// check refuses, before anything is written, a file of another or a newer program, and
// one that would have to be migrated and cannot be.
func (s Schema) check(ctx context.Context, q Queryer, path string, readOnly bool) error {
	at, tables, own, err := s.identify(ctx, q)
	known := len(s.Migrations)
	switch {
	case err != nil || known == 0:
		return err
	case at == 0 && tables > 0 || at > 0 && !own:
		return fmt.Errorf("%w: %s is a database of another program, which is left as it is: name another file, or shared:PATH for one that shares its memories", hippo.ErrUnsupported, path)
	case at < known && readOnly:
		return fmt.Errorf("%w: store %s has schema version %d and cannot be migrated to %d", hippo.ErrReadOnly, path, at, known)
	case at > known:
		return fmt.Errorf("%s: %w", path, tooNew(at, known))
	}
	return nil
}

// identify returns the schema version of a file, how many tables and indexes it has, and
// whether s.Table is among them. It is one statement, because another process may be
// creating them. It reads the first pages also for the zero Schema, so that what is not
// a database is noticed.
func (s Schema) identify(ctx context.Context, q Queryer) (at, tables int, own bool, err error) {
	_, err = First(ctx, q, `SELECT (SELECT user_version FROM pragma_user_version),
		count(*), ifnull(sum(name = ?), 0) FROM sqlite_schema`, []any{s.Table}, &at, &tables, &own)
	return at, tables, own, err
}

// migrate brings the file up to the last version, in one transaction; of several
// processes that start at once, one does it.
func (s Schema) migrate(ctx context.Context, conn *sql.Conn, log *slog.Logger) error {
	at, err := version(ctx, conn)
	known := len(s.Migrations)
	if err != nil || known == 0 || at == known {
		return err
	}
	// A migration may rebuild a table: dropping the old one must not delete the rows
	// that refer to it. Only outside of a transaction can that be switched.
	err = withoutForeignKeys(ctx, conn, func() error {
		at, err = s.apply(ctx, conn)
		return err
	})
	if err == nil && log != nil && 0 < at && at < known {
		log.Info("store migrated", "from", at, "to", known)
	}
	return err
}

// withoutForeignKeys runs fn while references between rows are not enforced.
func withoutForeignKeys(ctx context.Context, conn *sql.Conn, fn func() error) error {
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = 0"); err != nil {
		return err
	}
	err := fn()
	if _, e := conn.ExecContext(ctx, "PRAGMA foreign_keys = 1"); err == nil {
		err = e
	}
	return err
}

// apply runs the migrations that are missing and returns the version before them.
func (s Schema) apply(ctx context.Context, conn *sql.Conn) (at int, err error) {
	tx, err := conn.BeginTx(ctx, nil) // immediate: others wait here
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	known := len(s.Migrations)
	if at, err = version(ctx, tx); err != nil {
		return 0, err
	}
	if at >= known { // another process was faster
		return at, tooNew(at, known)
	}
	for i := at; i < known; i++ {
		if _, err := tx.ExecContext(ctx, s.Migrations[i]); err != nil {
			return at, fmt.Errorf("migration %d: %w", i+1, err)
		}
	}
	var table string
	broken, err := First(ctx, tx, `SELECT "table" FROM pragma_foreign_key_check`, nil, &table)
	if broken {
		err = fmt.Errorf("migration: rows of table %s refer to none", table)
	}
	if err != nil {
		return at, err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", known)); err != nil {
		return at, err
	}
	return at, tx.Commit()
}

func tooNew(at, known int) error {
	if at <= known {
		return nil
	}
	return fmt.Errorf("%w: the store has schema version %d, this program knows %d: use a newer hippo", hippo.ErrUnsupported, at, known)
}

func version(ctx context.Context, q Queryer) (at int, err error) {
	_, err = First(ctx, q, "PRAGMA user_version", nil, &at)
	return at, err
}

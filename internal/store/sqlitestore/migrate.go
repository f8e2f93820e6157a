package sqlitestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/hippo-memory/hippo"
)

//go:embed migrations/*.sql
var files embed.FS

// migrations returns the SQL of all versions: element i leads from version i to i+1.
func migrations() []string {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is constant
	}
	list := make([]string, len(names))
	for i, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it was just listed
		}
		list[i] = string(b)
	}
	return list
}

// migrate brings the database up to the last version, in one transaction; of
// several processes that start at once, one does it.
func migrate(ctx context.Context, conn *sql.Conn, list []string, log *slog.Logger) error {
	at, err := version(ctx, conn)
	if err != nil || at == len(list) {
		return err
	}
	if err := tooNew(at, len(list)); err != nil {
		return err
	}
	// A migration may make a table anew: dropping the old one must not delete the
	// rows that refer to it. Only outside a transaction can that be switched.
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = 0"); err != nil {
		return err
	}
	at, err = steps(ctx, conn, list)
	if _, e := conn.ExecContext(ctx, "PRAGMA foreign_keys = 1"); err == nil {
		err = e
	}
	if err == nil && log != nil && 0 < at && at < len(list) {
		log.Info("store migrated", "from", at, "to", len(list))
	}
	return err
}

// steps runs the migrations that are missing and returns the version before them.
func steps(ctx context.Context, conn *sql.Conn, list []string) (at int, err error) {
	tx, err := conn.BeginTx(ctx, nil) // immediate: others wait here
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	if at, err = version(ctx, tx); err != nil {
		return 0, err
	}
	if at >= len(list) { // another process was faster
		return at, tooNew(at, len(list))
	}
	for i := at; i < len(list); i++ {
		if _, err := tx.ExecContext(ctx, list[i]); err != nil {
			return at, fmt.Errorf("migration %d: %w", i+1, err)
		}
	}
	if err := checkReferences(ctx, tx); err != nil {
		return at, err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(list))); err != nil {
		return at, err
	}
	return at, tx.Commit()
}

// checkReferences fails if a row refers to one that is not there.
func checkReferences(ctx context.Context, q queryer) error {
	rows, err := q.QueryContext(ctx, `SELECT "table" FROM pragma_foreign_key_check`)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	if rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return err
		}
		return fmt.Errorf("migration: rows of table %s refer to none", table)
	}
	return rows.Err()
}

func tooNew(at, known int) error {
	if at <= known {
		return nil
	}
	return fmt.Errorf("%w: the store has schema version %d, this program knows %d: use a newer hippo", hippo.ErrUnsupported, at, known)
}

// queryer is what reads need: a pool, a connection or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func version(ctx context.Context, q queryer) (at int, err error) {
	rows, err := q.QueryContext(ctx, "PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	if rows.Next() {
		err = rows.Scan(&at)
	}
	return at, errors.Join(err, rows.Err())
}

// checkVersion refuses, before anything is written, a file of another or a newer
// program, and one that would have to be migrated and cannot be.
func (s *Store) checkVersion(ctx context.Context, readOnly bool) error {
	at, tables, own, err := identity(ctx, s.reads)
	if err != nil {
		return s.explain("open", err)
	}
	known := len(migrations())
	switch {
	case at == 0 && tables > 0 || at > 0 && !own:
		return fmt.Errorf("%w: %s is a database of another program, which is left as it is: name another file", hippo.ErrUnsupported, s.path)
	case at < known && readOnly:
		return fmt.Errorf("%w: store %s has schema version %d and cannot be brought to %d", hippo.ErrReadOnly, s.path, at, known)
	}
	if err := tooNew(at, known); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// identity returns the schema version of a file, how many tables and indexes it
// has, and whether the one that every version of ours has is among them. It is one
// statement, because another process may be making them.
func identity(ctx context.Context, q queryer) (at, tables int, own bool, err error) {
	rows, err := q.QueryContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		count(*), ifnull(sum(name = 'state'), 0) FROM sqlite_schema`)
	if err != nil {
		return 0, 0, false, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	if rows.Next() {
		err = rows.Scan(&at, &tables, &own)
	}
	return at, tables, own, errors.Join(err, rows.Err())
}

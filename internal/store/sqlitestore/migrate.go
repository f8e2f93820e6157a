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
	tx, err := conn.BeginTx(ctx, nil) // immediate: others wait here
	if err != nil {
		return err
	}
	if at, err = version(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	for i := at; i < len(list); i++ {
		if _, err := tx.ExecContext(ctx, list[i]); err != nil {
			return errors.Join(fmt.Errorf("migration %d: %w", i+1, err), tx.Rollback())
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", max(at, len(list)))); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if log != nil && at > 0 {
		log.Info("store migrated", "from", at, "to", len(list))
	}
	return errors.Join(tx.Commit(), tooNew(at, len(list)))
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

// checkVersion refuses, before anything is written, a file of a newer program,
// and one that would have to be migrated and cannot be.
func (s *Store) checkVersion(ctx context.Context, readOnly bool) error {
	at, err := version(ctx, s.reads)
	if err != nil {
		return s.explain("open", err)
	}
	known := len(migrations())
	if at < known && readOnly {
		return fmt.Errorf("%w: store %s has schema version %d and cannot be brought to %d", hippo.ErrReadOnly, s.path, at, known)
	}
	if err := tooNew(at, known); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

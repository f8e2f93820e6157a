package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hippo-memory/hippo"
)

// lostError is the error of a connection that broke: what was on its way to the server may have happened or not.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// lost makes an error of a connection that is closed now a lostError.
func lost(c *pgxpool.Conn, err error) error {
	if err != nil && c.Conn().IsClosed() {
		return &lostError{err}
	}
	return err
}

func isLost(err error) bool {
	_, ok := errors.AsType[*lostError](err)
	return ok
}

// codeOf returns the SQLSTATE of an error of the server; empty for others.
func codeOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// transient reports whether the same may succeed when it is tried again.
func transient(err error) bool {
	switch code := codeOf(err); code {
	case "":
		_, unconnected := errors.AsType[*pgconn.ConnectError](err)
		return unconnected || isLost(err)
	case "40001", "40P01", "55P03", "53300": // serialization, deadlock, a lock that is taken, too many connections
		return true
	case "0A000": // a prepared statement that a migration made obsolete
		return strings.Contains(err.Error(), "cached plan")
	default:
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P") || code == "25P03" || uncommitted(err)
	}
}

// poisonous reports whether one transaction of a group may be the reason why all of it was refused: by a value that the database cannot
// keep, or by its size.
func poisonous(err error) bool {
	code := codeOf(err)
	switch {
	case err == nil || errors.Is(err, errInDoubt):
		return false
	case code == "": // it was not sent
		return !transient(err) && !errors.Is(err, hippo.ErrUnavailable)
	}
	return code == "57014" || slices.Contains([]string{"22", "23", "54"}, code[:2])
}

// explain adds the kind of a failure, the operation (op), the database, and what mends it. Errors that have a kind, those of contexts,
// and nil are returned unchanged.
func (d *DB) explain(op string, err error) error {
	known := hippo.CodeOf(err)
	if known != hippo.CodeInternal && known != hippo.CodeCanceled {
		return err
	}
	if code := codeOf(err); kindOf(code) != nil {
		return fmt.Errorf("%w: %s: %s: %w%s", kindOf(code), d, op, err, d.hint(code))
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok || isLost(err) { // perhaps by a timeout of its own
		return fmt.Errorf("%w: %s: %s: %w (is the server running, and is its address in the URL right?)", hippo.ErrUnavailable, d, op, err)
	}
	if known == hippo.CodeCanceled {
		return err
	}
	return fmt.Errorf("%s: %s: %w", d, op, err)
}

// kindOf returns the sentinel for a SQLSTATE; nil if there is none.
func kindOf(code string) error {
	switch code {
	case "25006":
		return hippo.ErrReadOnly
	case "53100":
		return hippo.ErrFull
	case "XX001", "XX002":
		return hippo.ErrCorrupt
	case "3F000", "42P01", "42703":
		return hippo.ErrUnsupported
	case "57014", "42501", "3D000", "40001", "40P01", "55P03", "26000", "42P05":
		return hippo.ErrUnavailable
	}
	switch {
	case len(code) < 2:
		return nil
	case code[:2] == "22":
		return hippo.ErrInvalid
	case code[:2] == "08", code[:2] == "28", code[:2] == "53", code[:2] == "57":
		return hippo.ErrUnavailable
	}
	return nil
}

// hint says what mends a failure.
func (d *DB) hint(code string) string {
	switch code {
	case "25006":
		return " (it is a replica, or default_transaction_read_only is set: to write, name the primary; among several hosts target_session_attrs=read-write finds it)"
	case "53100":
		return " (free space on the disk of the server)"
	case "53300":
		return " (raise max_connections of the server, or lower pool_max_conns in the URL)"
	case "57014":
		return " (raise statement_timeout of the role)"
	case "55P03":
		return " (another session holds a lock: see pg_stat_activity)"
	case "42501":
		role := d.config.ConnConfig.User
		return fmt.Sprintf(" (as the owner: GRANT USAGE ON SCHEMA hippo TO %[1]s; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hippo TO %[1]s)", pgx.Identifier{role}.Sanitize())
	case "3F000", "42P01", "42703":
		return " (the tables are missing or of another version: hippo db migrate)"
	case "3D000":
		return " (create it: createdb -E UTF8 -T template0 NAME)"
	case "26000", "42P05":
		return " (a proxy shares connections: add default_query_exec_mode=cache_describe to the URL)"
	case "28P01", "28000":
		return " (check the user and the password, which can be in the file .pgpass)"
	case "XX001", "XX002":
		return " (check the server with pg_amcheck, and restore a backup)"
	}
	return ""
}

// querier is what statements run on.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// collect runs a query and reads all of its rows.
func collect[T any](ctx context.Context, q querier, row pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, row)
}

// view reads. It repeats that on another connection if one is lost, so read must begin from nothing.
func (d *DB) view(ctx context.Context, read func(querier) error) error {
	return d.explain("read", d.retry(ctx, func() error {
		c, err := d.acquire(ctx)
		if err != nil {
			return err
		}
		defer c.Release()
		return lost(c, read(c))
	}))
}

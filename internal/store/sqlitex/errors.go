package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hippo-memory/hippo"
)

// Explain adds the kind of failure, the operation (op) and the file to an error of SQLite, and
// [hippo.ErrUnavailable] to what fails because the store was closed meanwhile. Other errors,
// and nil, are returned unchanged.
func (d *DB) Explain(op string, err error) error {
	if err != nil && d.isClosed() && closedMeanwhile(err) {
		return fmt.Errorf("%w: store %s is closed: %w", hippo.ErrUnavailable, d.path, err)
	}
	if Damaged(err) && unreadable(d.path) {
		return errDisk(d.path, err)
	}
	return explain(op, d.path, err)
}

// errDisk is the error of a file whose pages the system cannot read.
func errDisk(path string, err error) error {
	return fmt.Errorf("%w: store %s cannot be read: the disk may be failing (%s)", hippo.ErrUnavailable, path, err.Error())
}

// unreadable reports whether the system cannot read a file. While SQLite opens one, it reports that as what it is.
func unreadable(path string) bool {
	name, err := dsn(path, true, "")
	if err != nil {
		return false
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return false
	}
	defer db.Close() //nolint:errcheck // nothing was written
	var tables int
	e, ok := errors.AsType[*sqlite.Error](db.QueryRowContext(context.Background(), "SELECT count(*) FROM sqlite_schema").Scan(&tables))
	return ok && e.Code()&0xff == sqlite3.SQLITE_IOERR
}

// closedMeanwhile reports whether a pool of connections was closed while it was in use. Package
// sql has no name for the first of these errors.
func closedMeanwhile(err error) bool {
	return strings.Contains(err.Error(), "sql: database is closed") || errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone)
}

func (d *DB) isClosed() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.closed
}

func explain(op, path string, err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	hint, kind := kindOf(e.Code())
	if busy(err) {
		return &held{op, path, writerOf(path), err}
	}
	if kind == nil {
		return fmt.Errorf("%s %s: %w", op, path, err)
	}
	return fmt.Errorf("%w: %s %s: %w%s", kind, op, path, err, hint)
}

// Damaged reports whether an error is about damaged pages of a file.
func Damaged(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code() == sqlite3.SQLITE_NOTADB)
}

// Lost reports whether an error says that a file of derived data is of no use any more: it
// is damaged, or the files that SQLite keeps beside it are gone or cannot be read.
func Lost(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return Damaged(err) || ok && e.Code()&0xff == sqlite3.SQLITE_IOERR
}

// kindOf maps a result code, most by their low byte, which the extended codes share.
func kindOf(code int) (hint string, kind error) {
	if code == sqlite3.SQLITE_READONLY_DIRECTORY {
		return " (its folder cannot be written, which reading needs while there is a -wal file: copy both elsewhere)", hippo.ErrReadOnly
	}
	if code == sqlite3.SQLITE_IOERR_SHMMAP {
		return " (the file system cannot share memory between processes, and the log beside the store may have data: open the store once on another one)", hippo.ErrUnavailable
	}
	if code == sqlite3.SQLITE_IOERR_SHMSIZE { // the index of the log could not grow
		return "", hippo.ErrFull
	}
	switch code & 0xff {
	case sqlite3.SQLITE_READONLY:
		return "", hippo.ErrReadOnly
	case sqlite3.SQLITE_FULL:
		return "", hippo.ErrFull
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return " (the file was left as it is)", hippo.ErrCorrupt
	case sqlite3.SQLITE_IOERR:
		return " (the disk may be full or failing)", hippo.ErrUnavailable
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return " (check the path and its permissions)", hippo.ErrUnavailable
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return " (another program holds the file)", hippo.ErrUnavailable
	default:
		return "", nil
	}
}

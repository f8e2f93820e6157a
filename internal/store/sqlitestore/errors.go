package sqlitestore

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hippo-memory/hippo"
)

// explain adds what kind of failure a database error is, and which file it is
// about. Errors of the caller's functions pass unchanged.
func (s *Store) explain(op string, err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	hint, kind := kindOf(e.Code())
	if e.Code() == sqlite3.SQLITE_READONLY_DIRECTORY {
		hint = " (its folder cannot be written, which reading needs while there is a -wal file: copy both elsewhere)"
	}
	if kind == nil {
		return fmt.Errorf("%s %s: %w", op, s.path, err)
	}
	return fmt.Errorf("%w: %s %s: %w%s", kind, op, s.path, err, hint)
}

// kindOf maps the low byte of a result code, which the extended codes share.
func kindOf(code int) (hint string, kind error) {
	switch code & 0xff {
	case sqlite3.SQLITE_READONLY:
		return "", hippo.ErrReadOnly
	case sqlite3.SQLITE_FULL:
		return "", hippo.ErrFull
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return " (the file was left as it is; restore a backup, or move it away to start anew)", hippo.ErrCorrupt
	case sqlite3.SQLITE_IOERR:
		return " (the disk may be full or failing)", hippo.ErrUnavailable
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return "", hippo.ErrUnavailable
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return " (another program holds the file)", hippo.ErrUnavailable
	default:
		return "", nil
	}
}

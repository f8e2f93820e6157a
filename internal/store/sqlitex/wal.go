package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// busyTimeout is how long SQLite waits for a lock of another program where [whenFree] does not: in reads, and when a file without a
// log is committed.
const busyTimeout = stuckAfter

// withoutLog reports whether a file that has no log stays so: the index of a log is memory that processes share, and there is none
// in its folder. Each transaction has a journal then, which is as safe; readers and writers wait for each other.
func withoutLog(ctx context.Context, conn *sql.Conn, path string) (bool, error) {
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil || mode == "wal" {
		return false, err
	}
	return !sharesMaps(filepath.Dir(path)), nil
}

// noMaps reports whether a file cannot be read because it was made to have a log, and is where no memory can be shared.
func noMaps(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code() == sqlite3.SQLITE_IOERR_SHMMAP
}

// logGone reports whether SQLite wanted to remove a log that another process removed first: the last
// one that leaves a database does, also one whose database was replaced by a restore.
func logGone(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code() == sqlite3.SQLITE_IOERR_DELETE_NOENT
}

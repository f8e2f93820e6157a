package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// busyTimeout is how long SQLite waits for a lock of another program where [whenFree] does not: while a file is opened, and
// without a log.
const busyTimeout = 10 * time.Second

// walRetry is the time between two attempts to make the file a WAL database.
const walRetry = 5 * time.Millisecond

// makeWAL makes the file a WAL database, which it stays. It waits up to busyTimeout for
// other processes that do the same. SQLite itself does not wait here: it asks for the
// write lock while it holds the read lock, where two that wait would deadlock, and fails
// at once. A failed attempt releases the read lock, so that the process with the write
// lock can finish.
func makeWAL(ctx context.Context, conn *sql.Conn) error {
	limit, stop := context.WithTimeout(ctx, busyTimeout)
	defer stop()
	for {
		_, err := conn.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		if !busy(err) {
			return err
		}
		select {
		case <-limit.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(walRetry):
		}
	}
}

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

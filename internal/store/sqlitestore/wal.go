package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// busyTimeout is how long a connection waits for a lock of another program.
const busyTimeout = 10 * time.Second

// walPause is the time between two attempts to make the file a WAL database.
const walPause = 5 * time.Millisecond

// makeWAL makes the file a WAL database, which it stays. It waits up to
// busyTimeout for others that do the same: SQLite asks for the write lock while it
// holds the read lock, and then fails at once instead of waiting, because two that
// wait so would wait for each other. A failed attempt gives the read lock up, so
// that the one that has the write lock comes to its end.
func makeWAL(ctx context.Context, conn *sql.Conn) error {
	patience, stop := context.WithTimeout(ctx, busyTimeout)
	defer stop()
	for {
		_, err := conn.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		if !busy(err) {
			return err
		}
		select {
		case <-patience.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(walPause):
		}
	}
}

// busy reports whether another program holds a lock.
func busy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

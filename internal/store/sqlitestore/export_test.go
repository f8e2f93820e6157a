package sqlitestore

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

// LimitPages bounds the size of the database file, as a full disk would.
func LimitPages(t *testing.T, s *Store, pages int) {
	t.Helper()
	err := s.Write(t.Context(), driver.Durable, func(driver.Tx) error {
		_, err := s.writer.conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Commits returns how many groups were committed.
func Commits(s *Store) int64 { return s.writer.commits.Load() }

// AwaitWaiting returns when n writes wait.
func AwaitWaiting(s *Store, n int) {
	for len(s.writer.requests) < n {
		runtime.Gosched()
	}
}

// Migrate runs a list of migrations on a file.
func Migrate(ctx context.Context, s *Store, list []string) error {
	conn, err := s.writes.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // a test
	return migrate(ctx, conn, list, nil)
}

// Migrations returns the SQL of all versions.
func Migrations() []string { return migrations() }

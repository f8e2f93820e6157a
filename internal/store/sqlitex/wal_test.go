package sqlitex_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Open waits for another program that is about to write a file that is no WAL database
// yet: SQLite itself fails at once when its journal mode has to change.
func TestOpen_WaitsForAnotherThatCreatesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // nothing was written
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if db, err := sqlitex.Open(short, path, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, %v, want that it waits until its context ends", db, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	open(t, path, nil)
}

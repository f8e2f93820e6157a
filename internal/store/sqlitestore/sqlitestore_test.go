package sqlitestore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

func open(t *testing.T, path string) *sqlitestore.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// raw runs SQL on a file behind the store's back.
func raw(t testing.TB, path, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func memory(n byte) *hippo.Memory {
	return &hippo.Memory{
		ID: hippo.ID{15: n}, Content: fmt.Sprint("memory ", n), Situation: []string{"testing"}, Version: 1,
		CreatedAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), ContentHash: hippo.HashContent(fmt.Sprint("memory ", n)),
	}
}

func put(ms ...*hippo.Memory) func(driver.Tx) error {
	return func(tx driver.Tx) error { return tx.Put(ms...) }
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, path)
	if err := s.Write(t.Context(), driver.Durable, put(memory(1))); err != nil {
		t.Fatal(err)
	}
	vector := []driver.Vector{{ID: hippo.ID{15: 1}, Text: 1, Values: []float32{1, 2}}}
	if err := s.PutVectors(t.Context(), "model", vector); err != nil {
		t.Fatal(err)
	}
	ro, err := sqlitestore.Open(t.Context(), path, &sqlitestore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close() //nolint:errcheck // only read
	if ms, err := ro.Get(t.Context(), []hippo.ID{{15: 1}}); err != nil || len(ms) != 1 {
		t.Errorf("got %d memories (%v), want 1", len(ms), err)
	}
	if err := ro.Write(t.Context(), driver.Durable, put(memory(2))); !errors.Is(err, hippo.ErrReadOnly) {
		t.Errorf("got %v, want read-only", err)
	}
	if vs, err := ro.Vectors(t.Context(), "model", []hippo.ID{{15: 1}}); err != nil || cmp.Diff(vector, vs) != "" {
		t.Errorf("got vectors %v (%v), want %v", vs, err, vector)
	}
	if err := ro.PutVectors(t.Context(), "model", vector); !errors.Is(err, hippo.ErrReadOnly) {
		t.Errorf("got %v, want read-only", err)
	}
}

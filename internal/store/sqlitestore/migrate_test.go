package sqlitestore_test

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// A store of every earlier version opens and keeps its data. The SQL of a
// released migration never changes, so a store of version i is what the first i
// of them make.
func TestMigrate_FromEveryVersion(t *testing.T) {
	t.Parallel()
	list := sqlitestore.Migrations()
	for from := range len(list) {
		path := filepath.Join(t.TempDir(), "memory.db")
		for _, statement := range list[:from] {
			raw(t, path, statement)
		}
		s := open(t, path)
		if err := s.Write(t.Context(), driver.Durable, put(memory(1))); err != nil {
			t.Errorf("from version %d: %v", from, err)
		}
	}
}

func TestMigrate_Steps(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "memory.db"))
	if err := s.Write(t.Context(), driver.Durable, put(memory(1))); err != nil {
		t.Fatal(err)
	}
	list := append(sqlitestore.Migrations(), "ALTER TABLE memory ADD COLUMN colour TEXT", "UPDATE memory SET colour = 'blue'")
	broken := append(slices.Clip(list), "UPDATE memory SET colour = 'red'; SELECT nothing FROM nowhere")
	if err := sqlitestore.Migrate(t.Context(), s, broken); err == nil {
		t.Fatal("a broken migration passed")
	}
	if err := sqlitestore.Migrate(t.Context(), s, list); err != nil {
		t.Fatalf("after the broken one was undone: %v", err)
	}
	if err := sqlitestore.Migrate(t.Context(), s, list); err != nil {
		t.Errorf("nothing to do: %v", err)
	}
	if err := sqlitestore.Migrate(t.Context(), s, list[:1]); !errors.Is(err, hippo.ErrUnsupported) {
		t.Errorf("got %v, want unsupported: the program is older than the store", err)
	}
	if ms, err := s.Get(t.Context(), []hippo.ID{{15: 1}}); err != nil || len(ms) != 1 {
		t.Errorf("got %d memories (%v), want 1", len(ms), err)
	}
}

func TestMigrate_SeveralAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	var wg sync.WaitGroup
	for i := range byte(8) {
		wg.Go(func() {
			s, err := sqlitestore.Open(t.Context(), path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Write(t.Context(), driver.Durable, put(memory(i))); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if h, err := open(t, path).Head(t.Context()); err != nil || h.Memories != 8 {
		t.Errorf("got %+v (%v), want 8 memories", h, err)
	}
}

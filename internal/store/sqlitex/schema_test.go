package sqlitex_test

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// A migration that fails leaves the file as it was, for the next program to open.
func TestSchema_Migrate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	openWith := func(more ...string) error {
		s := notes()
		s.Migrations = append(s.Migrations, more...)
		db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: s})
		if err != nil {
			return err
		}
		return db.Close()
	}
	if err := add(t.Context(), open(t, path, nil), "a"); err != nil {
		t.Fatal(err)
	}
	steps := []string{"ALTER TABLE note ADD COLUMN colour TEXT", "UPDATE note SET colour = 'blue'"}
	for _, broken := range []string{
		"UPDATE note SET colour = 'red'; SELECT nothing FROM nowhere",
		"CREATE TABLE child (note INTEGER REFERENCES note (rowid)); INSERT INTO child VALUES (7)",
	} {
		if err := openWith(append(slices.Clip(steps), broken)...); err == nil {
			t.Errorf("a broken migration passed: %s", broken)
		}
	}
	for range 2 {
		if err := openWith(steps...); err != nil {
			t.Errorf("after the broken ones were undone: %v", err)
		}
	}
	if err := openWith(steps[0]); !errors.Is(err, hippo.ErrUnsupported) {
		t.Errorf("got %v, want unsupported: the program is older than the file", err)
	}
	if got, err := read(t.Context(), open(t, path, &sqlitex.Options{})); err != nil || !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q (%v), want a", got, err)
	}
}

func TestSchema_SeveralMigrateAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes()})
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(add(t.Context(), db, "x"), db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := read(t.Context(), open(t, path, nil)); err != nil || len(got) != 8 {
		t.Errorf("got %q (%v), want 8", got, err)
	}
}

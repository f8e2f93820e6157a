package sqlitex_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// locked returns the path of a file with one text beside which SQLite cannot create its
// files, whoever runs the test.
func locked(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(add(t.Context(), db, "a"), db.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("no", "where"), path+"-shm"); err != nil {
		if runtime.GOOS == "windows" {
			t.Skipf("Windows lets only privileged users create symbolic links: %v", err)
		}
		t.Fatal(err)
	}
	return path
}

// A file in a folder that cannot be written is read, and not written.
func TestOpen_FolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, readOnly := range map[string]bool{"as_it_is": false, "read_only": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t, locked(t), &sqlitex.Options{ReadOnly: readOnly, Schema: notes()})
			if got, err := read(t.Context(), db); err != nil || !slices.Equal(got, []string{"a"}) {
				t.Errorf("got %q (%v), want a", got, err)
			}
			if err := add(t.Context(), db, "b"); !errors.Is(err, hippo.ErrReadOnly) {
				t.Errorf("write: got %v, want read-only", err)
			}
		})
	}
}

// Data that is not in the file is not left out silently: neither a log that is there
// when it is opened, nor one that another program writes later.
func TestOpen_FolderCannotBeWritten_ButOthersWrite(t *testing.T) {
	t.Parallel()
	path := locked(t)
	if err := os.WriteFile(path+"-wal", []byte("log"), 0o600); err != nil {
		t.Fatal(err)
	}
	if db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes()}); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), path) {
		t.Errorf("with a log: got %v, %v, want unavailable with the path", db, err)
	}
	for name, change := range map[string]func(path string) error{
		"log":     func(path string) error { return os.WriteFile(path+"-wal", []byte("log"), 0o600) },
		"deleted": os.Remove,
	} {
		path := locked(t)
		db := open(t, path, nil)
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t.Context(), db); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), path) {
			t.Errorf("after a change (%s): got %v, want unavailable with the path", name, err)
		}
	}
}

// A file that another program wrote is read again.
func TestOpen_FolderCannotBeWritten_NewContent(t *testing.T) {
	t.Parallel()
	path := locked(t)
	db := open(t, path, nil)
	other := filepath.Join(t.TempDir(), "other.db")
	if err := add(t.Context(), open(t, other, nil), "b"); err != nil {
		t.Fatal(err)
	}
	raw(t, other, "PRAGMA wal_checkpoint(TRUNCATE)")
	b, err := os.ReadFile(other)
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(t.Context(), db); err != nil || !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %q (%v), want b", got, err)
	}
}

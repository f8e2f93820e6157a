package sqlitestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// shut makes a store with one memory beside which SQLite cannot make its files, for
// whoever runs the test, and returns its path.
func shut(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Write(t.Context(), driver.Durable, put(memory(1))), s.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("no", "where"), path+"-shm"); err != nil {
		t.Skipf("no symbolic link, which makes SQLite fail as in a folder that cannot be written (Windows wants a privilege for one): %v", err)
	}
	return path
}

// A store in a folder that cannot be written is read, and not written.
func TestOpen_FolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*sqlitestore.Options{"as_it_is": nil, "read_only": {ReadOnly: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := sqlitestore.Open(t.Context(), shut(t), o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // only read
			if ms, err := s.Get(t.Context(), []hippo.ID{{15: 1}}); err != nil || len(ms) != 1 {
				t.Errorf("got %d memories (%v), want 1", len(ms), err)
			}
			if err := s.Write(t.Context(), driver.Durable, put(memory(2))); !errors.Is(err, hippo.ErrReadOnly) {
				t.Errorf("write: got %v, want read-only", err)
			}
		})
	}
}

// What is not in the file is not left out in silence: neither a log that is there
// when the store opens, nor what somebody writes later.
func TestOpen_FolderCannotBeWritten_ButOthersWrite(t *testing.T) {
	t.Parallel()
	path := shut(t)
	if err := os.WriteFile(path+"-wal", []byte("log"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlitestore.Open(t.Context(), path, nil); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), path) {
		t.Errorf("with a log: got %v, %v, want unavailable with the path", s, err)
	}
	for name, change := range map[string]func(path string) error{
		"log":     func(path string) error { return os.WriteFile(path+"-wal", []byte("log"), 0o600) },
		"journal": func(path string) error { return os.WriteFile(path+"-journal", []byte("log"), 0o600) },
		"write":   func(path string) error { return os.Chtimes(path, time.Time{}, time.UnixMicro(1)) },
		"gone":    os.Remove,
	} {
		path := shut(t)
		s := open(t, path)
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Head(t.Context()); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), path) {
			t.Errorf("after a change (%s): got %v, want unavailable with the path", name, err)
		}
	}
}

package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
func raw(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
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

func TestOpen_MakesPrivateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b", "100% & ?mem#ory.db")
	s := open(t, path)
	if err := s.Write(t.Context(), driver.Durable, put(memory(1))); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: got mode %o, want %o", filepath.Base(p), got, want)
		}
	}
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := filepath.Join(dir, "newer.db")
	raw(t, newer, "PRAGMA user_version = 999")
	for _, tc := range []struct {
		name, path string
		want       error
	}{
		{"directory", dir, hippo.ErrInvalid},
		{"not_a_database", write("text.db", strings.Repeat("these are no memories\n", 500)), hippo.ErrCorrupt},
		{"newer_program", newer, hippo.ErrUnsupported},
		{"under_a_file", filepath.Join(write("file", "x"), "memory.db"), hippo.ErrUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			before, _ := os.ReadFile(tc.path) // a directory has no content
			s, err := sqlitestore.Open(t.Context(), tc.path, nil)
			if err == nil {
				err = s.Close()
				t.Errorf("opened (close: %v)", err)
			}
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.path) {
				t.Errorf("got %v, want %v that names the path", err, tc.want)
			}
			if after, _ := os.ReadFile(tc.path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestDamagedPagesAreReported(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range byte(100) {
		m := memory(i)
		m.Content = strings.Repeat("long ", 500)
		if err := s.Write(t.Context(), driver.Durable, put(m)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(b); i++ {
		b[i] = 0xa5
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = sqlitestore.Open(t.Context(), path, nil)
	if err == nil {
		_, err = s.Get(t.Context(), []hippo.ID{{15: 1}})
		defer s.Close() //nolint:errcheck // it is damaged
	}
	if !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want corrupt with the path", err)
	}
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
	perr, derr := ro.PutVectors(t.Context(), "model", vector), ro.DropVectors(t.Context(), "model")
	if !errors.Is(perr, hippo.ErrReadOnly) || !errors.Is(derr, hippo.ErrReadOnly) {
		t.Errorf("got %v and %v, want read-only", perr, derr)
	}
}

// A full disk fails the write, keeps what was there, and the store lives on.
func TestFull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, path)
	if err := s.Write(t.Context(), driver.Durable, put(memory(1))); err != nil {
		t.Fatal(err)
	}
	sqlitestore.LimitPages(t, s, 60)
	var err error
	for i := byte(2); err == nil && i < 200; i++ {
		m := memory(i)
		m.Content = strings.Repeat("filling ", 1000)
		err = s.Write(t.Context(), driver.Durable, put(m))
	}
	if !errors.Is(err, hippo.ErrFull) {
		t.Errorf("got %v, want full", err)
	}
	if ms, err := s.Get(t.Context(), []hippo.ID{{15: 1}}); err != nil || len(ms) != 1 {
		t.Errorf("got %d memories (%v), want 1", len(ms), err)
	}
	if err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Purge(hippo.ID{15: 1}) }); err != nil {
		t.Errorf("the store does not live on: %v", err)
	}
}

// Waiting writes share a commit; a failing one takes no other with it.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "memory.db"))
	release, running := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.Write(context.Background(), driver.Durable, func(driver.Tx) error {
			close(running)
			<-release
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-running
	before := sqlitestore.Commits(s)
	refused := errors.New("refused")
	const n = 50
	for i := range byte(n) {
		wg.Go(func() {
			err := s.Write(context.Background(), driver.Durable, func(tx driver.Tx) error {
				if err := tx.Put(memory(i)); err != nil || i%10 != 0 {
					return err
				}
				return refused
			})
			if (i%10 == 0) != errors.Is(err, refused) {
				t.Errorf("write %d: got %v", i, err)
			}
		})
	}
	sqlitestore.AwaitWaiting(s, n)
	close(release)
	wg.Wait()
	if got := sqlitestore.Commits(s) - before; got != 1 {
		t.Errorf("got %d commits, want 1 for all that waited", got)
	}
	if h, err := s.Head(t.Context()); err != nil || h.Memories != n-5 || h.Revision != n-5 {
		t.Errorf("got head %+v (%v), want %d memories and no gap in revisions", h, err, n-5)
	}
}

func TestPanicReachesTheCaller(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "memory.db"))
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("got panic %v, want boom", got)
			}
		}()
		_ = s.Write(t.Context(), driver.Durable, func(driver.Tx) error { panic("boom") })
	}()
	if err := s.Write(t.Context(), driver.Durable, put(memory(1))); err != nil {
		t.Errorf("the writer did not live on: %v", err)
	}
}

package sqlitestore_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// pageDamaged makes a store of 100 memories, and overwrites a page in the middle of a
// table or an index.
func pageDamaged(t *testing.T, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "memory.db")
	s, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		for i := range byte(100) {
			m := memory(i)
			m.Content = strings.Repeat("long ", 400)
			m.ContentHash = hippo.HashContent(m.Content)
			if err := tx.Put(m); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	var page int64
	err = db.QueryRowContext(t.Context(), `SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'
		ORDER BY pageno LIMIT 1 OFFSET (SELECT count(*) / 2 FROM dbstat WHERE name = ? AND pagetype = 'leaf')`, name, name).Scan(&page)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, 4096), 4096*(page-1))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// Past a damaged page everything else is read, and nothing is written.
func TestDamagedPage(t *testing.T) {
	t.Parallel()
	path := pageDamaged(t, "memory")
	s := open(t, path)
	ids := make([]hippo.ID, 100)
	for i := range ids {
		ids[i] = hippo.ID{15: byte(i)}
	}
	ms, err := s.Get(t.Context(), ids)
	bad, ok := errors.AsType[*driver.UnreadableError](err)
	if !ok || len(bad.Problems) == 0 || len(bad.Problems) > 5 || len(ms)+len(bad.Problems) != 100 {
		t.Fatalf("got %d memories of 100, %v", len(ms), err)
	}
	lost := make(map[hippo.ID]bool)
	for _, p := range bad.Problems {
		lost[p.ID] = true
	}
	seen := 0
	for c, err := range s.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; lost[c.ID] != (c.Unreadable != nil) || lost[c.ID] != (c.Memory == nil) {
			t.Errorf("changes yields %v as %+v", c.ID, c)
		}
	}
	if seen != 100 {
		t.Errorf("changes yields %d memories, want 100", seen)
	}
	if err := s.Write(t.Context(), driver.Durable, put(memory(200))); !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), path) {
		t.Errorf("write: got %v, want corrupt with the path", err)
	}
}

// Damage is found without reading the memories that it is about, and nothing is written
// from then on.
func TestDamagedPage_Problems(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"memory", "situation", "sqlite_autoindex_memory_1"} {
		for what, problems := range map[string]func(s *sqlitestore.Store) ([]driver.Problem, error){
			"problems": func(s *sqlitestore.Store) ([]driver.Problem, error) { return s.Problems(t.Context()) },
			"check":    func(s *sqlitestore.Store) ([]driver.Problem, error) { return s.Check(t.Context()) },
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				path := pageDamaged(t, name)
				s := open(t, path)
				if ps, err := problems(s); err != nil || len(ps) == 0 || ps[0].Path != path {
					t.Errorf("got %v (%v), want some about %s", ps, err, path)
				}
				if err := s.Write(t.Context(), driver.Durable, put(memory(200))); !errors.Is(err, hippo.ErrCorrupt) {
					t.Errorf("write: got %v, want corrupt", err)
				}
			})
		}
	}
}

func TestCheck_Sound(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "memory.db"))
	if err := s.Write(t.Context(), driver.Durable, put(memory(1), memory(2))); err != nil {
		t.Fatal(err)
	}
	if ps, err := s.Check(t.Context()); err != nil || len(ps) != 0 {
		t.Errorf("a sound store has problems %v (%v)", ps, err)
	}
}

// A text that changed on the disk, and counts that are wrong, are found.
func TestCheck_Contents(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	filled(t, path, 1, 2, 3)
	raw(t, path, `UPDATE memory SET content = 'memorz 1' WHERE content = 'memory 1'; UPDATE memory SET base = 7 WHERE content = 'memory 2';
		UPDATE state SET memories = 5; INSERT INTO model VALUES (1, 'm', 2); INSERT INTO vector SELECT pk, 1, 0, x'00' FROM memory`)
	ps, err := open(t, path).Check(t.Context())
	var all strings.Builder
	for _, p := range ps {
		all.WriteString(p.String() + "\n")
	}
	for _, want := range []string{"does not have the hash", "importance", "there are 3 memories, but 5", "3 vectors"} {
		if err != nil || strings.Count(all.String(), want) != 1 {
			t.Errorf("found (%v)\n%swant one with %q", err, all.String(), want)
		}
	}
}

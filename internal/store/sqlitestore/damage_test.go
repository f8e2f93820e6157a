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
	"github.com/hippo-memory/hippo/api"
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
	bad, ok := errors.AsType[*api.UnreadableError](err)
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
		for what, problems := range map[string]func(s *sqlitestore.Store) ([]api.StoreProblem, error){
			"problems": func(s *sqlitestore.Store) ([]api.StoreProblem, error) { return s.Problems(t.Context()) },
			"check":    func(s *sqlitestore.Store) ([]api.StoreProblem, error) { return s.Check(t.Context()) },
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

// salvage returns what can be read of a file, and what is said of the rest.
func salvage(t *testing.T, path string) (ms map[hippo.ID]*hippo.Memory, faults map[hippo.ID]string, lostRelations int) {
	t.Helper()
	s, err := sqlitestore.OpenSalvage(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only read
	ms, faults = make(map[hippo.ID]*hippo.Memory), make(map[hippo.ID]string)
	for m, err := range s.Memories(t.Context()) {
		if bad, ok := errors.AsType[*api.UnreadableError](err); ok {
			faults[bad.Problems[0].ID] += bad.Problems[0].Err
		} else if err != nil {
			t.Fatal(err)
		} else {
			ms[m.ID] = m
		}
	}
	_, lostRelations = s.Relations(t.Context())
	return ms, faults, lostRelations
}

// Of each damaged table and index all is saved but the page, and each loss is named.
func TestSalvage_Pages(t *testing.T) {
	t.Parallel()
	for name, wantLost := range map[string]bool{
		"memory": true, "situation": false, "sqlite_autoindex_memory_1": false, "sqlite_autoindex_memory_2": false,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ms, faults, _ := salvage(t, pageDamaged(t, name))
			lost := 0
			for i := range byte(100) {
				id := hippo.ID{15: i}
				m := ms[id]
				if m == nil {
					lost++
				}
				whole := m != nil && strings.HasPrefix(m.Content, "long") && len(m.Situation) == 1
				if whole == (faults[id] != "") {
					t.Errorf("memory %d is whole: %t, but the report is %q", i, whole, faults[id])
				}
			}
			if (lost > 0) != wantLost || lost > 5 || !wantLost && len(ms) != 100 {
				t.Errorf("%d memories are lost, %d saved", lost, len(ms))
			}
		})
	}
}

// Rows with broken values are saved without those.
func TestSalvage_Rows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	filled(t, path, 1, 2, 3, 4)
	raw(t, path, `UPDATE memory SET content = CAST(x'61ff62' AS TEXT) WHERE content = 'memory 1'; UPDATE memory SET metadata = '{' WHERE content = 'memory 2';
		INSERT INTO tag SELECT pk, 0, CAST(x'61ff' AS TEXT) FROM memory WHERE content = 'memory 3'`)
	ms, faults, _ := salvage(t, path)
	for n, want := range map[byte]struct{ content, fault string }{
		1: {"a\uFFFDb", "repaired"}, 2: {"memory 2", "metadata"}, 3: {"memory 3", "repaired"}, 4: {"memory 4", ""},
	} {
		id := hippo.ID{15: n}
		if m := ms[id]; m == nil || m.Content != want.content || !strings.Contains(faults[id], want.fault) || (want.fault == "") != (faults[id] == "") {
			t.Errorf("memory %d is %+v, with %q; want %+v", n, m, faults[id], want)
		}
	}
}

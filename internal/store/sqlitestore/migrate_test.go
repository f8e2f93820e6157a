package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
		raw(t, path, fmt.Sprintf("PRAGMA user_version = %d", from))
		s := open(t, path)
		if err := s.Write(t.Context(), driver.Durable, put(memory(1))); err != nil {
			t.Errorf("from version %d: %v", from, err)
		}
	}
}

// A store that a program of version 1 made keeps its memories and gets vectors.
func TestMigrate_Version1(t *testing.T) {
	t.Parallel()
	dump, err := os.ReadFile("testdata/version1.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	raw(t, path, string(dump))
	ids := make([]hippo.ID, 3)
	for i, text := range []string{
		"01a1fde9-e18c-7e97-9157-9a920909b374", "01a1fde9-e1a1-7413-ae3b-02ccce5e50f0", "01a1fde9-e1af-78e6-a459-909188514d95",
	} {
		if ids[i], err = hippo.ParseID(text); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // migrated, then opened as it is
		s, err := sqlitestore.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkVersion1(t, s, ids)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func checkVersion1(t *testing.T, s *sqlitestore.Store, ids []hippo.ID) {
	t.Helper()
	h, err := s.Head(t.Context())
	h.Store, _, _ = strings.Cut(h.Store, "-")
	want := driver.Head{
		Store: "a61c760fac4ebe08bddfb65e2985abcf", Revision: 5,
		Calendar: driver.Calendar{Day: 1, Date: "2026-11-21"}, Memories: 3, Forgotten: 1,
	}
	if err != nil || h != want {
		t.Errorf("got head %+v (%v), want %+v", h, err, want)
	}
	ms, err := s.Get(t.Context(), ids)
	if err != nil || len(ms) != 3 {
		t.Fatalf("got %d memories (%v), want 3", len(ms), err)
	}
	if m := ms[0]; m.Content != "Retries need jitter 🦛" || m.Importance.Value != .8 || len(m.Tags) != 2 || !ms[2].Forgotten() {
		t.Errorf("got %+v", m)
	}
	vector := []driver.Vector{{ID: ids[2], Text: 7, Values: []float32{1, 0}}}
	if err := s.PutVectors(t.Context(), "model", vector); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Vectors(t.Context(), "model", ids); err != nil || cmp.Diff(vector, got) != "" {
		t.Errorf("got vectors %v (%v), want %v", got, err, vector)
	}
	checkRelations(t, s, ids)
}

// checkRelations relates the first two memories, and removes the relation.
func checkRelations(t *testing.T, s *sqlitestore.Store, ids []hippo.ID) {
	t.Helper()
	r := hippo.Relation{From: ids[1], To: ids[0], Kind: "follows", Weight: .5}
	relate := func(weight float64) {
		err := s.Relate(t.Context(), driver.Durable, []hippo.Relation{r}, func(old, _ hippo.Relation) hippo.Relation {
			old.Weight = weight
			return old
		})
		if err != nil {
			t.Error(err)
		}
	}
	relate(.5)
	got, err := s.Relations(t.Context(), driver.RelationQuery{Scope: hippo.LocalScope(""), IDs: ids, Limit: 5})
	if h, herr := s.Head(t.Context()); err != nil || herr != nil || len(got) != 1 || got[0] != r || h.Relations != 1 {
		t.Errorf("got relations %v (%v), head %+v (%v)", got, err, h, herr)
	}
	relate(0)
}

// Relations of a program of version 7 are there after the migration, and may then have periods.
func TestMigrate_Relations(t *testing.T) {
	t.Parallel()
	const version = 7
	path := filepath.Join(t.TempDir(), "memory.db")
	for _, statement := range sqlitestore.Migrations()[:version] {
		raw(t, path, statement)
	}
	raw(t, path, fmt.Sprintf("PRAGMA user_version = %d", version))
	a, b := memory(1), memory(2)
	for i, m := range []*hippo.Memory{a, b} {
		raw(t, path, `INSERT INTO memory (id, revision, content, type, base, value, set_day, pinned, version, source_kind, author, client, session, seq, uri,
			trust, project, namespace, content_hash) VALUES (?, ?, 'x', '', .5, .5, 0, 0, 0, '', '', '', '', 0, '', 0, '', '', x'00')`, m.ID[:], i+1)
	}
	raw(t, path, "INSERT INTO relation (source, target, kind, weight, valid_from) VALUES (?, ?, 'a', .5, 1000000)", a.ID[:], b.ID[:])
	raw(t, path, "UPDATE state SET relations = 1, memories = 2, revision = 2")
	s := open(t, path)
	old := hippo.Relation{From: a.ID, To: b.ID, Kind: "a", Weight: .5, ValidFrom: time.Unix(1, 0).UTC()}
	second := hippo.Relation{From: a.ID, To: b.ID, Kind: "a", Weight: 1, ValidFrom: time.Unix(9, 0).UTC()}
	if err := s.Relate(t.Context(), driver.Durable, []hippo.Relation{second}, func(_, r hippo.Relation) hippo.Relation { return r }); err != nil {
		t.Fatal(err)
	}
	var got []hippo.Relation
	for r, err := range s.AllRelations(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if d := cmp.Diff([]hippo.Relation{old, second}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

package app_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// A restore leaves nothing that is not in the backup, whatever was purged or recorded
// meanwhile, and neither revisions nor the active day go back for who has the store open.
func TestRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := config.Store{Kind: "sqlite", Path: filepath.Join(dir, "memory.db")}
	s, err := sqlitestore.Open(t.Context(), c.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // a test
	write := func(day hippo.Day, fn func(tx driver.Tx) error) {
		t.Helper()
		err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
			return errors.Join(tx.SetCalendar(driver.Calendar{Day: day, Date: "2026-03-01"}), fn(tx))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	memory := func(n byte, text string) *hippo.Memory {
		return &hippo.Memory{ID: hippo.ID{15: n}, Content: text, ContentHash: hippo.HashContent(text), Namespace: "tenant"}
	}
	relation := hippo.Relation{From: hippo.ID{15: 1}, To: hippo.ID{15: 2}, Kind: "a", Weight: .5}
	relate := func(weight float64) {
		t.Helper()
		r := relation
		r.Weight = weight
		err := s.Relate(t.Context(), driver.Durable, []hippo.Relation{r}, func(_, r hippo.Relation) hippo.Relation { return r })
		if err != nil {
			t.Fatal(err)
		}
	}
	write(3, func(tx driver.Tx) error { return tx.Put(memory(1, "one"), memory(2, "two"), memory(3, "purged")) })
	write(3, func(tx driver.Tx) error { return tx.Purge(hippo.ID{15: 3}) })
	relate(.5)
	backup := filepath.Join(dir, "backup.db")
	if _, err := app.Backup(t.Context(), c, backup, false, nil); err != nil {
		t.Fatal(err)
	}
	write(7, func(tx driver.Tx) error {
		return tx.Put(memory(1, "changed"), memory(3, "back again"), memory(4, "new"))
	})
	relate(1)
	before, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := app.OpenBackup(t.Context(), backup)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Restore(t.Context(), c, time.Unix(0, 0), nil)
	again, err2 := b.Restore(t.Context(), c, time.Unix(0, 0), nil) // within the same second
	err = errors.Join(err, err2, b.Close())
	if again.Saved == r.Saved {
		t.Errorf("both restores saved the store to %s", r.Saved)
	}
	if err != nil || r.Memories != 2 || r.Saved == "" {
		t.Errorf("restored %+v (%v), want 2 memories", r, err)
	}
	after, err := s.Head(t.Context())
	if err != nil || after.Store != before.Store || after.Revision <= before.Revision || after.Calendar != before.Calendar {
		t.Errorf("the head goes from %+v to %+v (%v)", before, after, err)
	}
	var texts []string
	for c, err := range s.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Memory != nil {
			texts = append(texts, c.Memory.Content)
		}
	}
	if slices.Sort(texts); !slices.Equal(texts, []string{"one", "two"}) {
		t.Errorf("there are %q, want one and two", texts)
	}
	for got, err := range s.AllRelations(t.Context()) {
		if err != nil || got != relation {
			t.Errorf("there is %+v (%v), want %+v", got, err, relation)
		}
	}
}

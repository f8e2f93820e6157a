package app_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// openStore opens a store of its own, as another process does.
func openStore(ctx context.Context, c config.Store) (driver.Backend, error) {
	switch c.Kind {
	case "dir":
		return dirstore.Open(ctx, c.Path, nil)
	case "shared":
		return sharedstore.Open(ctx, c.Path, nil)
	default:
		return sqlitestore.Open(ctx, c.Path, nil)
	}
}

// writer records memories, each with a relation to the one before, until it is stopped.
type writer struct {
	backend  driver.Backend
	name     byte
	acked    []hippo.ID
	relation []hippo.Relation
}

func (w *writer) run(stop <-chan struct{}, wrote chan<- struct{}) error {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		id := hippo.ID{0: 1, 6: 0x70, 8: 0x80, 13: w.name, 14: byte(n >> 8), 15: byte(n)}
		text := fmt.Sprintf("writer %d, memory %d", w.name, n)
		m := &hippo.Memory{ID: id, Content: text, ContentHash: hippo.HashContent(text), CreatedAt: time.Unix(1e9, 0).UTC(), UpdatedAt: time.Unix(1e9, 0).UTC(), Version: 1}
		err := w.backend.Write(context.Background(), driver.Durable, func(tx driver.Tx) error { return tx.Put(m) })
		if err != nil {
			return err
		}
		w.acked = append(w.acked, id)
		if k := len(w.acked); k > 1 {
			r := hippo.Relation{From: w.acked[k-2], To: id, Kind: "precedes", Weight: .5}
			there := false
			err := w.backend.Relate(context.Background(), driver.Durable, []hippo.Relation{r}, func(_, r hippo.Relation) hippo.Relation { there = true; return r })
			if err != nil {
				return err
			}
			if there { // else a restore removed the one before, or both
				w.relation = append(w.relation, r)
			}
		}
		select {
		case wrote <- struct{}{}:
		default:
		}
	}
}

// saw collects what a store or a saved copy has.
func saw(t *testing.T, b driver.Backend, ids map[hippo.ID]bool, relations map[driver.RelationKey]bool) {
	t.Helper()
	for c, err := range b.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		ids[c.ID] = true
	}
	for r, err := range b.AllRelations(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		relations[driver.KeyOf(&r)] = true
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// What is acknowledged while a restore replaces the store is in the store, or in the copy that the restore saved.
func TestRestore_UnderWriters(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "dir", "shared"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := config.Store{Kind: kind, Path: filepath.Join(dir, "memory")}
			file := filepath.Join(dir, "backup.db")
			if kind != "dir" {
				c.Path += ".db"
			}
			writers := make([]*writer, 3)
			for i := range writers {
				b, err := openStore(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				writers[i] = &writer{backend: b, name: byte(i)}
			}
			if _, err := app.Backup(t.Context(), c, file, false, nil); err != nil {
				t.Fatal(err)
			}
			saved := restoreUnder(t, c, file, writers)
			ids, relations := make(map[hippo.ID]bool), make(map[driver.RelationKey]bool)
			for _, path := range saved {
				if path == "" {
					continue
				}
				b, err := sqlitestore.Open(t.Context(), path, nil)
				if err != nil {
					t.Fatal(err)
				}
				saw(t, b, ids, relations)
			}
			acked, lost, unrelated := 0, 0, 0
			for _, w := range writers {
				saw(t, w.backend, ids, relations)
			}
			for _, w := range writers {
				acked += len(w.acked)
				for _, id := range w.acked {
					if !ids[id] {
						lost++
					}
				}
				for _, r := range w.relation {
					if !relations[driver.KeyOf(&r)] {
						unrelated++
					}
				}
			}
			if lost > 0 || unrelated > 0 || acked == 0 {
				t.Errorf("of %d acknowledged memories %d are gone, and %d relations", acked, lost, unrelated)
			}
		})
	}
}

// restoreUnder restores a file several times while writers write, and returns the copies that were saved.
func restoreUnder(t *testing.T, c config.Store, file string, writers []*writer) (saved []string) {
	t.Helper()
	stop, wrote := make(chan struct{}), make(chan struct{}, 1)
	var wg sync.WaitGroup
	errs := make([]error, len(writers))
	for i, w := range writers {
		wg.Go(func() { errs[i] = w.run(stop, wrote) })
	}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		for range 5 {
			<-wrote
		}
		b, err := app.OpenBackup(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.Restore(t.Context(), c, time.Unix(0, 0), nil)
		if err = errors.Join(err, b.Close()); err != nil {
			t.Fatal(err)
		}
		saved = append(saved, r.Saved)
	}
	close(stop)
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return saved
}

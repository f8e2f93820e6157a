package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	syncclock "github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/folder"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// shelved is a store as a shelf sees it.
type shelved struct{ *store.Store }

func (s shelved) Replica(ctx context.Context) (syncclock.Replica, entry.Vector, error) {
	_, seen, err := store.Replica(ctx, s.Store)
	if err != nil {
		return syncclock.Replica{}, nil, err
	}
	for _, err := range store.Segments(ctx, s.Store, seen) { // a copy notices that it is one
		if err != nil {
			return syncclock.Replica{}, nil, err
		}
	}
	return store.Replica(ctx, s.Store)
}

func (s shelved) Segments(ctx context.Context, after entry.Vector) iter.Seq2[*entry.Segment, error] {
	return store.Segments(ctx, s.Store, after)
}

func (s shelved) Join(ctx context.Context, list []*entry.Segment) error {
	_, err := store.Join(ctx, s.Store, list)
	return err
}

// shelves are the machines of a world, which exchange by one folder what they do not exchange by another way.
type shelves struct {
	*syncWorld
	folder shelf.Folder
	keys   []*shelf.Key
	states []*shelf.State
}

func (w *shelves) at() time.Time { return w.now }

// sync exchanges what a store and the folder lack. A machine that has not joined does so first.
func (w *shelves) sync(i int) error {
	ctx := context.Background()
	for len(w.keys) <= i {
		var key *shelf.Key
		var state *shelf.State
		var err error
		keep := func(k *shelf.Key, s *shelf.State) error { key, state = k, s; return nil }
		if len(w.keys) == 0 {
			_, err = shelf.Init(ctx, w.folder, "first", nil, nil, w.at, keep)
		} else {
			var code string
			if code, err = shelf.Open(w.folder, w.keys[0], w.states[0], w.at).Invite(ctx, w.now.Add(time.Hour)); err == nil {
				err = shelf.Join(ctx, w.folder, code, fmt.Sprint("machine ", len(w.keys)), w.at, keep)
			}
		}
		if err != nil {
			return err
		}
		w.keys, w.states = append(w.keys, key), append(w.states, state)
	}
	res, err := shelf.Open(w.folder, w.keys[i], w.states[i], w.at).Sync(ctx, shelved{w.list[i].Store})
	if err == nil && len(res.Skipped)+len(res.Backwards) > 0 {
		err = fmt.Errorf("%+v", res)
	}
	return err
}

func (w *shelves) play(steps int) error {
	for i := range steps {
		w.now = w.now.Add(time.Duration(w.pick(3600)) * time.Second)
		k := w.pick(len(w.list))
		if w.pick(4) == 0 {
			if err := w.sync(k); err != nil {
				return err
			}
			continue
		}
		name, err := w.step(w.list[k], i)
		if err != nil && !errors.Is(err, hippo.ErrConflict) && !errors.Is(err, hippo.ErrNotFound) && !errors.Is(err, hippo.ErrInvalid) {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for range 3 {
		for i := range w.list {
			if err := w.sync(i); err != nil {
				return err
			}
		}
	}
	return w.check()
}

// Stores that exchange by a folder on the disk, and now and then directly, become the same.
func TestSync_shelf(t *testing.T) {
	t.Parallel()
	for kind, n := range map[string]int{"memory": 60, "sqlite": 8} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				n /= 4
			}
			for seed := range n {
				r := rand.New(rand.NewPCG(uint64(seed), 37)) //nolint:gosec // a history that can be repeated
				d, err := folder.OpenDir(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				w := &shelves{syncWorld: newSyncWorld(t, r.IntN, kind == "sqlite", t.TempDir()), folder: d}
				err = w.play(30 + r.IntN(50))
				w.close()
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

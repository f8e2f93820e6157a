package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// preceded is a back end where another caller writes just before a transaction begins.
type preceded struct {
	driver.Backend
	before func()
}

func (p *preceded) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if before := p.before; before != nil {
		p.before = nil
		before()
	}
	return p.Backend.Write(ctx, d, fn)
}

// openPreceded returns a store on such a back end with three memories.
func openPreceded(t *testing.T) (s *store.Store, b *preceded, ids [3]hippo.ID) {
	t.Helper()
	b = &preceded{Backend: memstore.New(nil)}
	s = store.New(b, &store.Options{Now: start().now, Zone: time.UTC})
	t.Cleanup(func() { _ = s.Close() })
	for i, text := range []string{"Ada", "Paris", "Rome"} {
		m := memory(text)
		add(t, s, m)
		ids[i] = m.ID
	}
	return s, b, ids
}

func single(string) bool { return true }

// What another caller declares between the call and its transaction is closed, or reported.
func TestRelate_SeesWhatWasDeclaredMeanwhile(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]time.Time{"closed": {}, "conflict": start().t.AddDate(1, 0, 0)} {
		s, b, ids := openPreceded(t)
		declare := func(to hippo.ID, from time.Time) *api.Related {
			r := hippo.Relation{From: ids[0], To: to, Kind: "lives_in", Weight: 1, ValidFrom: from}
			done, err := local(s).Relate(t.Context(), []hippo.Relation{r}, single)
			if err != nil {
				t.Error(err)
			}
			return done
		}
		b.before = func() { declare(ids[1], from) }
		done := declare(ids[2], time.Time{})
		if len(done.Closed)+len(done.Conflicts) != 1 || (name == "closed") != (len(done.Closed) == 1) {
			t.Errorf("%s: done is %+v", name, done)
		}
	}
}

// Of declarations of a single kind that run at once, one relation is open at the end.
func TestRelate_SingleKindsAtOnce(t *testing.T) {
	t.Parallel()
	s, _, ids := openPreceded(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	found := 0
	for _, to := range ids[1:] {
		wait.Go(func() {
			r := hippo.Relation{From: ids[0], To: to, Kind: "lives_in", Weight: 1}
			done, err := local(s).Relate(t.Context(), []hippo.Relation{r}, single)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			found += len(done.Closed) + len(done.Conflicts)
		})
	}
	wait.Wait()
	if found != 1 {
		t.Errorf("%d relations were closed or reported", found)
	}
}

// A relation that was removed after it had ended stays removed when the end is undone. The undo of the removal brings it back.
func TestUndo_OfTheEndOfWhatWasRemovedSince(t *testing.T) {
	t.Parallel()
	s, _, ids := openPreceded(t)
	r := hippo.Relation{From: ids[0], To: ids[1], Kind: "uses", Weight: 1}
	until := start().t.AddDate(1, 0, 0)
	ended := hippo.Operation{ID: hippo.ID{1}, Verb: hippo.VerbRelate}
	removed := hippo.Operation{ID: hippo.ID{2}, Verb: hippo.VerbRelate}
	steps := []func() error{
		func() error { _, err := local(s).Relate(t.Context(), []hippo.Relation{r}, nil); return err },
		func() error {
			_, err := store.EndRelations(t.Context(), store.As(local(s), ended), []hippo.Relation{r}, until)
			return err
		},
		func() error { return store.As(local(s), removed).Unrelate(t.Context(), []hippo.Relation{r}) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	stored := func() []hippo.Relation {
		rs, err := local(s).Relations(t.Context(), ids[:1], time.Time{}, 9)
		if err != nil {
			t.Fatal(err)
		}
		return rs
	}
	if _, err := store.Undo(t.Context(), local(s), ended.ID, nil, nil); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("the undo of the end: %v", err)
	}
	if rs := stored(); len(rs) != 0 {
		t.Errorf("the removed relation is back: %+v", rs)
	}
	if _, err := store.Undo(t.Context(), local(s), removed.ID, nil, nil); err != nil {
		t.Fatal(err)
	}
	if rs := stored(); len(rs) != 1 || !rs[0].ValidUntil.Equal(until) {
		t.Errorf("after the undo of the removal: %+v", rs)
	}
	if _, err := store.Undo(t.Context(), local(s), ended.ID, nil, nil); err != nil {
		t.Errorf("the undo of the end, after that of the removal: %v", err)
	}
	if rs := stored(); len(rs) != 1 || !rs[0].ValidUntil.IsZero() {
		t.Errorf("after both: %+v", rs)
	}
}

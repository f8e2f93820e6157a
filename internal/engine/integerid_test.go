package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// numberedStore is a back end that has the number 7 for some memories.
type numberedStore struct {
	*memstore.Store
	bearers []hippo.ID
}

func (s *numberedStore) Numbers(_ context.Context, ids []hippo.ID) (map[hippo.ID]int64, error) {
	out := make(map[hippo.ID]int64)
	for _, id := range ids {
		if slices.Contains(s.bearers, id) {
			out[id] = 7
		}
	}
	return out, nil
}

func (s *numberedStore) Bearers(_ context.Context, n int64) ([]hippo.ID, error) {
	if n != 7 {
		return nil, nil
	}
	return s.bearers, nil
}

var _ driver.Numbered = (*numberedStore)(nil)

// A memory is found by its number, as it is found by its ID.
func TestNumbers(t *testing.T) {
	t.Parallel()
	s := &numberedStore{Store: memstore.New(nil)}
	f := open(t, options{backend: s})
	own, one, two := f.record("has a number of its ID", .5), f.record("one of a row", .5), f.record("another of a row", .5)
	s.bearers = []hippo.ID{one}
	got, err := memory.Numbers(t.Context(), f.Memories, []hippo.ID{own, one, idOf(99)})
	if diff := cmp.Diff(map[hippo.ID]int64{own: own.Number(), one: 7}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for id, n := range map[hippo.ID]int64{own: own.Number(), one: 7, two: two.Number()} {
		if got, err := memory.Resolve(t.Context(), f.Memories, memory.NumberRef(n), api.PreferLive); err != nil || got != id {
			t.Errorf("%d: got %v (%v), want %v", n, got, err, id)
		}
	}
	s.bearers = []hippo.ID{one, two}
	if _, err := memory.Resolve(t.Context(), f.Memories, "#7", api.PreferLive); !isAmbiguous(err) {
		t.Errorf("got %v for a number of two", err)
	}
	if _, err := memory.Forget(t.Context(), f.Memories, []hippo.ID{one}); err != nil {
		t.Fatal(err)
	}
	for prefer, id := range map[api.Preference]hippo.ID{api.PreferLive: two, api.PreferForgotten: one} {
		if got, err := memory.Resolve(t.Context(), f.Memories, "#7", prefer); err != nil || got != id {
			t.Errorf("got %v (%v), want %v", got, err, id)
		}
	}
	other := own
	other[0] ^= 1 // no memory, but the number is the same
	if got, err := memory.Resolve(t.Context(), f.Memories, memory.NumberRef(other.Number()), api.PreferLive); err != nil || got != own {
		t.Errorf("got %v (%v)", got, err)
	}
	for ref, want := range map[string]error{"#8": hippo.ErrNotFound, "#-1": hippo.ErrInvalid, "#x": hippo.ErrInvalid, "#9007199254740992": hippo.ErrNotFound, "#4503599627370496": hippo.ErrNotFound} {
		if _, err := memory.Resolve(t.Context(), f.Memories, ref, api.PreferLive); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", ref, err, want)
		}
	}
}

// Numbers keep to a scope.
func TestNumbers_Scope(t *testing.T) {
	t.Parallel()
	s := &numberedStore{Store: memstore.New(nil)}
	f := open(t, options{backend: s})
	id := f.record("of a tenant", .5)
	s.bearers = []hippo.ID{id}
	other := f.In(hippo.Scope{Namespace: "other", Rights: hippo.RightRead})
	for _, n := range []int64{7, id.Number()} {
		if _, err := memory.Resolve(t.Context(), other, memory.NumberRef(n), api.PreferLive); !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("%d: got %v", n, err)
		}
	}
	if got, err := memory.Numbers(t.Context(), other, []hippo.ID{id}); err != nil || len(got) != 0 {
		t.Errorf("got %v (%v)", got, err)
	}
}

func isAmbiguous(err error) bool {
	_, ok := errors.AsType[*hippo.AmbiguousError](err)
	return ok
}

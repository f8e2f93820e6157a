package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

func TestReinforce(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	up, down := f.record("up", .8), f.record("down", .7)
	got, err := memory.Reinforce(t.Context(), f.Memories, []hippo.ID{up, up}, []hippo.ID{down})
	if err != nil {
		t.Fatal(err)
	}
	want := []api.Reinforcement{{ID: up, Before: .8, After: 1}, {ID: down, Before: .7, After: .35}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	f.live(10)
	if got, err = memory.Reinforce(t.Context(), f.Memories, nil, []hippo.ID{up}); err != nil || got[0].After >= got[0].Before {
		t.Errorf("a downvote raised an old memory: %+v (%v)", got, err)
	}
	if _, err := memory.Reinforce(t.Context(), f.Memories, []hippo.ID{up, {15: 9}}, nil); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
	if _, err := memory.Reinforce(t.Context(), f.Memories, []hippo.ID{up}, []hippo.ID{up}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v, want invalid", err)
	}
}

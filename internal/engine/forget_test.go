package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

func TestForget(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("a wrong idea", .5)
	ids := []hippo.ID{id, id}
	if _, err := memory.Forget(t.Context(), f.Memories, ids); err != nil {
		t.Fatal(err)
	}
	f.wantOrder(hippo.Query{Text: "idea"})
	if list, err := memory.List(t.Context(), f.Memories, api.List{Forgotten: true}); err != nil || list.Total != 1 {
		t.Errorf("got %+v (%v), want one forgotten memory", list, err)
	}
	if _, err := memory.Restore(t.Context(), f.Memories, ids); err != nil {
		t.Fatal(err)
	}
	f.wantOrder(hippo.Query{Text: "idea"}, "a wrong idea")
	if err := memory.Purge(t.Context(), f.Memories, ids); err != nil {
		t.Fatal(err)
	}
	f.wantOrder(hippo.Query{Text: "idea"})
	if _, err := memory.Get(t.Context(), f.Memories, ids); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

// Forgetting what is forgotten, and restoring what is not, changes nothing.
func TestForget_Twice(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("once", .5)
	for name, mark := range map[string]func(hippo.ID){"forget": f.forget, "restore": f.restore} {
		mark(id)
		before := f.get(id)
		f.advance(1, 0)
		mark(id)
		if d := cmp.Diff(before, f.get(id)); d != "" {
			t.Errorf("%s (-once +twice):\n%s", name, d)
		}
	}
}

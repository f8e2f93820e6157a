package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("resolvable", .5)
	hash := fmt.Sprintf("%x", hippo.HashContent("resolvable"))
	for _, ref := range []string{
		id.String(), id.String()[:13], strings.ReplaceAll(id.String(), "-", ""), hash[:8], id.Short(), strings.ToUpper(id.Short()), id.Short()[4:], id.String()[20:],
	} {
		if got, err := memory.Resolve(t.Context(), f.Memories, ref, api.PreferLive); err != nil || got != id {
			t.Errorf("%s: got %v (%v)", ref, got, err)
		}
	}
	for ref, want := range map[string]error{"abc": hippo.ErrInvalid, "zebra": hippo.ErrInvalid, "00ff00ff00ff": hippo.ErrNotFound} {
		if _, err := memory.Resolve(t.Context(), f.Memories, ref, api.PreferLive); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", ref, err, want)
		}
	}
}

// Where the last 8 digits fit several memories, a longer end is shown, and the error lists the
// candidates with the beginning of their text.
func TestResolve_Ambiguous(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	at := func(s string) hippo.ID {
		id, err := hippo.ParseID(s)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	one, two := at("01a20000-0000-7000-8000-00a1deadbeef"), at("01a20000-0000-7000-8000-00b1deadbeef")
	begins, hidden := at("deadbeef-0000-7000-8000-000000000001"), at("01a20000-0000-7000-8000-000000000002")
	_, err := transfer.New(f.Memories).Import(t.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		_ = yield(&hippo.Memory{ID: one, Content: "the first\none"}, nil) &&
			yield(&hippo.Memory{ID: two, Content: "the second " + strings.Repeat("x", 100)}, nil) &&
			yield(&hippo.Memory{ID: begins, Content: "begins with these digits"}, nil) &&
			yield(&hippo.Memory{ID: hidden, Content: "another"}, nil)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = memory.Resolve(t.Context(), f.Memories, "deadbeef", api.PreferLive)
	ambiguous, ok := errors.AsType[*hippo.AmbiguousError](err)
	want := [][2]string{{"a1deadbeef", "the first one"}, {"b1deadbeef", "the second " + strings.Repeat("x", 38) + "…"}}
	if !ok || !errors.Is(err, hippo.ErrInvalid) || !cmp.Equal(ambiguous.Candidates, want) {
		t.Fatalf("got %v", err)
	}
	short := memory.ShortIDs(f.Memories, []hippo.ID{one, two, begins, hidden})
	for id, want := range map[hippo.ID]string{one: "a1deadbeef", two: "b1deadbeef", begins: "00000001", hidden: "00000002"} {
		if got := short.Of(id); got != want {
			t.Errorf("%v: short form %s, want %s", id, got, want)
		}
		if got, err := memory.Resolve(t.Context(), f.Memories, short.Of(id), api.PreferLive); err != nil || got != id {
			t.Errorf("%s: got %v (%v)", want, got, err)
		}
	}
	if got, err := memory.Resolve(t.Context(), f.Memories, "deadbeef-", api.PreferLive); err != nil || got != begins {
		t.Errorf("a prefix with its dash: got %v (%v)", got, err)
	}
}

// What is purged is gone for good: a short form that fits a live memory and a forgotten one is refused, and both are listed.
func TestResolve_Preference(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	var ids []hippo.ID
	for _, s := range []string{"01a20000-0000-7000-8000-00000000beef", "01a20000-0000-7000-8000-00010000beef"} {
		id, err := hippo.ParseID(s)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	live, gone := ids[0], ids[1]
	_, err := transfer.New(f.Memories).Import(t.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		_ = yield(&hippo.Memory{ID: live, Content: "live"}, nil) && yield(&hippo.Memory{ID: gone, Content: "gone"}, nil)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Forget(t.Context(), f.Memories, []hippo.ID{gone}); err != nil {
		t.Fatal(err)
	}
	for prefer, want := range map[api.Preference]hippo.ID{api.PreferLive: live, api.PreferForgotten: gone} {
		if got, err := memory.Resolve(t.Context(), f.Memories, "beef", prefer); err != nil || got != want {
			t.Errorf("%d: got %v (%v), want %v", prefer, got, err, want)
		}
	}
	_, err = memory.Resolve(t.Context(), f.Memories, "beef", api.PreferNone)
	ambiguous, ok := errors.AsType[*hippo.AmbiguousError](err)
	if !ok || len(ambiguous.Candidates) != 2 || ambiguous.Candidates[0][1] != "live" || ambiguous.Candidates[1][1] != "gone (forgotten)" {
		t.Fatalf("got %v", err)
	}
	for i, c := range ambiguous.Candidates {
		if got, err := memory.Resolve(t.Context(), f.Memories, c[0], api.PreferNone); err != nil || got != ids[i] {
			t.Errorf("%s: got %v (%v)", c[0], got, err)
		}
	}
}

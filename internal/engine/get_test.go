package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("resolvable", .5)
	hash := fmt.Sprintf("%x", hippo.HashContent("resolvable"))
	for _, ref := range []string{
		id.String(), id.String()[:13], strings.ReplaceAll(id.String(), "-", ""), hash[:8], id.Short(), strings.ToUpper(id.Short()), id.Short()[4:], id.String()[20:],
	} {
		if got, err := f.Resolve(t.Context(), ref, false); err != nil || got != id {
			t.Errorf("%s: got %v (%v)", ref, got, err)
		}
	}
	for ref, want := range map[string]error{"abc": hippo.ErrInvalid, "zebra": hippo.ErrInvalid, "00ff00ff00ff": hippo.ErrNotFound} {
		if _, err := f.Resolve(t.Context(), ref, false); !errors.Is(err, want) {
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
	_, err := f.Transfer().Import(t.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		_ = yield(&hippo.Memory{ID: one, Content: "the first\none"}, nil) &&
			yield(&hippo.Memory{ID: two, Content: "the second " + strings.Repeat("x", 100)}, nil) &&
			yield(&hippo.Memory{ID: begins, Content: "begins with these digits"}, nil) &&
			yield(&hippo.Memory{ID: hidden, Content: "another"}, nil)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Resolve(t.Context(), "deadbeef", false)
	ambiguous, ok := errors.AsType[*hippo.AmbiguousError](err)
	want := [][2]string{{"a1deadbeef", "the first one"}, {"b1deadbeef", "the second " + strings.Repeat("x", 38) + "…"}}
	if !ok || !errors.Is(err, hippo.ErrInvalid) || !cmp.Equal(ambiguous.Candidates, want) {
		t.Fatalf("got %v", err)
	}
	short := engine.ShortIDs(f.Memories, []hippo.ID{one, two, begins, hidden})
	for id, want := range map[hippo.ID]string{one: "a1deadbeef", two: "b1deadbeef", begins: "00000001", hidden: "00000002"} {
		if got := short.Of(id); got != want {
			t.Errorf("%v: short form %s, want %s", id, got, want)
		}
		if got, err := f.Resolve(t.Context(), short.Of(id), false); err != nil || got != id {
			t.Errorf("%s: got %v (%v)", want, got, err)
		}
	}
	if got, err := f.Resolve(t.Context(), "deadbeef-", false); err != nil || got != begins {
		t.Errorf("a prefix with its dash: got %v (%v)", got, err)
	}
}

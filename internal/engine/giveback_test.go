package engine_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Who forgets or purges what superseded a memory gets that back; who restores it, or undoes that, has the former state.
func TestForget_Successor(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	old := f.note(fact("the port of the gateway is 80"))
	now := f.note(fact("the gateway listens on 8080"), old.ID)
	superseded := func(want bool) {
		t.Helper()
		x := f.get(old.ID)
		if got := x.StateAt(f.now()); (got == hippo.Superseded) != want || want && x.SupersededBy != now.ID || !want && got != hippo.Holds {
			t.Errorf("it is %q, by %v, until %v", got, x.SupersededBy, x.ValidUntil)
		}
	}
	superseded(true)
	f.forget(now.ID)
	superseded(false)
	f.wantOrder(hippo.Query{Text: "gateway"}, old.Content)
	f.restore(now.ID)
	superseded(true)
	f.wantOrder(hippo.Query{Text: "gateway"}, now.Content, old.Content)
	f.forget(now.ID)
	f.undo(now.ID)
	superseded(true)
	f.forget(now.ID)
	newer := f.note(fact("the gateway listens on 9090"), old.ID)
	f.restore(now.ID)
	if x := f.get(old.ID); x.SupersededBy != newer.ID {
		t.Errorf("what supersedes it since gave way: it is superseded by %v", x.SupersededBy)
	}
	if err := memory.Purge(t.Context(), f.Memories, []hippo.ID{newer.ID}); err != nil {
		t.Fatal(err)
	}
	superseded(false)
}

// Of a chain, what the forgotten one superseded ends when the next begins.
func TestForget_Middle(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	first := f.note(fact("port 80"))
	second := f.note(fact("port 81"), first.ID)
	third := f.note(fact("port 82"), second.ID)
	f.forget(second.ID)
	if x := f.get(first.ID); x.SupersededBy != third.ID || !x.ValidUntil.Equal(third.ValidFrom) {
		t.Errorf("superseded by %v, until %v", x.SupersededBy, x.ValidUntil)
	}
	f.restore(second.ID)
	if x := f.get(first.ID); x.SupersededBy != second.ID || !x.ValidUntil.Equal(second.ValidFrom) {
		t.Errorf("restored: superseded by %v, until %v", x.SupersededBy, x.ValidUntil)
	}
	if _, err := memory.Forget(t.Context(), f.Memories, []hippo.ID{second.ID, third.ID}); err != nil {
		t.Fatal(err)
	}
	if x := f.get(first.ID); x.StateAt(f.now()) != hippo.Holds {
		t.Errorf("both forgotten: superseded by %v, until %v", x.SupersededBy, x.ValidUntil)
	}
	if _, err := memory.Restore(t.Context(), f.Memories, []hippo.ID{second.ID, third.ID}); err != nil {
		t.Fatal(err)
	}
	if x, y := f.get(first.ID), f.get(second.ID); x.SupersededBy != second.ID || y.SupersededBy != third.ID {
		t.Errorf("both restored: superseded by %v and %v", x.SupersededBy, y.SupersededBy)
	}
}

// What a successor superseded is given back also while it is forgotten itself, so that it holds when it is restored.
func TestForget_SuccessorOfAForgottenOne(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	old := f.note(fact("port 80"))
	now := f.note(fact("port 81"), old.ID)
	f.forget(old.ID)
	f.forget(now.ID)
	f.restore(old.ID)
	if x := f.get(old.ID); x.StateAt(f.now()) != hippo.Holds {
		t.Errorf("it is %q, by %v, until %v", x.StateAt(f.now()), x.SupersededBy, x.ValidUntil)
	}
}

// A modification that forgets gives back as well: a line of a synchronised file that somebody deletes, alone or with others.
func TestModify_ForgetsASuccessor(t *testing.T) {
	t.Parallel()
	forgetting := api.Change{Forget: true}
	for name, forget := range map[string]func(f *fixture, id hippo.ID) error{
		"one": func(f *fixture, id hippo.ID) error {
			x, err := memory.Modify(t.Context(), f.Memories, id, forgetting)
			if err == nil && (x.ID != id || !x.Forgotten()) {
				t.Errorf("it returns %v", x)
			}
			return err
		},
		"several": func(f *fixture, id hippo.ID) error {
			ms, err := memory.ModifyAll(t.Context(), f.Memories, []api.Modify{{ID: id, Change: forgetting}})
			if err == nil && (len(ms) != 1 || ms[0].ID != id) {
				t.Errorf("it returns %v", ms)
			}
			return err
		},
	} {
		f := open(t, options{})
		old := f.note(fact("port 80"))
		now := f.note(fact("port 81"), old.ID)
		if err := forget(f, now.ID); err != nil {
			t.Fatal(err)
		}
		if x := f.get(old.ID); x.StateAt(f.now()) != hippo.Holds {
			t.Errorf("%s: it is %q, by %v", name, x.StateAt(f.now()), x.SupersededBy)
		}
		f.restore(now.ID)
		if x := f.get(old.ID); x.SupersededBy != now.ID {
			t.Errorf("%s, restored: it is superseded by %v", name, x.SupersededBy)
		}
	}
}

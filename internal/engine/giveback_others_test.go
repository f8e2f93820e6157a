package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

// wantHeld fails unless a memory is superseded by another one, or holds if that is the zero ID.
func (f *fixture) wantHeld(when string, id, by hippo.ID) {
	f.t.Helper()
	x := f.get(id)
	want := hippo.Superseded
	if by.IsZero() {
		want = hippo.Holds
	}
	if got := x.StateAt(f.now()); got != want || x.SupersededBy != by {
		f.t.Errorf("%s: it is %q, by %v, until %v", when, got, x.SupersededBy, x.ValidUntil)
	}
}

// replace makes a stored memory supersede another one.
func (f *fixture) replace(now, old hippo.ID) {
	f.t.Helper()
	f.modify(now, api.Change{Supersedes: &[]hippo.ID{old}})
}

// A source that does not say any more what supersedes a memory gives that back, and undo of the import takes that back as well.
func TestImport_GivesBackWhatAWithdrawnOneSupersedes(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	load := func(texts ...string) api.ImportReport {
		t.Helper()
		from := transfer.Origin{Path: "notes.md", Whole: func() []string { return []string{"notes.md"} }}
		r, err := transfer.New(f.Memories).Logged(from).Import(t.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
			for i, text := range texts {
				m := turn(100+i, "", text)
				m.Trust = hippo.DefaultTrust(hippo.SourceImport)
				m.Source = hippo.Source{Kind: hippo.SourceImport, Client: "notes", URI: "notes.md"}
				if !yield(m, nil) {
					return
				}
			}
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	old := f.note(fact("the port of the gateway is 80"))
	none := hippo.ID{}
	load("bees", "the gateway listens on 8080")
	now := idOf(101)
	f.replace(now, old.ID)
	f.wantHeld("imported", old.ID, now)
	r := load("bees")
	if r.Gone != 1 || !f.get(now).Forgotten() {
		t.Fatalf("%+v", r)
	}
	f.wantHeld("withdrawn", old.ID, none)
	if _, err := memory.Undo(t.Context(), f.Memories, r.Operation); err != nil {
		t.Fatal(err)
	}
	f.wantHeld("undone", old.ID, now)
	if f.get(now).Forgotten() {
		t.Error("the undone import forgets")
	}
	load("bees")
	f.wantHeld("withdrawn again", old.ID, none)
	r = load("bees", "the gateway listens on 8080")
	f.wantHeld("said again", old.ID, now)
	if _, err := memory.Undo(t.Context(), f.Memories, r.Operation); err != nil {
		t.Fatal(err)
	}
	f.wantHeld("what said it again is undone", old.ID, none)
}

// An import that brings back what superseded a memory makes that superseded again exactly if its record of the memory says so, or if it has
// none; in whichever order the two come.
func TestImport_BringsBackASuccession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		has, says, later bool // the file has the superseded one; it says by what; something else supersedes it since
		want             int  // which of the three: 0 it holds
	}{
		"says so":              {has: true, says: true, want: 1},
		"says that it holds":   {has: true},
		"says nothing":         {want: 1},
		"superseded meanwhile": {has: true, says: true, later: true, want: 2},
	} {
		for _, last := range []bool{false, true} {
			f := open(t, options{})
			old := f.note(fact("port 80"))
			now := f.note(fact("port 81"), old.ID)
			file := []*hippo.Memory{f.get(now.ID)}
			if c.has {
				x := f.get(old.ID)
				if !c.says {
					x.SupersededBy, x.ValidUntil = hippo.ID{}, time.Time{}
				}
				file = append(file, x)
			}
			if last {
				slices.Reverse(file)
			}
			ended := f.get(old.ID).ValidUntil
			f.forget(now.ID)
			want := []hippo.ID{{}, now.ID, {}}[:2]
			if c.later {
				want = append(want, f.note(fact("port 82"), old.ID).ID)
			}
			if _, err := transfer.New(f.Memories).Again().Import(t.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
				for _, m := range file {
					if !yield(m, nil) {
						return
					}
				}
			}, nil); err != nil {
				t.Fatal(err)
			}
			if f.get(now.ID).Forgotten() {
				t.Fatalf("%s: it was not brought back", name)
			}
			f.wantHeld(name, old.ID, want[c.want])
			if x := f.get(old.ID); c.want == 1 && !x.ValidUntil.Equal(ended) {
				t.Errorf("%s: it ended at %v, not at %v", name, x.ValidUntil, ended)
			}
		}
	}
}

// Neither of a succession may be forgotten: not what is superseded, nor what supersedes.
func TestSupersede_Forgotten(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	old, now := f.note(fact("port 80")), f.note(fact("port 81"))
	refused := func(id hippo.ID, err error) {
		t.Helper()
		if !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), id.String()+" is forgotten; restore it first") {
			t.Errorf("got %v", err)
		}
	}
	try := func(gone hippo.ID) {
		t.Helper()
		f.forget(gone)
		_, err := memory.Modify(t.Context(), f.Memories, now.ID, api.Change{Supersedes: &[]hippo.ID{old.ID}})
		refused(gone, err)
		_, err = memory.Supersede(t.Context(), f.Memories, memory.Succession{ID: old.ID, By: now.ID})
		refused(gone, err)
		if gone == old.ID {
			_, err = memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: "port 82"}, gone)
			refused(gone, err)
		}
		f.restore(gone)
		f.wantHeld("refused", old.ID, hippo.ID{})
	}
	try(old.ID)
	try(now.ID)
	f.replace(now.ID, old.ID)
	f.wantHeld("both are there", old.ID, now.ID)
}

// Undo of what recorded a memory gives back what that supersedes since. Undo of that undo takes it back.
func TestUndo_GivesBackWhatARecordedOneSupersedes(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	old := f.note(fact("port 80"))
	now := f.note(fact("port 81"), f.note(fact("ports are not known")).ID)
	recorded := f.last(now.ID).ID
	f.replace(now.ID, old.ID)
	f.wantHeld("superseded", old.ID, now.ID)
	if _, err := memory.Undo(t.Context(), f.Memories, recorded); err != nil {
		t.Fatal(err)
	}
	f.wantHeld("undone", old.ID, hippo.ID{})
	f.undo(now.ID)
	f.wantHeld("undone twice", old.ID, now.ID)
}

// A merged entity gives back what it supersedes; that is neither of the two in the answer.
func TestMergeEntities_GivesBack(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	old, from, into := f.entity("Anna", "person"), f.entity("Ana Silva", "person"), f.entity("Ana", "person")
	f.replace(from, old)
	got, err := knowledge.MergeEntities(t.Context(), f.Memories, api.MergeEntities{From: from.String(), Into: into.String()})
	if err != nil {
		t.Fatal(err)
	}
	if got.Entity.ID != into || got.Other.ID != from {
		t.Errorf("merged %v into %v", got.Other, got.Entity)
	}
	f.wantHeld("merged", old, hippo.ID{})
	f.undo(from)
	f.wantHeld("undone", old, from)
}

// Of two cards of one project that a merge joins, the one that is forgotten gives back what it supersedes.
func TestMergeProjects_GivesBack(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	card := func(n int, names ...string) hippo.ID {
		e := hippo.Entity{Name: names[0], Kind: "project", Aliases: names[1:]}
		x := turn(n, "", e.Content())
		x.Type, x.Project = hippo.EntityType, "*projects"
		f.put(x)
		return x.ID
	}
	old, gone, kept := card(1, "other"), card(2, "alpha"), card(3, "beta")
	f.put(turn(4, "", "port 80"), turn(5, "", "port 81"))
	f.modify(idOf(4), api.Change{Project: new("new:alpha")})
	f.modify(idOf(5), api.Change{Project: new("new:beta")})
	f.advance(1, 0)
	f.replace(gone, old)
	f.advance(1, 0)
	f.modify(kept, api.Change{Tags: &[]string{"latest"}})
	if _, err := memory.MergeProjects(t.Context(), f.Memories, api.MergeProjects{From: "alpha", Into: "beta"}); err != nil {
		t.Fatal(err)
	}
	if !f.get(gone).Forgotten() || f.get(kept).Forgotten() {
		t.Fatalf("%v and %v", f.get(gone), f.get(kept))
	}
	f.wantHeld("merged", old, hippo.ID{})
	f.undo(gone)
	f.wantHeld("undone", old, gone)
}

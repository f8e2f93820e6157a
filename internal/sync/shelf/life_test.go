package shelf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

func TestSync_generations(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	own := "r/" + ms[0].store.Replica.String() + "/"
	most := 0
	for i := range 150 {
		ms[0].store.text(i%40, fmt.Sprint("text ", i))
		ms[0].sync()
		if most = max(most, len(f.names(own))); i%7 == 0 {
			ms[1].sync()
		}
	}
	if most != maxFiles || !strings.HasPrefix(f.names(own)[0], own+"3-1-") {
		t.Errorf("at most %d files, now %v", most, f.names(own))
	}
	ms[1].sync()
	same(t, ms...)
	fresh := ms[0].invite(f, "fresh")
	if res := fresh.sync(); res.Entries > 70 {
		t.Errorf("a new machine reads %d entries", res.Entries)
	}
	same(t, ms[0], fresh)
}

func TestSync_half_superseded(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a")
	own := "r/" + ms[0].store.Replica.String() + "/"
	for i := range 300 {
		ms[0].store.text(i, "first")
	}
	ms[0].sync()
	for range 2 {
		for i := range 290 {
			ms[0].store.text(i, "again")
		}
		ms[0].sync()
	}
	ms[0].store.text(1, "x")
	ms[0].sync()
	if list := f.names(own); len(list) > 2 || !strings.HasPrefix(list[0], own+"2-1-") && !strings.HasPrefix(list[0], own+"3-1-") {
		t.Errorf("got %v", list)
	}
	fresh := ms[0].invite(f, "fresh")
	if res := fresh.sync(); res.Entries > 600 {
		t.Errorf("a new machine reads %d entries", res.Entries)
	}
	same(t, ms[0], fresh)
}

// A machine that stops between a new generation and the removal of the old one removes it later, and others read no more than they need.
func TestSync_stops_before_removal(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	own := "r/" + ms[0].store.Replica.String() + "/"
	for i := range 5 {
		ms[0].store.text(i, "x")
		ms[0].sync()
	}
	f.removal = errors.New("stopped")
	if _, err := ms[0].shelf().Rebuild(context.Background(), face{ms[0].store}); err == nil {
		t.Fatal("no error")
	}
	f.removal = nil
	if n := len(f.names(own)); n != 6 {
		t.Fatalf("%d files", n)
	}
	if res := ms[1].sync(); res.Read != 1 {
		t.Errorf("another machine: %+v", res)
	}
	ms[0].store.text(6, "y")
	ms[0].sync()
	if n := len(f.names(own)); n != 2 {
		t.Errorf("afterwards %d files", n)
	}
	ms[1].sync()
	same(t, ms...)
}

func TestSync_without_its_state(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	for i := range 5 {
		ms[0].store.text(i, "x")
		ms[0].sync()
	}
	ms[0].state = &State{}
	puts := f.puts
	if res := ms[0].sync(); res.Written+res.Removed > 0 || f.puts != puts {
		t.Errorf("got %+v", res)
	}
	if res := ms[0].sync(); !res.Idle {
		t.Errorf("got %+v", res)
	}
}

func TestSync_purge(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b", "c")
	for i := range 9 {
		ms[i%3].store.text(i, fmt.Sprint("kept ", i))
	}
	ms[0].store.text(50, "HUSH of a")
	for range 2 {
		for _, m := range ms {
			m.sync()
		}
	}
	ms[1].store.text(50, "HUSH of b")
	ms[1].store.set(50, merge.Tags, map[string]any{"tags": []string{"HUSH"}, "version": 2})
	for range 2 {
		for _, m := range ms {
			m.sync()
		}
	}
	ms[2].store.text(50, "HUSH of c")
	ms[2].sync()
	if n := strings.Count(ms[0].plain(f), "HUSH"); n < 3 {
		t.Fatalf("%d secrets before", n)
	}
	ms[0].store.purge(50)
	for range 2 {
		for _, m := range ms {
			m.sync()
		}
	}
	if text := ms[0].plain(f); strings.Contains(text, "HUSH") || !strings.Contains(text, "kept 8") {
		t.Error("the folder still holds what was purged")
	}
	for _, m := range ms {
		if m.store.shows("HUSH") || len(f.names("r/"+m.store.Replica.String())) == 0 {
			t.Errorf("%s still holds it", m.name)
		}
	}
	same(t, ms...)
	for _, m := range ms {
		m.sync()
		if res := m.sync(); !res.Idle {
			t.Errorf("%s: %+v", m.name, res)
		}
	}
}

func TestRetire(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := newMem()
	ms := several(t, f, "a", "b", "lost")
	lost := ms[2]
	lost.store.text(1, "HUSH")
	lost.store.text(2, "of the lost machine")
	lost.sync()
	lost.store.text(3, "sent late")
	late := newMem()
	late.files = maps.Clone(f.files)
	gone := *lost
	gone.folder = late
	gone.sync()

	if _, err := ms[0].shelf().Retire(ctx, face{ms[0].store}, "nobody"); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("an unknown machine: %v", err)
	}
	if _, err := ms[0].shelf().Retire(ctx, face{ms[0].store}, "lost"); err != nil {
		t.Fatal(err)
	}
	ms[0].store.purge(1)
	for range 2 {
		for _, m := range ms[:2] {
			m.sync()
		}
	}
	same(t, ms[:2]...)
	if text := ms[0].plain(f); strings.Contains(text, "HUSH") || !strings.Contains(text, "of the lost machine") {
		t.Error("the files of the lost machine were not taken over")
	}
	if list := f.names("keys/" + lost.key.id()); len(list) > 0 {
		t.Errorf("the key of the lost machine is still there: %v", list)
	}
	puts := f.puts
	lost.folder = f
	if _, err := lost.trySync(); !errors.Is(err, hippo.ErrForbidden) || !strings.Contains(err.Error(), "retired by a") || f.puts != puts {
		t.Errorf("the lost machine: %v", err)
	}

	for name, b := range late.files { // it arrives now
		if f.files[name] == nil && strings.HasPrefix(name, "r/") && strings.Contains(name, "-3-3-") {
			f.files[name] = b
		}
	}
	if res := ms[1].sync(); len(res.Skipped) != 1 || !errors.Is(res.Skipped[0].Err, hippo.ErrForbidden) || ms[1].store.shows("sent late") {
		t.Errorf("a late file: %+v", res)
	}
	if _, err := ms[0].shelf().Retire(ctx, face{ms[0].store}, "lost"); err != nil {
		t.Fatal(err)
	}
	ms[1].sync()
	ms[0].sync()
	same(t, ms[:2]...)
	if !ms[1].store.shows("sent late") {
		t.Error("a late file was not taken over")
	}

	back := ms[1].invite(f, "found") // its store has an owner now
	back.store = lost.store
	if _, err := back.trySync(); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("the store of a retired machine: %v", err)
	}
	back.store.renew(t)
	back.store.text(9, "found again")
	back.sync()
	for range 2 {
		for _, m := range ms[:2] {
			m.sync()
		}
		back.sync()
	}
	same(t, ms[0], ms[1], back)
	if list, _, err := ms[1].shelf().Status(ctx, face{ms[1].store}); err != nil || len(list) != 5 || list[1].ID != ms[1].key.id() || list[3].RetiredBy != list[0] || len(list[0].Replicas) != 2 {
		t.Errorf("%v, %+v", err, list)
	}
}

func TestSync_two_machines_with_one_id(t *testing.T) {
	t.Parallel()
	t.Run("a copied store", func(t *testing.T) {
		t.Parallel()
		f := newMem()
		ms := several(t, f, "a", "b")
		ms[0].store.text(1, "x")
		ms[0].sync()
		c := ms[0].invite(f, "c")
		c.store = ms[0].store.copy()
		c.store.text(2, "of the copy")
		puts := f.puts
		_, err := c.trySync()
		taken, ok := errors.AsType[*TakenError](err)
		if !ok || taken.By != "a" || taken.SameMachine || f.puts != puts {
			t.Fatalf("got %v, %d files written", err, f.puts-puts)
		}
	})
	t.Run("a copied machine", func(t *testing.T) {
		t.Parallel()
		f := newMem()
		ms := several(t, f, "a", "b")
		ms[0].store.text(1, "x")
		ms[0].sync()
		state := *ms[0].state
		state.Files, state.Checked = maps.Clone(state.Files), maps.Clone(state.Checked)
		c := &machine{t, "copy", f, ms[0].key, &state, ms[0].store.copy(), noon}
		c.store.now = c.store.now.Add(77e6)
		c.store.text(2, "of the copy")
		ms[0].store.text(3, "of a")
		ms[0].sync()
		_, err := c.trySync()
		if taken, ok := errors.AsType[*TakenError](err); !ok || !taken.SameMachine {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("a copied machine that is behind", func(t *testing.T) {
		t.Parallel()
		f := newMem()
		ms := several(t, f, "a", "b")
		state := *ms[0].state
		c := &machine{t, "copy", f, ms[0].key, &state, ms[0].store.copy(), noon}
		c.store.now = c.store.now.Add(77e6)
		c.store.text(1, "of the copy")
		ms[0].store.text(1, "of a")
		ms[0].store.text(2, "of a")
		ms[0].sync()
		_, err := c.trySync()
		if taken, ok := errors.AsType[*TakenError](err); !ok || !taken.SameMachine || c.store.shows("of a") {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("a restored backup", func(t *testing.T) {
		t.Parallel()
		f := newMem()
		ms := several(t, f, "a", "b")
		old, state := ms[0].store.copy(), *ms[0].state
		ms[0].store.text(1, "x")
		ms[0].sync()
		ms[0].store, ms[0].state = old, &state
		ms[0].sync()
		if !ms[0].store.shows(`"x"`) || ms[0].store.Seq != 0 {
			t.Error("what was written since the backup did not come back, or the identity is the same")
		}
		ms[0].store.text(2, "y")
		ms[0].sync()
		ms[1].sync()
		same(t, ms...)
	})
}

// What was stated while the folder was full is written later.
func TestSync_full_at_first(t *testing.T) {
	t.Parallel()
	f := newMem()
	m, _ := begin(t, f, "a")
	n := m.invite(f, "b")
	m.store.text(1, "x")
	f.refuse = hippo.ErrFull
	if _, err := m.trySync(); !errors.Is(err, hippo.ErrFull) {
		t.Fatalf("got %v", err)
	}
	f.refuse = nil
	m.sync()
	n.sync()
	same(t, m, n)
}

func TestVerify(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	var names []string
	for i, m := range ms {
		m.store.text(i, "text of "+m.name)
		m.sync()
		names = append(names, f.names("r/" + m.store.Replica.String())[0])
		f.files[names[i]][20] ^= 1
	}
	res, err := ms[0].shelf().Verify(context.Background())
	if err != nil || len(res.Skipped) != 2 {
		t.Fatalf("got %+v, %v", res, err)
	}
	ms[0].sync()
	if _, ok := f.files[names[0]]; ok {
		t.Error("the damaged file is still there")
	}
	ms[1].sync()
	if !ms[1].store.shows("text of a") || ms[0].store.shows("text of b") {
		t.Error("the damaged file was not written again, or was used")
	}
	if _, err := ms[1].shelf().Verify(context.Background()); err != nil {
		t.Fatal(err)
	}
	ms[1].sync()
	ms[0].sync()
	same(t, ms...)
	if res, err := ms[0].shelf().Verify(context.Background()); err != nil || len(res.Skipped) > 0 || res.Entries != 2 {
		t.Errorf("afterwards %+v, %v", res, err)
	}
}

// If the newest generation is damaged the one before takes its place.
func TestSync_older_generation(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	own := "r/" + ms[0].store.Replica.String() + "/"
	for i := range 3 {
		ms[0].store.text(i, "x")
		ms[0].sync()
	}
	f.removal = errors.New("stopped")
	if _, err := ms[0].shelf().Rebuild(context.Background(), face{ms[0].store}); err == nil {
		t.Fatal("no error")
	}
	f.removal = nil
	f.files[f.names(own + "2-")[0]] = []byte("damaged")
	if res := ms[1].sync(); len(res.Skipped) != 1 || res.Entries != 3 {
		t.Errorf("got %+v", res)
	}
	same(t, ms...)
}

// The carrier has lost the file with which a machine is known.
func TestSync_lost_record(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	own := "keys/" + ms[1].key.id()
	delete(f.files, f.names(own)[0])
	ms[1].sync()
	if len(f.names(own)) != 1 {
		t.Error("it was not written again")
	}
}

// Files end after some entries: within a segment that others follow, and where one ends.
func TestSync_many_entries(t *testing.T) {
	t.Parallel()
	for _, ends := range []int{maxEntries - 5, maxEntries, maxEntries + 5} {
		f := newMem()
		ms := several(t, f, "a", "b")
		s := ms[0].store
		for i := range maxEntries + 10 {
			if i == ends || i == ends+7 {
				s.Saw(s.now)
			}
			s.text(i, "x")
		}
		ms[0].sync()
		ms[1].sync()
		same(t, ms...)
		for i := range maxEntries + 10 {
			s.text(i, "y")
		}
		ms[0].sync()
		var got []string
		for _, name := range f.names("r/" + s.Replica.String()) {
			got = append(got, strings.Join(strings.Split(name, "-")[1:3], "-"))
		}
		slices.Sort(got)
		if want := []string{"1-4096", "4097-4106", "4107-8202", "8203-8212"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if res := ms[1].sync(); len(res.Skipped) > 0 {
			t.Errorf("got %+v", res)
		}
		same(t, ms...)
	}
}

// A store has entries of others that do not use the folder: those are sent, until the other one uses it.
func TestSync_relays(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := newMem()
	ms := several(t, f, "a", "b")
	elsewhere := newStore(t)
	elsewhere.text(1, "by another way")
	elsewhere.text(2, "HUSH")
	exchange := func(from, to *store) {
		t.Helper()
		for s, err := range (face{from}).Segments(ctx, to.vector) {
			if err == nil {
				err = face{to}.Join(ctx, []*entry.Segment{s})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	exchange(elsewhere, ms[0].store)
	exchange(elsewhere, ms[1].store) // both get it before they sync
	ms[0].sync()
	ms[1].sync()
	c := ms[0].invite(f, "c")
	c.sync()
	same(t, ms[0], ms[1], c)
	if !c.store.shows("by another way") || len(f.names("r/"+elsewhere.Replica.String())) != 1 {
		t.Error("it was not sent, or twice")
	}

	elsewhere.purge(2) // and the purge comes by the other way, too
	elsewhere.text(3, "later")
	exchange(elsewhere, ms[0].store)
	ms[0].sync()
	c.sync()
	if text := ms[0].plain(f); strings.Contains(text, "HUSH") || !c.store.shows("later") || c.store.shows("HUSH") {
		t.Error("the purge did not take place")
	}

	d := ms[0].invite(f, "d")
	d.store = elsewhere
	d.store.text(4, "in the folder")
	d.sync()
	for range 2 {
		for _, m := range append(ms, c, d) {
			m.sync()
		}
	}
	same(t, ms[0], ms[1], c, d)
	for _, m := range append(ms, c, d) {
		if res := m.sync(); !res.Idle || len(res.Skipped) > 0 {
			t.Errorf("%s: %+v", m.name, res)
		}
	}

	if _, err := d.shelf().Retire(ctx, face{d.store}, "a"); err != nil { // what it relayed stays
		t.Fatal(err)
	}
	e := d.invite(f, "e")
	if res := e.sync(); len(res.Skipped) > 0 {
		t.Errorf("got %+v", res)
	}
	d.sync()
	same(t, d, e)
}

// A vault that nobody can open any more is no loss: one machine begins a new one, with all that it has.
func TestInit_again(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	for i, m := range ms {
		m.store.text(i, "text of "+m.name)
		m.sync()
	}
	ms[0].sync()
	g := newMem()
	m, _ := begin(t, g, "a")
	m.store = ms[0].store
	m.sync()
	n := m.invite(g, "new")
	n.sync()
	same(t, m, n)
	if !n.store.shows("text of b") {
		t.Error("what came from others is missing")
	}
}

// The carrier has cut an own file.
func TestSync_cut_file(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	ms[0].store.text(1, "x")
	ms[0].sync()
	name := f.names("r/")[0]
	f.files[name] = f.files[name][:100]
	ms[0].sync()
	ms[1].sync()
	same(t, ms...)
	if f.files[name] != nil {
		t.Error("the cut file is still there")
	}
}

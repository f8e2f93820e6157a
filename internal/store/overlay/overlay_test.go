package overlay_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/overlay"
)

func memory(n int, content string) *hippo.Memory {
	return &hippo.Memory{ID: hippo.ID{15: byte(n)}, Content: content, ContentHash: hippo.HashContent(content), Version: 1}
}

func put(t testing.TB, b driver.Backend, ms ...*hippo.Memory) {
	t.Helper()
	if err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(ms...) }); err != nil {
		t.Fatal(err)
	}
}

func replace(_, r hippo.Relation) hippo.Relation { return r }

// stateOf lists what a store has, without revisions.
func stateOf(t testing.TB, b driver.Backend) []string {
	t.Helper()
	var out []string
	for c, err := range b.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Memory != nil {
			out = append(out, fmt.Sprintf("%v %s %v %v", c.ID, c.Memory.Content, c.Memory.Forgotten(), c.Memory.Accesses))
		}
	}
	for r, err := range b.AllRelations(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%v %v %s %v", r.From, r.To, r.Kind, r.Weight))
	}
	head, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return append(out, fmt.Sprint(head.Memories, head.Forgotten, head.Calendar))
}

func over(t testing.TB, below driver.Backend) *overlay.Store {
	t.Helper()
	s, err := overlay.New(t.Context(), below)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCommit_is_one_write_of_the_most_durable_kind(t *testing.T) {
	t.Parallel()
	below := &counting{Backend: memstore.New(nil)}
	s := over(t, below)
	put(t, s, memory(1, "one"))
	put(t, s, memory(2, "two"))
	rs := []hippo.Relation{{From: hippo.ID{15: 1}, To: hippo.ID{15: 2}, Kind: "a", Weight: 1}}
	if err := s.Relate(t.Context(), driver.Lazy, rs, replace); err != nil {
		t.Fatal(err)
	}
	if below.writes != nil {
		t.Fatalf("written before the commit: %v", below.writes)
	}
	want := stateOf(t, s)
	for range 2 { // the second has nothing to do
		if err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(below.writes, []driver.Durability{driver.Durable}) {
		t.Errorf("writes are %v", below.writes)
	}
	if d := cmp.Diff(want, stateOf(t, below)); d != "" {
		t.Errorf("the store below (-want +got):\n%s", d)
	}
}

// counting remembers the writes of a back end.
type counting struct {
	driver.Backend
	writes []driver.Durability
}

func (c *counting) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	c.writes = append(c.writes, d)
	return c.Backend.Write(ctx, d, fn)
}

func TestCommit_keeps_what_others_wrote(t *testing.T) {
	t.Parallel()
	below := memstore.New(nil)
	put(t, below, memory(1, "one"))
	s := over(t, below)
	err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		ms, err := tx.Get(hippo.ID{15: 1})
		if err != nil {
			return err
		}
		ms[0].Content += " more"
		return tx.Put(ms...)
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, below, memory(1, "uno"), memory(2, "two"))
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	ms, err := below.Get(t.Context(), []hippo.ID{{15: 1}, {15: 2}})
	if err != nil || len(ms) != 2 || ms[0].Content != "uno more" {
		t.Errorf("memories are %v, %v", ms, err)
	}
}

func TestCommit_stores_nothing_if_a_transaction_fails(t *testing.T) {
	t.Parallel()
	below := memstore.New(nil)
	put(t, below, memory(1, "one"))
	s := over(t, below)
	put(t, s, memory(2, "two"))
	gone := errors.New("gone")
	err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		ms, err := tx.Get(hippo.ID{15: 1})
		if err == nil && len(ms) == 0 {
			err = gone
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := below.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Purge(hippo.ID{15: 1}) }); err != nil {
		t.Fatal(err)
	}
	before := stateOf(t, below)
	if err := s.Commit(t.Context()); !errors.Is(err, gone) {
		t.Errorf("commit returned %v", err)
	}
	if d := cmp.Diff(before, stateOf(t, below)); d != "" {
		t.Errorf("the store changed:\n%s", d)
	}
}

func TestChanges_show_the_beginning_and_the_writes(t *testing.T) {
	t.Parallel()
	below := memstore.New(nil)
	put(t, below, memory(1, "one"), memory(2, "two"), memory(3, "three"))
	s := over(t, below)
	put(t, s, memory(2, "dos"), memory(4, "four"))
	put(t, below, memory(3, "tres"), memory(5, "five")) // by others, later
	if d := cmp.Diff([]string{"one", "dos", "four"}, contents(s.Changes(t.Context(), 0))); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"dos", "four"}, contents(s.Changes(t.Context(), 3))); d != "" {
		t.Errorf("changes after the beginning (-want +got):\n%s", d)
	}
}

func contents(changes iter.Seq2[driver.Change, error]) (out []string) {
	for c, err := range changes {
		if err != nil {
			return append(out, err.Error())
		}
		out = append(out, c.Memory.Content)
	}
	return out
}

func TestPutVectors_is_refused(t *testing.T) {
	t.Parallel()
	if err := over(t, memstore.New(nil)).PutVectors(t.Context(), "m", nil); !errors.Is(err, hippo.ErrUnsupported) {
		t.Errorf("error is %v", err)
	}
}

// TestCommit_as_without_an_overlay: any transactions leave the same through an overlay as without.
func TestCommit_as_without_an_overlay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		direct, below := memstore.New(nil), memstore.New(nil)
		for _, b := range []driver.Backend{direct, below} {
			put(t, b, memory(0, "zero"), memory(1, "one"), memory(2, "two"))
		}
		s := over(t, below)
		for range rapid.IntRange(0, 12).Draw(rt, "transactions") {
			steps := rapid.SliceOfN(stepGen(), 0, 5).Draw(rt, "steps")
			fails := rapid.IntRange(0, 4).Draw(rt, "fails") == 0
			for _, b := range []driver.Backend{direct, s} {
				err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return play(tx, steps, fails) })
				if (err != nil) != fails {
					rt.Fatalf("write: %v", err)
				}
			}
			if d := cmp.Diff(stateOf(t, direct), stateOf(t, s)); d != "" {
				rt.Fatalf("overlay differs:\n%s", d)
			}
		}
		if err := s.Commit(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(stateOf(t, direct), stateOf(t, below)); d != "" {
			rt.Fatalf("after the commit:\n%s", d)
		}
	})
}

// step is a change of a transaction: its kind and up to two memories.
type step struct{ Kind, A, B int }

func stepGen() *rapid.Generator[step] {
	return rapid.Custom(func(t *rapid.T) step {
		n := rapid.IntRange(0, 4)
		return step{rapid.IntRange(0, 6).Draw(t, "kind"), n.Draw(t, "a"), n.Draw(t, "b")}
	})
}

func play(tx driver.Tx, steps []step, fails bool) (err error) {
	for i, p := range steps {
		a, b := hippo.ID{15: byte(p.A)}, hippo.ID{15: byte(p.B)}
		switch p.Kind {
		case 0:
			err = tx.Put(memory(p.A, strings.Repeat("x", i+1)))
		case 1:
			m := memory(p.A, "forgotten")
			m.ForgottenAt = m.ForgottenAt.AddDate(2025, 0, 0)
			err = tx.Put(m)
		case 2:
			err = tx.Purge(a)
		case 3:
			err = tx.Touch(hippo.Day(i+1), map[hippo.ID]int{a: 1, b: 2})
		case 4:
			err = tx.SetCalendar(driver.Calendar{Day: hippo.Day(p.A + 1), Date: "2026-01-01"})
		default:
			if p.A != p.B {
				err = tx.Relate(hippo.Relation{From: a, To: b, Kind: "k", Weight: .1}, func(old, r hippo.Relation) hippo.Relation {
					r.Weight += old.Weight
					if p.Kind == 6 {
						r.Weight = 0
					}
					return r
				})
			}
		}
		if err != nil {
			return err
		}
	}
	if fails {
		return errors.New("wanted")
	}
	return nil
}

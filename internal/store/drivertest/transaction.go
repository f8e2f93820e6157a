package drivertest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func transactionChecks() []check {
	return []check{
		{"sees_its_own_writes", ownWrites},
		{"sees_what_was_changed_since", changedSince},
		{"an_error_leaves_nothing", rollback},
		{"an_error_after_a_thousand_leaves_nothing", rollbackMany},
		{"the_error_comes_back", errorComesBack},
		{"the_store_works_on_after_an_error", worksAfterError},
		{"put_and_purge_in_one", putAndPurge},
		{"both_durabilities_are_visible_at_once", durabilities},
		{"relations_belong_to_it", relateInside},
		{"relations_are_read_in_it", relationsFrom},
		{"relations_go_with_what_is_purged", relateAndPurge},
		{"an_error_leaves_no_relation", relateUndone},
	}
}

func ownWrites(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	changed, added := withText(1, "changed"), full(9)
	write(t, b, func(tx driver.Tx) error {
		if err := tx.Put(changed, added); err != nil {
			return err
		}
		if err := tx.Purge(id(2)); err != nil {
			return err
		}
		got, err := tx.Get(id(9), id(2), id(1))
		same(t, "after put and purge", got, []*hippo.Memory{added, changed})
		if err != nil {
			return err
		}
		setText(changed, "changed twice")
		if err := tx.Put(changed); err != nil {
			return err
		}
		got, err = tx.Get(id(1))
		same(t, "after another put", got, []*hippo.Memory{changed})
		return err
	})
	same(t, "after the commit", find(t, b, id(9), id(2), id(1)), []*hippo.Memory{added, changed})
}

func changedSince(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, full(1), plain(2), plain(3), plain(4))
	before := head(t, b).Revision
	changed, added := withText(3, "changed"), plain(6)
	put(t, b, changed, plain(5))
	purge(t, b, id(5))
	hidden := forgotten(2)
	write(t, b, func(tx driver.Tx) error {
		got, err := tx.Changed(before)
		if err != nil {
			return err
		}
		same(t, "before the writes of the transaction", got, []*hippo.Memory{changed})
		if err := tx.Put(added, hidden); err != nil {
			return err
		}
		if err := tx.Purge(id(3)); err != nil {
			return err
		}
		got, err = tx.Changed(before)
		same(t, "after them", got, []*hippo.Memory{added, hidden})
		if err != nil {
			return err
		}
		if all, err := tx.Changed(0); err != nil || len(all) != 4 {
			t.Errorf("since the beginning: %d memories, %v", len(all), err)
		}
		return nil
	})
}

// everything is what a store shows to the outside.
type everything struct {
	Head    driver.Head
	Changes []driver.Change
}

func readAll(t testing.TB, b driver.Backend) everything {
	t.Helper()
	return everything{head(t, b), changes(t, b, 0)}
}

func rollback(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, full(1), plain(2), forgotten(3))
	write(t, b, func(tx driver.Tx) error { return tx.SetCalendar(driver.Calendar{Day: 3, Date: "2025-03-01"}) })
	before := readAll(t, b)
	steps := []func(driver.Tx) error{
		func(tx driver.Tx) error { return tx.Put(plain(4)) },
		func(tx driver.Tx) error { return tx.Put(bare(1), forgotten(2)) },
		func(tx driver.Tx) error { return tx.Purge(id(1), id(3)) },
		func(tx driver.Tx) error { return tx.SetCalendar(driver.Calendar{Day: 4, Date: "2025-03-02"}) },
		func(tx driver.Tx) error { return touchIn(tx, 5, id(2)) },
	}
	for n := range len(steps) + 1 {
		err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
			for _, step := range steps[:n] {
				if err := step(tx); err != nil {
					return err
				}
			}
			return errWanted
		})
		if !errors.Is(err, errWanted) {
			t.Fatalf("write with %d steps returned %v", n, err)
		}
		same(t, fmt.Sprintf("store after %d steps undone", n), readAll(t, b), before)
		if got := get(t, b, id(1), id(2), id(3)); diff(got, existing(before.Changes)) != "" {
			t.Errorf("memories differ after %d steps undone", n)
		}
	}
	if ms := find(t, b, id(4)); len(ms) != 0 {
		t.Error("a memory that was never committed is there")
	}
}

func rollbackMany(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 50)...)
	before := readAll(t, b)
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		for from := 0; from < many(1500, 300); from += 100 {
			if err := tx.Put(plains(from, from+100)...); err != nil {
				return err
			}
		}
		return errWanted
	})
	if !errors.Is(err, errWanted) {
		t.Fatalf("write returned %v", err)
	}
	same(t, "store", readAll(t, b), before)
}

func errorComesBack(t *testing.T, h Harness) {
	b := h.fresh(t)
	for _, want := range []error{
		errWanted, hippo.Fieldf("content", "is wrong"), &hippo.UnknownError{IDs: []hippo.ID{id(1)}},
		fmt.Errorf("outer: %w", hippo.ErrConflict),
	} {
		for _, d := range []driver.Durability{driver.Durable, driver.Lazy} {
			err := b.Write(t.Context(), d, func(driver.Tx) error { return want })
			if !errors.Is(err, want) {
				t.Errorf("write returned %v, want %v", err, want)
			}
			if hippo.CodeOf(err) != hippo.CodeOf(want) {
				t.Errorf("code of %v is %s, want %s", err, hippo.CodeOf(err), hippo.CodeOf(want))
			}
		}
	}
}

func worksAfterError(t *testing.T, h Harness) {
	b := h.fresh(t)
	for n := range 20 {
		m := plain(n)
		err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
			if err := tx.Put(withText(n, "never to be seen")); err != nil {
				return err
			}
			return errWanted
		})
		if !errors.Is(err, errWanted) {
			t.Fatalf("write returned %v", err)
		}
		put(t, b, m)
		same(t, "memory", get(t, b, m.ID), []*hippo.Memory{m})
	}
	if got := len(changes(t, b, 0)); got != 20 {
		t.Errorf("changes has %d entries, want 20", got)
	}
}

func putAndPurge(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	last := withText(1, "back again")
	write(t, b, func(tx driver.Tx) error {
		if err := tx.Put(plain(2)); err != nil {
			return err
		}
		if err := tx.Purge(id(1), id(2)); err != nil {
			return err
		}
		return tx.Put(last)
	})
	same(t, "memories", find(t, b, id(1), id(2)), []*hippo.Memory{last})
	same(t, "changes", existing(changes(t, b, 0)), []*hippo.Memory{last})
	if n := head(t, b).Memories; n != 1 {
		t.Errorf("head counts %d memories, want 1", n)
	}
}

func durabilities(t *testing.T, h Harness) {
	handles := h.handles(t)
	for i, d := range []driver.Durability{driver.Lazy, driver.Durable, driver.Lazy, driver.Lazy} {
		m := plain(i)
		err := handles[0].Write(t.Context(), d, func(tx driver.Tx) error { return tx.Put(m) })
		if err != nil {
			t.Fatalf("write: %v", err)
		}
		for _, b := range handles {
			same(t, "memory", get(t, b, m.ID), []*hippo.Memory{m})
			if got := head(t, b).Revision; got != m.Revision {
				t.Errorf("head is at revision %d, want %d", got, m.Revision)
			}
		}
	}
}

func relateIn(tx driver.Tx, rs ...hippo.Relation) error {
	for _, r := range rs {
		if err := tx.Relate(r, replaceOld); err != nil {
			return err
		}
	}
	return nil
}

func relateInside(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	relate(t, b, relation(0, 1, "a", .5))
	write(t, b, func(tx driver.Tx) error {
		if err := tx.Put(plain(2)); err != nil {
			return err
		}
		// One of them leads to a memory of this transaction, one to none.
		if err := relateIn(tx, relation(0, 2, "a", .25), relation(0, 9, "a", 1), relation(1, 2, hippo.CoRecalled, .75)); err != nil {
			return err
		}
		return tx.Relate(relation(0, 1, "a", .25), func(old, r hippo.Relation) hippo.Relation {
			r.Weight += old.Weight
			return r
		})
	})
	expectRelations(t, "store", b, relation(0, 1, "a", .75), relation(0, 2, "a", .25), relation(1, 2, hippo.CoRecalled, .75))
}

// relationsFrom: a transaction reads the relations of a kind as it has made them.
func relationsFrom(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 5)...)
	relate(t, b, relation(0, 1, "a", .5), relation(0, 2, "a", .5), relation(0, 3, "a", .5), relation(0, 4, "b", .5), relation(4, 0, "a", .5))
	var before, after, gone, one, all []hippo.Relation
	write(t, b, func(tx driver.Tx) (err error) {
		if before, err = tx.RelationsFrom(id(0), hippo.ID{}, "a"); err != nil {
			return err
		}
		if err := errors.Join(tx.Put(plain(5)), relateIn(tx, relation(0, 1, "a", 0), relation(0, 2, "a", 1), relation(0, 5, "a", .25)), tx.Purge(id(3))); err != nil {
			return err
		}
		if after, err = tx.RelationsFrom(id(0), hippo.ID{}, "a"); err != nil {
			return err
		}
		if gone, err = tx.RelationsFrom(id(3), hippo.ID{}, "a"); err != nil {
			return err
		}
		if one, err = tx.RelationsFrom(id(0), id(5), "a"); err != nil {
			return err
		}
		all, err = tx.RelationsFrom(hippo.ID{}, hippo.ID{}, "")
		return err
	})
	sameRelations(t, "all", all, relation(0, 2, "a", 1), relation(0, 5, "a", .25), relation(0, 4, "b", .5), relation(4, 0, "a", .5))
	sameRelations(t, "before", before, relation(0, 1, "a", .5), relation(0, 2, "a", .5), relation(0, 3, "a", .5))
	sameRelations(t, "after its own changes", after, relation(0, 2, "a", 1), relation(0, 5, "a", .25))
	sameRelations(t, "of a purged memory", gone)
	sameRelations(t, "to one memory", one, relation(0, 5, "a", .25))
	expectRelations(t, "store", b, relation(0, 2, "a", 1), relation(0, 5, "a", .25), relation(0, 4, "b", .5), relation(4, 0, "a", .5))
}

func relateAndPurge(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	relate(t, b, relation(0, 1, "a", .5))
	write(t, b, func(tx driver.Tx) error {
		if err := errors.Join(relateIn(tx, relation(1, 2, "a", .5)), tx.Purge(id(1)), tx.Put(plain(1))); err != nil {
			return err
		}
		return tx.Relate(relation(0, 1, "a", .25), func(old, r hippo.Relation) hippo.Relation {
			r.Weight += old.Weight // of the one that went with the memory: 0
			return r
		})
	})
	expectRelations(t, "store", b, relation(0, 1, "a", .25))
}

func relateUndone(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	relate(t, b, relation(0, 1, "a", .5))
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		return errors.Join(relateIn(tx, relation(0, 1, "a", 1), relation(1, 0, "b", 1), relation(0, 1, hippo.CoRecalled, 1)), errWanted)
	})
	if !errors.Is(err, errWanted) {
		t.Fatalf("write returned %v", err)
	}
	expectRelations(t, "store", b, relation(0, 1, "a", .5))
}

package drivertest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Relations while memories change.

func relationPurge(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 5)...)
	kept := []hippo.Relation{relation(3, 4, "a", .5), relation(3, 4, hippo.CoRecalled, .5)}
	relate(t, b, append(slices.Clone(kept),
		relation(0, 1, "a", .5), relation(1, 0, "b", .5), relation(0, 1, hippo.CoRecalled, .5),
		relation(2, 3, "a", .5), relation(3, 2, hippo.CoRecalled, .5))...)
	purge(t, b, id(1))
	write(t, b, func(tx driver.Tx) error { // purged and put again in one
		if err := tx.Purge(id(2)); err != nil {
			return err
		}
		return tx.Put(plain(2))
	})
	expectRelations(t, "purged", b, kept...)
	put(t, b, plain(1))
	expectRelations(t, "put again", b, kept...)
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return errors.Join(tx.Purge(id(3)), errWanted) })
	if !errors.Is(err, errWanted) {
		t.Fatalf("write returned %v", err)
	}
	expectRelations(t, "purge undone", b, kept...)
}

func relationForgotten(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 4)...)
	rs := []hippo.Relation{relation(0, 1, "a", .9), relation(1, 2, "a", .5), relation(0, 2, hippo.CoRecalled, .25), relation(3, 0, "a", .1)}
	relate(t, b, rs...)
	put(t, b, forgotten(1))
	sameRelations(t, "hidden", relations(t, b, time.Time{}, 1, idRange(3)...), rs[2])
	sameRelations(t, "of the forgotten one", relations(t, b, time.Time{}, 5, id(1)))
	expectRelations(t, "kept", b, slices.Clone(rs)...)
	relate(t, b, relation(1, 2, "a", .75))
	put(t, b, plain(1))
	sameRelations(t, "back", relations(t, b, time.Time{}, 5, id(1)), rs[0], relation(1, 2, "a", .75))
}

func relationKept(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	rs := []hippo.Relation{relation(0, 1, "a", .9), relation(1, 2, hippo.CoRecalled, .5)}
	relate(t, b, rs...)
	put(t, b, withText(0, "another text"), withText(1, "and another"))
	touch(t, b, 2, id(2))
	expectRelations(t, "store", b, rs...)
	sameRelations(t, "relations", relations(t, b, time.Time{}, 5, idRange(3)...), rs...)
}

func relationApart(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	before, ms := head(t, b), get(t, b, idRange(3)...)
	relate(t, b, relation(0, 1, "a", .9), relation(1, 2, hippo.CoRecalled, .5))
	relate(t, b, relation(0, 1, "a", 0), relation(1, 2, hippo.CoRecalled, 0))
	same(t, "head", head(t, b), before)
	same(t, "memories", get(t, b, idRange(3)...), ms)
}

// relationHandles is about two handles on one store.
func relationHandles(t *testing.T, h Harness) {
	opener := h.Place(t)
	a, b := open(t, opener), open(t, opener)
	put(t, a, plains(0, 3)...)
	for n := range 8 {
		w := float64(n+1) / 8
		relate(t, a, relation(0, 1, "a", w), relation(1, 2, hippo.CoRecalled, w))
		sameRelations(t, "seen", relations(t, b, time.Time{}, 5, id(1)), relation(0, 1, "a", w), relation(1, 2, hippo.CoRecalled, w))
		expectRelations(t, "all", b, relation(0, 1, "a", w), relation(1, 2, hippo.CoRecalled, w))
		a, b = b, a
	}
	purge(t, a, id(1))
	expectRelations(t, "purged by the other", b)
}

func relationReopen(t *testing.T, h Harness) {
	opener := h.Place(t)
	rs := []hippo.Relation{relation(0, 1, "a", .5), relation(1, 2, hippo.CoRecalled, .25)}
	reopen(t, opener, func(b driver.Backend) {
		put(t, b, plains(0, 3)...)
		relate(t, b, rs...)
		relate(t, b, relation(0, 2, hippo.CoRecalled, .5))
		relate(t, b, relation(0, 2, hippo.CoRecalled, 0))
	})
	for range 2 {
		reopen(t, opener, func(b driver.Backend) { expectRelations(t, "there", b, slices.Clone(rs)...) })
	}
}

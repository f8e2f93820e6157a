package drivertest

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func handleChecks() []check {
	return []check{
		{"each_sees_what_the_other_committed", handlesSee},
		{"a_transaction_begins_where_the_other_ended", handlesTx},
		{"none_sees_what_was_undone", handlesUndone},
		{"closing_one_leaves_the_other", handlesClose},
		{"many_open_one_new_store_together", handlesOpenTogether},
		{"each_sees_the_vectors_of_the_other", vectorHandles},
		{"each_sees_the_relations_of_the_other", relationHandles},
		{"each_sees_the_history_of_the_other", historyHandles},
	}
}

func handlesSee(t *testing.T, h Harness) {
	opener := h.Place(t)
	a, b := open(t, opener), open(t, opener)
	if head(t, a).Store != head(t, b).Store {
		t.Errorf("two handles on one store have identities %q and %q", head(t, a).Store, head(t, b).Store)
	}
	for n := range 10 {
		m := full(n)
		put(t, a, m)
		same(t, "added", find(t, b, m.ID), []*hippo.Memory{m})
		m = withText(n, "changed by the other")
		since := head(t, a).Revision
		put(t, b, m)
		same(t, "changed", existing(changes(t, a, since)), []*hippo.Memory{m})
		same(t, "head", head(t, a), head(t, b))
		setCalendar(t, b, driver.Calendar{Day: hippo.Day(n + 1), Date: "2025-01-01"})
		same(t, "head after the calendar", head(t, a), head(t, b))
		if n%2 == 0 {
			purge(t, a, m.ID)
			if len(find(t, b, m.ID)) != 0 {
				t.Errorf("purged memory %d is seen by the other handle", n)
			}
			same(t, "changes after the purge", changes(t, b, since), changes(t, a, since))
		}
		a, b = b, a
	}
	same(t, "store", readAll(t, a), readAll(t, b))
}

func handlesTx(t *testing.T, h Harness) {
	opener := h.Place(t)
	handles := []driver.Backend{open(t, opener), open(t, opener), open(t, opener)}
	put(t, handles[0], withText(0, "0"))
	var last hippo.Revision
	for n := range 12 {
		b := handles[n%len(handles)]
		write(t, b, countUp)
		got := get(t, b, id(0))[0]
		if got.Revision <= last {
			t.Errorf("revision %d is assigned after %d", got.Revision, last)
		}
		last = got.Revision
	}
	for _, b := range handles {
		if got := get(t, b, id(0))[0].Content; got != "12" {
			t.Errorf("%s increments are counted, want 12", got)
		}
	}
}

func handlesUndone(t *testing.T, h Harness) {
	opener := h.Place(t)
	a, b := open(t, opener), open(t, opener)
	put(t, a, plain(1))
	before := readAll(t, b)
	err := a.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		if err := tx.Put(plain(2), withText(1, "undone")); err != nil {
			return err
		}
		return errWanted
	})
	if !errors.Is(err, errWanted) {
		t.Fatalf("write returned %v", err)
	}
	same(t, "store", readAll(t, b), before)
	put(t, b, plain(2))
	same(t, "store", readAll(t, a), readAll(t, b))
}

func handlesClose(t *testing.T, h Harness) {
	opener := h.Place(t)
	stays := open(t, opener)
	want := plains(0, 4)
	reopen(t, opener, func(b driver.Backend) { put(t, b, want[:2]...) })
	put(t, stays, want[2])
	reopen(t, opener, func(b driver.Backend) { put(t, b, want[3]) })
	same(t, "memories", get(t, stays, idsOf(want)...), want)
}

func handlesOpenTogether(t *testing.T, h Harness) {
	opener := h.Place(t)
	together(t, 6, func(i int) error {
		b, err := opener()
		if err != nil {
			return err
		}
		err = b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(plain(i)) })
		return errors.Join(err, b.Close())
	})
	b := open(t, opener)
	get(t, b, idRange(6)...)
	if got := head(t, b); got.Memories != 6 {
		t.Errorf("head counts %d memories, want 6", got.Memories)
	}
}

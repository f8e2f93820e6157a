package drivertest

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func reopenChecks() []check {
	return []check{
		{"everything_is_still_there", reopenKeeps},
		{"empty_store_stays_the_same_one", reopenEmpty},
		{"revisions_go_on", reopenRevisions},
		{"nothing_undone_comes_back", reopenUndone},
		{"vectors_are_still_there", vectorReopen},
		{"relations_are_still_there", relationReopen},
		{"history_is_still_there", historyReopen},
	}
}

func volatileChecks() []check {
	return []check{{"another_handle_is_another_empty_store", isVolatile}}
}

// isVolatile fails for a back end that could be checked for more.
func isVolatile(t *testing.T, h Harness) {
	opener := h.Place(t)
	first := open(t, opener)
	put(t, first, plain(1))
	second := open(t, opener)
	if ms := find(t, second, id(1)); len(ms) != 0 || head(t, first).Store == head(t, second).Store {
		t.Error("the harness says the data is volatile, but a second handle shares it")
	}
}

func reopenKeeps(t *testing.T, h Harness) {
	opener := h.Place(t)
	var before everything
	var known hippo.Revision
	var tombs []driver.Change
	ms := []*hippo.Memory{full(1), bare(2), forgotten(3), withText(4, "🦛 ../x\r\n"), plain(6)}
	reopen(t, opener, func(b driver.Backend) {
		put(t, b, ms...)
		put(t, b, plain(5))
		known = head(t, b).Revision
		purge(t, b, id(5))
		setCalendar(t, b, driver.Calendar{Day: 9, Date: "2025-04-01"})
		touch(t, b, 9, id(6))
		before, tombs = readAll(t, b), changes(t, b, known)
	})
	for range 2 {
		reopen(t, opener, func(b driver.Backend) {
			same(t, "store", readAll(t, b), before)
			same(t, "changes with the purged one", changes(t, b, known), tombs)
			same(t, "memories", get(t, b, idsOf(ms[:4])...), ms[:4])
			if len(find(t, b, id(5))) != 0 {
				t.Error("a purged memory is back")
			}
			expectCalendar(t, b, driver.Calendar{Day: 9, Date: "2025-04-01"})
			ps, err := b.Problems(t.Context())
			if err != nil || len(ps) != 0 {
				t.Errorf("problems are %v, %v", ps, err)
			}
		})
	}
}

func reopenEmpty(t *testing.T, h Harness) {
	opener := h.Place(t)
	var before driver.Head
	reopen(t, opener, func(b driver.Backend) { before = head(t, b) })
	reopen(t, opener, func(b driver.Backend) { same(t, "head", head(t, b), before) })
}

// reopenRevisions purges the newest memory before each closing, so that the
// highest revision is not that of any memory.
func reopenRevisions(t *testing.T, h Harness) {
	opener := h.Place(t)
	var last hippo.Revision
	for round := range 5 {
		reopen(t, opener, func(b driver.Backend) {
			if got := head(t, b).Revision; got != last {
				t.Errorf("round %d: head is at revision %d, before it was %d", round, got, last)
			}
			m := plain(round)
			put(t, b, m)
			if m.Revision <= last {
				t.Errorf("round %d: revision %d is assigned after %d", round, m.Revision, last)
			}
			purge(t, b, m.ID)
			last = head(t, b).Revision
		})
	}
}

func reopenUndone(t *testing.T, h Harness) {
	opener := h.Place(t)
	reopen(t, opener, func(b driver.Backend) {
		put(t, b, plain(1))
		err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
			if err := tx.Put(plain(2), withText(1, "undone")); err != nil {
				return err
			}
			return errWanted
		})
		if !errors.Is(err, errWanted) {
			t.Errorf("write returned %v", err)
		}
	})
	reopen(t, opener, func(b driver.Backend) {
		got := find(t, b, id(1), id(2))
		if len(got) != 1 || got[0].Content != plain(1).Content {
			t.Errorf("found %v", got)
		}
	})
}

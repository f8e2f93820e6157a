package drivertest

import (
	"runtime"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func accessChecks() []check {
	return []check{
		{"the_whole_history_is_kept", wholeHistory},
		{"touches_add_up", touchesAddUp},
		{"a_touch_is_a_change", touchIsChange},
	}
}

func wholeHistory(t *testing.T, h Harness) {
	m := plain(1)
	m.Accesses = nil
	for day := hippo.Day(1); len(m.Accesses) < hippo.MaxAccessDays; day += 1 + day%3 {
		m.Accesses = append(m.Accesses, hippo.Access{Day: day, Count: 1 + int(day)%7})
	}
	none := plain(2)
	none.Accesses = nil
	roundTrip(t, h, m, none)
}

func touchesAddUp(t *testing.T, h Harness) {
	b := h.fresh(t)
	want := plains(0, 5)
	put(t, b, want...)
	for day := hippo.Day(1); day <= 100; day += 3 {
		touch(t, b, day, idsOf(want)...)
		for _, m := range want {
			m.Touch(day, 1)
		}
	}
	got := get(t, b, idsOf(want)...)
	for i, m := range got {
		same(t, "accesses", m.Accesses, want[i].Accesses)
	}
}

func touchIsChange(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1), plain(2))
	before := head(t, b).Revision
	touch(t, b, 2, id(1))
	if h := head(t, b); h.Revision <= before || h.Memories != 2 {
		t.Errorf("head is %+v after a touch at revision %d", h, before)
	}
	got := existing(changes(t, b, before))
	same(t, "changes", got, get(t, b, id(1)))
}

// touch counts one access of each on day, as the store above does: lazily.
func touch(t testing.TB, b driver.Backend, day hippo.Day, ids ...hippo.ID) {
	t.Helper()
	err := b.Write(t.Context(), driver.Lazy, func(tx driver.Tx) error { return touchIn(tx, day, ids...) })
	if err != nil {
		t.Fatalf("touch: %v", err)
	}
}

func touchIn(tx driver.Tx, day hippo.Day, ids ...hippo.ID) error {
	ms, err := tx.Get(ids...)
	if err != nil {
		return err
	}
	for _, m := range ms {
		m.Touch(day, 1)
	}
	runtime.Gosched() // a chance for writers that are not excluded
	return tx.Put(ms...)
}

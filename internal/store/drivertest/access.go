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
		{"a_touch_returns_what_is_stored", touchReturns},
		{"a_touch_is_part_of_its_transaction", touchInTransaction},
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

// touchReturns touches memories that are new, used, used on a later day, full, forgotten
// and missing.
func touchReturns(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := plains(0, 6)
	ms[0].Accesses = nil
	ms[1].Accesses = []hippo.Access{{Day: 2, Count: 3}, {Day: 5, Count: 1}}
	ms[2].Accesses = []hippo.Access{{Day: 9, Count: 4}}
	ms[3].Accesses = nil
	for day := hippo.Day(-hippo.MaxAccessDays); day < 0; day++ {
		ms[3].Accesses = append(ms[3].Accesses, hippo.Access{Day: day + 5, Count: 2})
	}
	ms[4].ForgottenAt = ms[4].CreatedAt
	put(t, b, ms...)
	before := head(t, b)
	counts := map[hippo.ID]int{ms[0].ID: 1, ms[1].ID: 2, ms[2].ID: 3, ms[3].ID: 1, ms[4].ID: 7, ms[5].ID: 0, id(poolSize + 1): 4}
	var touched []driver.Touched
	err := b.Write(t.Context(), driver.Lazy, func(tx driver.Tx) (err error) {
		touched, err = tx.Touch(5, counts)
		return err
	})
	if err != nil {
		t.Fatalf("touch: %v", err)
	}
	got := get(t, b, idsOf(ms)...)
	var want []driver.Touched
	for i, m := range ms {
		m.Touch(5, counts[m.ID])
		if i < 5 {
			want = append(want, driver.Touched{ID: m.ID, Revision: got[i].Revision, Newest: m.Accesses[len(m.Accesses)-1]})
		}
		m.Revision = got[i].Revision
	}
	same(t, "memories", got, ms)
	same(t, "touched", touched, want)
	for i, one := range touched {
		if last := before.Revision; one.Revision <= last || i > 0 && one.Revision <= touched[i-1].Revision {
			t.Errorf("revisions are %+v, want them ascending above %d", touched, last)
		}
	}
	if after := head(t, b); after.Revision != touched[len(touched)-1].Revision || after.Memories != before.Memories || after.Forgotten != before.Forgotten {
		t.Errorf("head is %+v after %+v and touches %+v", after, before, touched)
	}
}

// touchInTransaction touches between other steps of a transaction.
func touchInTransaction(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	want := get(t, b, id(1))[0]
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		ms, err := tx.Get(id(1))
		if err != nil {
			return err
		}
		setText(ms[0], ms[0].Content+" changed")
		if err := tx.Put(ms...); err != nil {
			return err
		}
		if err := touchIn(tx, 70, id(1), id(1)); err != nil {
			return err
		}
		if ms, err = tx.Get(id(1)); err != nil {
			return err
		}
		ms[0].Tags = append(ms[0].Tags, "late")
		if err := tx.Put(ms...); err != nil {
			return err
		}
		return tx.Purge(id(2))
	})
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	setText(want, want.Content+" changed")
	want.Touch(70, 2)
	want.Tags = append(want.Tags, "late")
	got := get(t, b, id(1))[0]
	want.Revision = got.Revision
	same(t, "memory", got, want)
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
	counts := make(map[hippo.ID]int)
	for _, id := range ids {
		counts[id]++
	}
	_, err := tx.Touch(day, counts)
	return err
}

// rewriteIn is touchIn by Get and Put.
func rewriteIn(tx driver.Tx, day hippo.Day, ids ...hippo.ID) error {
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

package drivertest

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func accessChecks() []check {
	return []check{
		{"the_whole_history_is_kept", wholeHistory},
		{"touches_add_up", touchesAddUp},
		{"a_touch_has_no_revision", touchHasNoRevision},
		{"a_touch_adds_to_the_newest_day", touchOfEach},
		{"uses_are_those_since_a_day", usesSinceDay},
		{"thousands_of_uses_stream", usesPast},
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

func touchHasNoRevision(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1), plain(2))
	before := head(t, b)
	touch(t, b, 2, id(1))
	same(t, "head", head(t, b), before)
	if list := changes(t, b, before.Revision); len(list) > 0 {
		t.Errorf("%d changes", len(list))
	}
	want := plain(1)
	want.Touch(2, 1)
	all := existing(changes(t, b, 0))
	want.Revision = all[0].Revision
	same(t, "all changes", all[0], want)
}

// used are memories that are new, used, used on a later day, full, and forgotten.
func used() []*hippo.Memory {
	ms := plains(0, 6)
	ms[0].Accesses = nil
	ms[1].Accesses = []hippo.Access{{Day: 2, Count: 3}, {Day: 5, Count: 1}}
	ms[2].Accesses = []hippo.Access{{Day: 9, Count: 4}}
	ms[3].Accesses = nil
	for day := hippo.Day(-hippo.MaxAccessDays); day < 0; day++ {
		ms[3].Accesses = append(ms[3].Accesses, hippo.Access{Day: day + 5, Count: 2})
	}
	ms[4].ForgottenAt = ms[4].CreatedAt
	return ms
}

// touchOfEach touches each of them, a memory that does not exist, and one no time.
func touchOfEach(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := used()
	put(t, b, ms...)
	counts := map[hippo.ID]int{ms[0].ID: 1, ms[1].ID: 2, ms[2].ID: 3, ms[3].ID: 1, ms[4].ID: 7, ms[5].ID: 0, id(poolSize + 1): 4}
	if err := b.Write(t.Context(), driver.Lazy, func(tx driver.Tx) error { return tx.Touch(5, counts) }); err != nil {
		t.Fatalf("touch: %v", err)
	}
	for _, m := range ms {
		m.Touch(5, counts[m.ID])
	}
	same(t, "memories", get(t, b, idsOf(ms)...), ms)
}

func usesSinceDay(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := used()
	put(t, b, ms...)
	touch(t, b, 6, ms[0].ID, ms[1].ID, ms[4].ID)
	for _, i := range []int{0, 1, 4} {
		ms[i].Touch(6, 1)
	}
	for _, since := range []hippo.Day{-100, 0, 2, 6, 7, 10} {
		want, got := make(map[hippo.ID][]hippo.Access), make(map[hippo.ID][]hippo.Access)
		for _, m := range ms {
			for _, u := range driver.UsesOf(m, since) {
				want[u.ID] = append(want[u.ID], u.Access)
			}
		}
		for u, err := range b.Uses(t.Context(), since) {
			if err != nil {
				t.Fatalf("uses: %v", err)
			}
			got[u.ID] = append(got[u.ID], u.Access)
		}
		same(t, fmt.Sprintf("uses since day %d", since), got, want)
	}
	b.Uses(t.Context(), 0)(func(driver.Use, error) bool { return false }) // the reader may stop
}

// usesPast reads more uses than a page, without those of a memory that was purged.
func usesPast(t *testing.T, h Harness) {
	b := h.fresh(t)
	const n, days = 60, 40
	ms := plains(0, n)
	for _, m := range ms {
		m.Accesses = nil
		for day := hippo.Day(1); day <= days; day++ {
			m.Accesses = append(m.Accesses, hippo.Access{Day: day, Count: int(day)})
		}
	}
	put(t, b, ms...)
	write(t, b, func(tx driver.Tx) error { return tx.Purge(ms[0].ID) })
	got := 0
	for u, err := range b.Uses(t.Context(), 1) {
		if err != nil {
			t.Fatalf("uses: %v", err)
		}
		if got++; u.ID == ms[0].ID || u.Count != int(u.Day) {
			t.Errorf("got %+v", u)
		}
	}
	if want := (n - 1) * days; got != want {
		t.Errorf("got %d uses, want %d", got, want)
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
	return tx.Touch(day, counts)
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

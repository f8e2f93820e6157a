package drivertest

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func calendarChecks() []check {
	return []check{
		{"is_zero_before_first_use", calendarUnset},
		{"is_what_was_set_last", calendarSet},
		{"an_error_leaves_it", calendarRollback},
		{"goes_with_the_memories_of_its_transaction", calendarAndMemories},
	}
}

// expectCalendar checks the calendar in Head and in a transaction.
func expectCalendar(t *testing.T, b driver.Backend, want driver.Calendar) {
	t.Helper()
	same(t, "calendar in head", head(t, b).Calendar, want)
	write(t, b, func(tx driver.Tx) error {
		got, err := tx.Calendar()
		same(t, "calendar in a transaction", got, want)
		return err
	})
}

func setCalendar(t *testing.T, b driver.Backend, c driver.Calendar) {
	t.Helper()
	write(t, b, func(tx driver.Tx) error { return tx.SetCalendar(c) })
}

func calendarUnset(t *testing.T, h Harness) {
	b := h.fresh(t)
	expectCalendar(t, b, driver.Calendar{})
	put(t, b, plain(1))
	expectCalendar(t, b, driver.Calendar{})
}

func calendarSet(t *testing.T, h Harness) {
	b := h.fresh(t)
	for _, c := range []driver.Calendar{
		{Day: 1, Date: "2025-01-31"},
		{Day: 2, Date: "2025-02-01"},
		{Day: 2, Date: "2025-02-03"},
		{Day: 100_000, Date: "9999-12-31", Zone: "Pacific/Apia"},
		{Day: 7, Date: "1999-01-01"},
	} {
		write(t, b, func(tx driver.Tx) error {
			if err := tx.SetCalendar(c); err != nil {
				return err
			}
			got, err := tx.Calendar()
			same(t, "calendar just set", got, c)
			return err
		})
		expectCalendar(t, b, c)
	}
	if h := head(t, b); h.Memories != 0 || len(changes(t, b, 0)) != 0 {
		t.Errorf("the calendar counts as a memory: %+v", h)
	}
}

func calendarRollback(t *testing.T, h Harness) {
	b := h.fresh(t)
	want := driver.Calendar{}
	for day := hippo.Day(1); day < 4; day++ {
		err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
			if err := tx.SetCalendar(driver.Calendar{Day: day + 10, Date: "2030-01-01"}); err != nil {
				return err
			}
			return errWanted
		})
		if !errors.Is(err, errWanted) {
			t.Fatalf("write returned %v", err)
		}
		expectCalendar(t, b, want)
		want = driver.Calendar{Day: day, Date: "2025-01-01", Zone: "Asia/Tokyo"}
		setCalendar(t, b, want)
	}
}

func calendarAndMemories(t *testing.T, h Harness) {
	b := h.fresh(t)
	m, c := plain(1), driver.Calendar{Day: 1, Date: "2025-05-05"}
	write(t, b, func(tx driver.Tx) error {
		if err := tx.SetCalendar(c); err != nil {
			return err
		}
		return tx.Put(m)
	})
	expectCalendar(t, b, c)
	same(t, "memory", get(t, b, m.ID), []*hippo.Memory{m})
}

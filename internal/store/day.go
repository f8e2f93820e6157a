package store

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Today returns the active day and advances it if the calendar date is later
// than the one it began on. A clock that went back changes nothing. It writes
// at most once a day.
func (s *Store) Today(ctx context.Context) (hippo.Day, error) {
	if cal, ok := knownCalendar(s); ok {
		return cal.Day, nil
	}
	var cal driver.Calendar
	err := write(ctx, s, driver.Durable, func(tx driver.Tx) (err error) {
		cal, err = advanceDay(s, tx)
		return err
	})
	if err != nil {
		return 0, wrap("active day", err)
	}
	return rememberCalendar(s, cal).Day, nil
}

// advanceDay moves the calendar of the transaction to today.
func advanceDay(s *Store, tx driver.Tx) (driver.Calendar, error) {
	cal, err := tx.Calendar()
	if err != nil {
		return cal, err
	}
	today := s.now().In(s.zone).Format(time.DateOnly)
	if cal.Day > 0 && today <= cal.Date {
		return cal, nil
	}
	cal = driver.Calendar{Day: cal.Day + 1, Date: today, Zone: cal.Zone}
	s.advanced.Store(true)
	return cal, tx.SetCalendar(cal)
}

// DayOf returns the active day as the last [Store.Head] or write of this process has it, where that is the day of today; else it asks.
// It does not advance it.
func DayOf(ctx context.Context, s *Store) (hippo.Day, error) {
	if cal, ok := knownCalendar(s); ok {
		return cal.Day, nil
	}
	h, err := s.Head(ctx)
	return h.Calendar.Day, err
}

// TakeAdvanced reports once that this process has advanced the active day: the caller then
// does the daily maintenance. If the process ends before, it is done on the next day.
func (s *Store) TakeAdvanced() bool { return s.advanced.Swap(false) }

// knownCalendar returns the cached calendar if it is of today.
func knownCalendar(s *Store) (driver.Calendar, bool) {
	today := s.now().In(s.zone).Format(time.DateOnly)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calendar, s.calendar.Day > 0 && today <= s.calendar.Date
}

// rememberCalendar caches the later of c and the cached calendar, and returns it.
func rememberCalendar(s *Store, c driver.Calendar) driver.Calendar {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Day > s.calendar.Day {
		s.calendar = c
	}
	return s.calendar
}

package merge

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// DateOf returns the calendar date on which an active day of a store began, as far as its calendar says it: as if each day before today had
// been an active one. Empty if there is no day.
func DateOf(cal hippo.Calendar, day hippo.Day) string {
	today, err := time.Parse(time.DateOnly, cal.Date)
	if err != nil || day <= 0 {
		return ""
	}
	return today.AddDate(0, 0, int(min(day, cal.Day)-cal.Day)).In(time.UTC).Format(time.DateOnly)
}

// DayOf is the inverse of [DateOf], from 1 to today; later dates are today. An unknown date is today.
func DayOf(cal hippo.Calendar, date string) hippo.Day {
	today, err := time.Parse(time.DateOnly, cal.Date)
	then, bad := time.Parse(time.DateOnly, date)
	if err != nil || bad != nil || then.After(today) {
		return cal.Day
	}
	return max(1, cal.Day-hippo.Day(today.Sub(then)/(24*time.Hour)))
}

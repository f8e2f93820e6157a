package merge

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// DateOf estimates the calendar date on which an active day of a store began. It assumes that the store was active on every day before
// today. It returns "" if day is not positive or the calendar has no valid date.
func DateOf(cal hippo.Calendar, day hippo.Day) string {
	today, err := time.Parse(time.DateOnly, cal.Date)
	if err != nil || day <= 0 {
		return ""
	}
	return today.AddDate(0, 0, int(min(day, cal.Day)-cal.Day)).In(time.UTC).Format(time.DateOnly)
}

// DayOf is the inverse of [DateOf]. It returns a day from 1 to today. Later dates and invalid dates give today.
func DayOf(cal hippo.Calendar, date string) hippo.Day {
	today, err := time.Parse(time.DateOnly, cal.Date)
	then, bad := time.Parse(time.DateOnly, date)
	if err != nil || bad != nil || then.After(today) {
		return cal.Day
	}
	return max(1, cal.Day-hippo.Day(today.Sub(then)/(24*time.Hour)))
}

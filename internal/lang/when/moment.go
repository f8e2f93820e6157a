package when

import "time"

// Moment reads a time of RFC 3339, or a date like 2026-03-01, which is its first
// moment in zone, also where the clocks are changed at midnight. It reports whether
// text is one of them, which does not depend on zone.
func Moment(text string, zone *time.Location) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, true
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, false
	}
	y, m, d := date.Date()
	return midnight(y, m, d, zone), true
}

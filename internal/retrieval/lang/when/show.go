package when

import "time"

// Days and times for people are in the zone in which [At] and [Parse] read them, so a user can copy a time from an answer into a question.
// Data uses RFC 3339, whose times carry their offset.

// Date returns the day of a time in a zone: 2026-03-01.
func Date(t time.Time, zone *time.Location) string { return t.In(zone).Format(time.DateOnly) }

// Day is [Date] in now's zone, and half as many tokens for a day of the year that has begun: Mar 1.
func Day(t, now time.Time) string {
	if t = t.In(now.Location()); t.Year() == now.Year() && t.YearDay() <= now.YearDay() {
		return t.Format("Jan 2")
	}
	return t.Format(time.DateOnly)
}

// Clock returns a time of day in a zone, to the second: 2026-03-01 12:00:00.
func Clock(t time.Time, zone *time.Location) string { return t.In(zone).Format(time.DateTime) }

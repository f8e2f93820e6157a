package cli

import (
	"cmp"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

// zone is the zone of the user, in which days are read and shown, whatever the zone of a server.
func zone() *time.Location { return time.Local }

// day returns the day of a time in the user's zone.
func day(t time.Time) string { return t.In(zone()).Format(time.DateOnly) }

// clock returns a time of day in the user's zone, to the second.
func clock(t time.Time) string { return t.In(zone()).Format(time.DateTime) }

// validity returns when a fact begins or ceases to hold in the user's zone, as exactly as it was given: the day of a midnight, else with the time
// of day.
func validity(t time.Time) string {
	switch t = t.In(zone()); {
	case t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
		return day(t)
	case t.Second() == 0:
		return t.In(zone()).Format("2006-01-02 15:04")
	}
	return clock(t)
}

// setTime sets a time to one that was given, in the user's zone. An empty text leaves it.
func setTime(s *shell, to *time.Time, t verb.Time) error {
	return cmp.Or(typedTimes(t), verb.Read(today(s), t.Into(to)))
}

// typedTimes is the error for a time of spaces alone: somebody typed it.
func typedTimes(times ...verb.Time) error {
	for _, t := range times {
		if t.Text != "" && strings.TrimSpace(t.Text) == "" {
			return hippo.Fieldf(t.Name, "must be a time, got %q", t.Text)
		}
	}
	return nil
}

package when_test

import (
	"errors"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// FuzzAt: a text is refused with the name of its field, or is a moment that reads back as what it is shown as; white space around
// it changes nothing; and a day is shown as the day that was given, in each zone.
func FuzzAt(f *testing.F) {
	for i, text := range []string{
		"2026-03-29 02:30", "2026-03-29", "2026-10-25 02:30", "2026-03-01T12:00:00Z", "2026-03-01T12:00:00+14:00", "2018-11-04", "2011-12-30", "3d", "+3d", "-3d", "in 3 days", "2 hours ago",
		"next friday", "tomorrow", "tonight", "31 February", "2026-02-30", "0000-01-01", "9999-12-31", "10000-01-01", "1e9d", "99999999999999999999d", "now", " now ", "", " ", "nächsten Freitag",
		"il y a 3 jours", "来週", "the end of the year", "25:00", "2026-13-01", "12/31/2026", "31.12.2026", "noon", "in 90 minutes", "2147483647 years ago", "\xff",
	} {
		f.Add(text, int64(1795185000), uint8(i)) //nolint:gosec // a few texts
	}
	zones := []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "Africa/Cairo"}
	f.Fuzz(func(t *testing.T, text string, unix int64, zone uint8) {
		loc, err := time.LoadLocation(zones[int(zone)%len(zones)])
		if err != nil {
			t.Skip("the system has no time zone database, without which no zone can be loaded")
		}
		now := time.Unix(unix%4e9, 0).In(loc)
		for _, read := range []func(string, string, time.Time) (time.Time, error){when.At, when.Ahead} {
			got, err := read("valid_until", text, now)
			if err != nil {
				if bad, ok := errors.AsType[*hippo.FieldError](err); !ok || bad.Field != "valid_until" {
					t.Errorf("%q: %v does not name its field", text, err)
				}
				continue
			}
			if shown := got.Format(time.RFC3339); got.Year() >= 1970 && got.Year() < 10000 {
				if back, ok := when.Moment(shown, loc); !ok || !back.Equal(got.Truncate(time.Second)) {
					t.Errorf("%q at %v is %v, shown as %s, which is %v", text, now, got, shown, back)
				}
			}
			if again, err := read("valid_until", " "+text+"\t\n", now); err != nil || !again.Equal(got) {
				t.Errorf("%q at %v is %v; with white space around it %v (%v)", text, now, got, again, err)
			}
		}
		if day, ok := when.Moment(text, loc); ok && len(text) == len(time.DateOnly) && when.Date(day, loc) != text {
			t.Errorf("%q in %v is shown as %s", text, loc, when.Date(day, loc))
		}
	})
}

package when_test

import (
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/lang/when"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, text, want string }{
		{"UTC", "2026-03-01", "2026-03-01T00:00:00Z"},
		{"Europe/Berlin", "2026-03-01", "2026-03-01T00:00:00+01:00"},
		{"Europe/Berlin", "2026-07-01", "2026-07-01T00:00:00+02:00"},
		{"Pacific/Kiritimati", "2026-03-01", "2026-03-01T00:00:00+14:00"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00"}, // it has no midnight
		{"America/Havana", "2020-11-01", "2020-11-01T00:00:00-04:00"},    // it has two
		{"Europe/Berlin", "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"},
		{"UTC", "2026-03-01T12:00:00.5-07:00", "2026-03-01T12:00:00.5-07:00"},
		{"UTC", "2026-02-29", ""},
		{"UTC", "2026-3-1", ""},
		{"UTC", "yesterday", ""},
		{"UTC", "", ""},
	} {
		got, ok := when.Moment(c.text, zone(t, c.zone))
		if ok != (c.want != "") || ok && got.Format(time.RFC3339Nano) != c.want {
			t.Errorf("%s in %s: got %v, %v, want %q", c.text, c.zone, got, ok, c.want)
		}
	}
}

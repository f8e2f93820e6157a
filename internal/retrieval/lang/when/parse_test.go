package when_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// friday is when most of the tables look back from.
func friday() time.Time { return time.Date(2026, 11, 20, 14, 30, 0, 0, time.UTC) }

// show writes a span as "from .. until", a midnight without its hour.
func show(s when.Span) string {
	one := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return strings.TrimSuffix(t.Format("2006-01-02 15:04"), " 00:00")
	}
	return strings.TrimSpace(one(s.From) + " .. " + one(s.Until))
}

func parse(t *testing.T, text string, now time.Time) string {
	t.Helper()
	s, err := when.Parse(text, now)
	if err != nil {
		return "error"
	}
	return show(s)
}

func check(t *testing.T, now time.Time, table map[string]string) {
	t.Helper()
	for text, want := range table {
		if got := parse(t, text, now); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// The forms that agents know from older memories, with what they should mean.
func TestParse_KnownForms(t *testing.T) {
	t.Parallel()
	check(t, friday(), map[string]string{
		"between 2026-01-01 and 2026-02-01": "2026-01-01 .. 2026-02-02",
		"between last month and last week":  "2026-10-01 .. 2026-11-16",
		"2026-03-05":                        "2026-03-05 .. 2026-03-06",
		"3/5":                               "2026-03-05 .. 2026-03-06",
		"12-25":                             "2025-12-25 .. 2025-12-26",
		"3/5/24":                            "2024-03-05 .. 2024-03-06",
		"03-05-1999":                        "1999-03-05 .. 1999-03-06",
		"3/5/50":                            "1950-03-05 .. 1950-03-06",
		"13/40":                             "error",
		"3 days ago":                        "2026-11-17 .. 2026-11-18",
		"yesterday":                         "2026-11-19 .. 2026-11-20",
		"today":                             "2026-11-20 .. 2026-11-21",
		"yesterday morning":                 "2026-11-19 05:00 .. 2026-11-19 12:00",
		"yesterday noon":                    "2026-11-19 12:00 .. 2026-11-19 13:00",
		"yesterday afternoon":               "2026-11-19 13:00 .. 2026-11-19 18:00",
		"yesterday in the evening":          "2026-11-19 18:00 .. 2026-11-19 22:00",
		"yesterday night":                   "2026-11-19 22:00 .. 2026-11-20 05:00",
		"yesterday midnight":                "2026-11-19 .. 2026-11-19 01:00",
		"2 days ago in the evening":         "2026-11-18 18:00 .. 2026-11-18 22:00",
		"2 weeks ago":                       "2026-11-02 .. 2026-11-09",
		"3 months ago":                      "2026-08-01 .. 2026-09-01",
		"2 years ago":                       "2024-01-01 .. 2025-01-01",
		"last 3 days":                       "2026-11-17 .. 2026-11-21",
		"last 3 weeks":                      "2026-10-26 .. 2026-11-21",
		"last 3 months":                     "2026-08-01 .. 2026-11-21",
		"last 2 years":                      "2024-01-01 .. 2026-11-21",
		"last day":                          "2026-11-19 .. 2026-11-20",
		"last week":                         "2026-11-09 .. 2026-11-16",
		"last month":                        "2026-10-01 .. 2026-11-01",
		"last year":                         "2025-01-01 .. 2026-01-01",
		"last spring":                       "2026-03-20 .. 2026-06-21",
		"last summer":                       "2026-06-21 .. 2026-09-23",
		"last fall":                         "2025-09-23 .. 2025-12-21",
		"last winter":                       "2025-12-21 .. 2026-03-20",
		"this day":                          "2026-11-20 .. 2026-11-21",
		"this week":                         "2026-11-16 .. 2026-11-23",
		"this month":                        "2026-11-01 .. 2026-12-01",
		"this year":                         "2026-01-01 .. 2027-01-01",
		"this autumn":                       "2026-09-23 .. 2026-12-21",
		"this winter":                       "2025-12-21 .. 2026-03-20",
		"march":                             "2026-03-01 .. 2026-04-01",
		"november":                          "2026-11-01 .. 2026-12-01",
		"december":                          "2025-12-01 .. 2026-01-01",
		"christmas":                         "2025-12-22 .. 2025-12-29",
		"new year":                          "2025-12-29 .. 2026-01-05",
		"newyear":                           "2025-12-29 .. 2026-01-05",
		"valentine":                         "2026-02-13 .. 2026-02-16",
		"halloween":                         "2026-10-28 .. 2026-11-04",
		"thanksgiving":                      "2025-11-24 .. 2025-12-01",
		"first half of 2024":                "2024-01-01 .. 2024-07-01",
		"second half of 2025":               "2025-07-01 .. 2026-01-01",
		"first quarter of 2024":             "2024-01-01 .. 2024-04-01",
		"3rd quarter":                       "2026-07-01 .. 2026-10-01",
		"4th quarter":                       "2026-10-01 .. 2027-01-01",
		"recently":                          "2026-11-13 .. 2026-11-21",
		"lately":                            "2026-11-13 .. 2026-11-21",
		"may i see it":                      "error",
		"v1.10-3 release":                   "error",
		"spring break":                      "error",
	})
}

func TestParse_OtherForms(t *testing.T) {
	t.Parallel()
	check(t, friday(), map[string]string{
		"2 hours ago":                "2026-11-20 11:30 .. 2026-11-20 13:30",
		"10 minutes ago":             "2026-11-20 14:15 .. 2026-11-20 14:25",
		"half an hour ago":           "2026-11-20 13:45 .. 2026-11-20 14:15",
		"in the last 24h":            "2026-11-19 14:30 .. 2026-11-20 14:31",
		"last tuesday":               "2026-11-17 .. 2026-11-18",
		"tuesday":                    "2026-11-17 .. 2026-11-18",
		"on Monday":                  "2026-11-16 .. 2026-11-17",
		"friday":                     "2026-11-20 .. 2026-11-21",
		"last friday":                "2026-11-13 .. 2026-11-14",
		"this sunday":                "2026-11-15 .. 2026-11-16",
		"tuesday last week":          "2026-11-10 .. 2026-11-11",
		"monday morning":             "2026-11-16 05:00 .. 2026-11-16 12:00",
		"friday evening":             "2026-11-13 18:00 .. 2026-11-13 22:00",
		"monday at 15:30":            "2026-11-16 15:30 .. 2026-11-16 15:31",
		"yesterday at 3 p.m.":        "2026-11-19 15:00 .. 2026-11-19 16:00",
		"9am":                        "2026-11-20 09:00 .. 2026-11-20 10:00",
		"this morning":               "2026-11-20 05:00 .. 2026-11-20 12:00",
		"this evening":               "2026-11-19 18:00 .. 2026-11-19 22:00",
		"tonight":                    "2026-11-19 18:00 .. 2026-11-20 05:00",
		"last night":                 "2026-11-19 18:00 .. 2026-11-20 05:00",
		"the day before yesterday":   "2026-11-18 .. 2026-11-19",
		"last-week":                  "2026-11-09 .. 2026-11-16",
		"last-3-days":                "2026-11-17 .. 2026-11-21",
		"two-weeks-ago":              "2026-11-02 .. 2026-11-09",
		"past 2 weeks":               "2026-11-02 .. 2026-11-21",
		"previous three months":      "2026-08-01 .. 2026-11-21",
		"in the last week":           "2026-11-09 .. 2026-11-21",
		"the week before last":       "2026-11-02 .. 2026-11-09",
		"last weekend":               "2026-11-14 .. 2026-11-16",
		"a week ago":                 "2026-11-09 .. 2026-11-16",
		"a couple of days ago":       "2026-11-18 .. 2026-11-19",
		"two or three days ago":      "2026-11-17 .. 2026-11-19",
		"2-3 days ago":               "2026-11-17 .. 2026-11-19",
		"a few days ago":             "2026-11-15 .. 2026-11-19",
		"twenty-one days ago":        "2026-10-30 .. 2026-10-31",
		"7 May 2023":                 "2023-05-07 .. 2023-05-08",
		"May 7th, 2023":              "2023-05-07 .. 2023-05-08",
		"the 7th of May":             "2026-05-07 .. 2026-05-08",
		"the twenty-first of May":    "2026-05-21 .. 2026-05-22",
		"Jan. 5":                     "2026-01-05 .. 2026-01-06",
		"Friday, 20 November 2026":   "2026-11-20 .. 2026-11-21",
		"Sunday 7 May":               "2023-05-07 .. 2023-05-08",
		"Monday, 20 November 2026":   "error",
		"the 25th":                   "2026-10-25 .. 2026-10-26",
		"the 31st":                   "2026-10-31 .. 2026-11-01",
		"March 2024":                 "2024-03-01 .. 2024-04-01",
		"march of last year":         "2025-03-01 .. 2025-04-01",
		"last november":              "2025-11-01 .. 2025-12-01",
		"early march":                "2026-03-01 .. 2026-03-11",
		"the end of 2024":            "2024-09-01 .. 2025-01-01",
		"2024-03":                    "2024-03-01 .. 2024-04-01",
		"2024":                       "2024-01-01 .. 2025-01-01",
		"in the year 2024":           "2024-01-01 .. 2025-01-01",
		"summer of 2024":             "2024-06-21 .. 2024-09-23",
		"winter 2024":                "2024-12-21 .. 2025-03-20",
		"Q3 2025":                    "2025-07-01 .. 2025-10-01",
		"h1 2026":                    "2026-01-01 .. 2026-07-01",
		"easter":                     "2026-04-02 .. 2026-04-09",
		"easter sunday 2024":         "2024-03-31 .. 2024-04-01",
		"christmas eve":              "2025-12-24 .. 2025-12-25",
		"New Year's Eve":             "2025-12-31 .. 2026-01-01",
		"christmas last year":        "2025-12-22 .. 2025-12-29",
		"2026-03-01T12:00:00+02:00":  "2026-03-01 10:00 .. 2026-03-01 10:00",
		"2026-03-01T12:30Z":          "2026-03-01 12:30 .. 2026-03-01 12:31",
		"2026-03-01 12:30":           "2026-03-01 12:30 .. 2026-03-01 12:31",
		"2026-01-01..2026-02-01":     "2026-01-01 .. 2026-02-02",
		"2024–2025":                  "2024-01-01 .. 2026-01-01",
		"from 2024-05-01 to 7 June":  "2024-05-01 .. 2024-06-08",
		"from december to february":  "2025-12-01 .. 2026-03-01",
		"between march and may 2024": "2024-03-01 .. 2024-06-01",
		"from monday to wednesday":   "2026-11-16 .. 2026-11-19",
		"2 weeks ago to yesterday":   "2026-11-02 .. 2026-11-20",
		"since last week":            "2026-11-09 ..",
		"since March":                "2026-03-01 ..",
		"from monday on":             "2026-11-16 ..",
		"after yesterday":            "2026-11-20 ..",
		"before christmas":           ".. 2025-12-22",
		"until yesterday":            ".. 2026-11-20",
		"before 2030":                ".. 2030-01-01",
		"  Last Week?! ":             "2026-11-09 .. 2026-11-16",
		"\"last week\"":              "2026-11-09 .. 2026-11-16",
	})
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		"":                       `"" is not understood`,
		"   ":                    "is not understood",
		"gibberish":              `"gibberish" is not understood`,
		"last week maybe":        `"maybe" is not understood`,
		"in 2 days":              "is not understood",
		"9999 years ago":         "is not understood",
		"99999 days ago":         "is not understood",
		"last 0 days":            "is not understood",
		"tomorrow":               "lies in the future",
		"next week":              "lies in the future",
		"on next monday":         "lies in the future",
		"2027-01-01":             "lies in the future",
		"January 2027":           "lies in the future",
		"since 2030":             "lies in the future",
		"after this week":        "lies in the future",
		"today at 23:00":         "lies in the future",
		"Feb 30":                 "does not exist",
		"29 February 2025":       "does not exist",
		"2026-13-01":             "does not exist",
		"2026-02-31":             "does not exist",
		"2024-13":                "does not exist",
		"2026-02-01..2026-01-01": "ends before it begins",
		"from yesterday to 2024": "ends before it begins",
		strings.Repeat("x", 999): strings.Repeat("x", 60) + `..." is`,
		"\xff\xfe":               "is not understood",
	} {
		_, err := when.Parse(text, friday())
		var field *hippo.FieldError
		if !errors.As(err, &field) || field.Field != "when" || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "since 1 March") {
			t.Errorf("%q: got %v, want one that says %q", text, err, why)
		}
	}
}

// What the calendar makes hard: leap days, the turns of the year and the month.
func TestParse_Calendar(t *testing.T) {
	t.Parallel()
	at := func(y int, m time.Month, d, h int) time.Time { return time.Date(y, m, d, h, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		now        time.Time
		text, want string
	}{
		{at(2026, 3, 31, 9), "a month ago", "2026-02-01 .. 2026-03-01"},
		{at(2026, 3, 31, 9), "last month", "2026-02-01 .. 2026-03-01"},
		{at(2024, 2, 29, 9), "a year ago", "2023-01-01 .. 2024-01-01"},
		{at(2024, 2, 29, 9), "feb 29", "2024-02-29 .. 2024-03-01"},
		{at(2024, 2, 28, 9), "feb 29", "2020-02-29 .. 2020-03-01"},
		{at(2103, 2, 28, 9), "feb 29", "2096-02-29 .. 2096-03-01"},
		{at(2024, 3, 1, 9), "yesterday", "2024-02-29 .. 2024-03-01"},
		{at(2026, 1, 1, 0), "yesterday", "2025-12-31 .. 2026-01-01"},
		{at(2026, 1, 1, 0), "today", "2026-01-01 .. 2026-01-02"},
		{at(2026, 1, 1, 0), "last week", "2025-12-22 .. 2025-12-29"},
		{at(2026, 1, 1, 0), "this week", "2025-12-29 .. 2026-01-05"},
		{at(2026, 1, 1, 0), "last month", "2025-12-01 .. 2026-01-01"},
		{at(2026, 1, 1, 0), "last quarter", "2025-10-01 .. 2026-01-01"},
		{at(2026, 1, 1, 0), "winter", "2025-12-21 .. 2026-03-20"},
		{at(2026, 1, 1, 0), "last winter", "2024-12-21 .. 2025-03-20"},
		{at(2026, 12, 30, 9), "new year", "2026-12-29 .. 2027-01-05"},
		{at(2026, 12, 26, 9), "christmas", "2026-12-22 .. 2026-12-29"},
		{at(2026, 12, 26, 9), "last christmas", "2025-12-22 .. 2025-12-29"},
		{at(2026, 12, 21, 9), "christmas", "2025-12-22 .. 2025-12-29"},
		{at(2026, 11, 22, 9), "sunday", "2026-11-22 .. 2026-11-23"},
		{at(2026, 11, 22, 9), "this week", "2026-11-16 .. 2026-11-23"},
		{at(2026, 11, 22, 9), "last weekend", "2026-11-14 .. 2026-11-16"},
		{at(2026, 11, 22, 9), "this weekend", "2026-11-21 .. 2026-11-23"},
		{at(2026, 11, 17, 9), "from monday to wednesday", "2026-11-16 .. 2026-11-19"},
		{at(2026, 11, 20, 2), "tonight", "2026-11-19 18:00 .. 2026-11-20 05:00"},
		{at(2026, 11, 20, 2), "this morning", "2026-11-19 05:00 .. 2026-11-19 12:00"},
	} {
		if got := parse(t, c.text, c.now); got != c.want {
			t.Errorf("%q at %v: got %s, want %s", c.text, c.now, got, c.want)
		}
	}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Days are those of the zone, whatever their length, and start where they start.
func TestParse_Zones(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, now, text, from string
		length                time.Duration
	}{
		{"Europe/Berlin", "2026-03-30T09:00:00+02:00", "yesterday", "2026-03-29T00:00:00+01:00", 23 * time.Hour},
		{"Europe/Berlin", "2026-10-26T09:00:00+01:00", "yesterday", "2026-10-25T00:00:00+02:00", 25 * time.Hour},
		{"Europe/Berlin", "2026-10-26T09:00:00+01:00", "last week", "2026-10-19T00:00:00+02:00", 169 * time.Hour},
		{"America/New_York", "2026-11-20T02:00:00Z", "today", "2026-11-19T00:00:00-05:00", 24 * time.Hour},
		{"Asia/Kolkata", "2026-11-20T20:00:00Z", "yesterday", "2026-11-20T00:00:00+05:30", 24 * time.Hour},
		{"Pacific/Kiritimati", "2026-11-20T12:00:00Z", "today", "2026-11-21T00:00:00+14:00", 24 * time.Hour},
		{"America/Sao_Paulo", "2018-11-05T12:00:00-02:00", "yesterday", "2018-11-04T01:00:00-02:00", 23 * time.Hour},
		{"America/Havana", "2020-11-02T12:00:00-05:00", "yesterday", "2020-11-01T00:00:00-04:00", 25 * time.Hour},
		{"Europe/Berlin", "2026-03-29T12:00:00+02:00", "in the last 12 hours", "2026-03-28T23:00:00+01:00", 12*time.Hour + time.Minute},
		{"Europe/Berlin", "2026-11-20T12:00:00+01:00", "2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", time.Second},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		s, err := when.Parse(c.text, now.In(zone(t, c.zone)))
		if got := s.From.Format(time.RFC3339); err != nil || got != c.from || s.Until.Sub(s.From) != c.length {
			t.Errorf("%s, %q: got %v for %v (%v), want %s for %v", c.zone, c.text, got, s.Until.Sub(s.From), err, c.from, c.length)
		}
	}
	berlin := zone(t, "Europe/Berlin")
	for _, text := range []string{"29 March 2026 at 2:30", "2026-03-29 02:30", "2026-03-29 02:30:00", "2026-03-29T02:30"} { // an hour that was left out
		s, err := when.Parse(text, time.Date(2026, 4, 1, 0, 0, 0, 0, berlin))
		if got := s.From.Format(time.RFC3339); err != nil || got != "2026-03-29T03:30:00+02:00" {
			t.Errorf("%q: got %s (%v), want half past three", text, got, err)
		}
	}
}

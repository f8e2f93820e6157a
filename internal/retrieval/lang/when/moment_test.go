package when_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
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

func TestAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 11, 15, 30, 0, 0, zone(t, "Europe/Berlin")) // a Wednesday
	for text, want := range map[string]string{
		"2026-03-01": "2026-03-01 00:00", "2026-03-01T12:00:00Z": "2026-03-01 12:00", "2026-03-01 10:00": "2026-03-01 10:00",
		"today": "2026-03-11 00:00", "yesterday": "2026-03-10 00:00", "Last Week": "2026-03-02 00:00", "3 days ago": "2026-03-08 00:00",
		"2h": "2026-03-11 13:30", "90m": "2026-03-11 14:00", "3d": "2026-03-08 15:30", "2w": "2026-02-25 15:30", "2 weeks": "2026-02-25 15:30",
		"2 hours ago": "2026-03-11 13:30", "1y": "2025-03-11 15:30", "in March": "2026-03-01 00:00", "letzte Woche": "2026-03-02 00:00",
		"+3d": "2026-03-14 15:30", "in 3 days": "2026-03-14 15:30", "in two hours": "2026-03-11 17:30",
		"tomorrow": "2026-03-12 00:00", "tomorrow at 10:00": "2026-03-12 10:00", "next week": "2026-03-16 00:00", "next month": "2026-04-01 00:00",
		"next friday": "2026-03-13 00:00", "next Wednesday": "2026-03-18 00:00", "next May": "2026-05-01 00:00", "next year": "2027-01-01 00:00",
		"now": "2026-03-11 15:30", "tomorrow at 17:00": "2026-03-12 17:00", "today at 17:00": "2026-03-11 17:00", "next weekend": "2026-03-14 00:00",
		"a week ago": "2026-03-04 00:00", "2 months ago": "2026-01-11 00:00", "2026-12-24T18:00": "2026-12-24 18:00", "2026-12-24 18:00": "2026-12-24 18:00",
		"1 June 2027": "2027-06-01 00:00", "2027-06": "2027-06-01 00:00", "2027": "2027-01-01 00:00", "friday": "2026-03-06 00:00", "december": "2025-12-01 00:00",
		"next 3 days": "", "next yesterday": "", "next 5pm": "", "2026-13": "",
		"": "", "some day": "", "until yesterday": "", "2026-02-30": "", "next": "", "next time": "", "in": "", "+": "", "-3d": "", "3x": "",
	} {
		got, err := when.At("since", text, now)
		bad, refused := errors.AsType[*hippo.FieldError](err)
		switch {
		case refused != (want == ""):
			t.Errorf("%q: got %v (%v), want %q", text, got, err, want)
		case refused && (bad.Field != "since" || !strings.Contains(bad.Why, "last week") || !strings.Contains(bad.Why, "3d")):
			t.Errorf("%q: the error names no forms: %v", text, err)
		case !refused && got.Format("2006-01-02 15:04") != want:
			t.Errorf("%q: got %v, want %s", text, got, want)
		}
	}
	if s, err := when.Parse("3d", now); err != nil || s.From.Format("2006-01-02 15:04") != "2026-03-08 15:30" || s.Until.Before(now) {
		t.Errorf("3d: got %v (%v)", s, err)
	}
}

func TestAhead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ now, text, want string }{
		{"2026-03-11 15:30", "3d", "2026-03-14 15:30"},
		{"2026-03-11 15:30", "2h", "2026-03-11 17:30"},
		{"2026-03-11 15:30", "yesterday", "2026-03-10 00:00"},
		{"2026-03-11 15:30", "2 hours ago", "2026-03-11 13:30"},
		{"2026-03-11 15:30", "friday", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "on Wednesday", "2026-03-18 00:00"},
		{"2026-03-11 15:30", "Wednesday 5pm", "2026-03-11 17:00"},
		{"2026-03-11 15:30", "Wednesday 9am", "2026-03-18 09:00"},
		{"2026-03-11 15:30", "last friday", "2026-03-06 00:00"},
		{"2026-03-11 15:30", "december", "2026-12-01 00:00"},
		{"2026-03-11 15:30", "1 March", "2027-03-01 00:00"},
		{"2026-03-11 15:30", "May last year", "2025-05-01 00:00"},
		{"2026-03-11 15:30", "March 2025", "2025-03-01 00:00"},
		{"2026-03-11 15:30", "tonight", "2026-03-11 18:00"},
		{"2026-03-11 19:30", "tonight", "2026-03-12 05:00"},
		{"2026-03-11 19:30", "this evening", "2026-03-11 22:00"},
		{"2026-03-11 23:30", "this evening", "2026-03-11 18:00"},
		{"2026-03-11 19:30", "heute Abend", "2026-03-11 22:00"},
		{"2026-03-11 15:30", "today", "2026-03-12 00:00"},
		{"2026-03-11 15:30", "this week", "2026-03-16 00:00"},
		{"2026-03-11 17:30", "today at 5pm", "2026-03-11 17:00"},
		{"2026-03-11 15:30", "since Monday", "2026-03-09 00:00"},
		{"2026-03-11 15:30", "Freitag", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "am Mittwoch", "2026-03-18 00:00"},
		{"2026-03-11 15:30", "Mittwoch um 17 Uhr", "2026-03-11 17:00"},
		{"2026-03-11 15:30", "nächsten Freitag", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "letzten Freitag", "2026-03-06 00:00"},
		{"2026-03-11 15:30", "vendredi", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "vendredi prochain", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "vendredi dernier", "2026-03-06 00:00"},
		{"2026-03-11 15:30", "el viernes", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "el próximo viernes", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "viernes que viene", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "el viernes pasado", "2026-03-06 00:00"},
		{"2026-03-11 15:30", "sexta-feira", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "próxima sexta-feira", "2026-03-13 00:00"},
		{"2026-03-11 15:30", "sexta-feira passada", "2026-03-06 00:00"},
		{"2026-03-11 15:30", "5pm", "2026-03-11 17:00"},
		{"2026-03-11 19:30", "5pm", "2026-03-12 17:00"},
		{"2026-03-11 19:30", "today at 5pm", "2026-03-11 17:00"},
		{"2026-01-31 09:00", "in 1 month", "2026-02-28 09:00"},
		{"2024-02-29 09:00", "1y", "2025-02-28 09:00"},
	} {
		now, err := time.ParseInLocation("2006-01-02 15:04", c.now, zone(t, "Europe/Berlin"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := when.Ahead("valid-until", c.text, now); err != nil || got.Format("2006-01-02 15:04") != c.want {
			t.Errorf("%q at %s: got %v (%v), want %s", c.text, c.now, got, err, c.want)
		}
	}
}

package when_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// drawNow draws a moment in some zone.
func drawNow(t *rapid.T) time.Time {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Asia/Kolkata", "Pacific/Apia"}
	z, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0).In(z)
}

// drawText draws words of the grammar in any order.
func drawText(t *rapid.T) string {
	words := strings.Fields(`last past this next the a an few couple of in on at since before after until by from to between and or
		week weeks month year day days hour hours minute quarter half weekend morning night evening tonight today yesterday ago
		monday tuesday sun may march june dec 2024 2023 1999 2 3 12 31 7th 1st 30th first second two twenty-one spring summer fall
		winter christmas easter new year's eve valentine's 2024-03 2026-02-29 2023-05-07 3/5 3/5/24 12-25 q3 h1 recently 3pm 15:30 early
		mid end what did we say about auth , . ? .. - before day other last-week 2-3 2023-05-07T10:00:00Z boot`)
	n := rapid.IntRange(1, 9).Draw(t, "length")
	var b strings.Builder
	for range n {
		b.WriteString(rapid.SampledFrom(words).Draw(t, "word"))
		b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", " ", "-", ", ", "  "}).Draw(t, "gap"))
	}
	return b.String()
}

func sound(s when.Span, now time.Time) bool {
	return !s.IsZero() && !s.From.After(now) && (s.Until.IsZero() || s.From.Before(s.Until))
}

// checkText holds what must be true of any text.
func checkText(t interface{ Fatalf(string, ...any) }, text string, now time.Time) {
	if s, err := when.Parse(text, now); err == nil && !sound(s, now) {
		t.Fatalf("Parse(%q) at %v: %v", text, now, s)
	}
	f, ok := when.Find(text, now)
	if !ok {
		return
	}
	if !sound(f.Span, now) || f.Start < 0 || f.Start >= f.End || f.End > len(text) {
		t.Fatalf("Find(%q) at %v: %+v", text, now, f)
	}
	if s, err := when.Parse(text[f.Start:f.End], now); err != nil || s != f.Span {
		t.Fatalf("%q at %v: found %q as %v, but it parses as %v (%v)", text, now, text[f.Start:f.End], f.Span, s, err)
	}
	if len(f.Rest) >= len(text) || strings.TrimFunc(f.Rest, unicode.IsSpace) != f.Rest {
		t.Fatalf("%q: rest %q", text, f.Rest)
	}
}

func TestAnyWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkText(t, drawText(t), drawNow(t)) })
}

func TestAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkText(t, rapid.String().Draw(t, "text"), drawNow(t)) })
}

// Days, weeks and months follow each other without a gap, in every zone.
func TestParse_TilesTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := drawNow(t)
		for _, pair := range [][2]string{
			{"yesterday", "today"},
			{"the day before yesterday", "yesterday"},
			{"last week", "this week"},
			{"last month", "this month"},
			{"last year", "this year"},
			{"last quarter", "this quarter"},
			{"two weeks ago", "last week"},
			{"3 days ago", "2 days ago"},
		} {
			a, errA := when.Parse(pair[0], now)
			b, errB := when.Parse(pair[1], now)
			if errA != nil || errB != nil || !a.Until.Equal(b.From) {
				t.Fatalf("%v at %v: %v, then %v (%v, %v)", pair, now, a, b, errA, errB)
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	for _, text := range []string{
		"what did we do last week about auth", "between 2026-01-01 and 2026-02-01", "may i see it", "the 7th of May, 2023",
		"2026-01-01..2026-02-01", "yesterday's 3:30 p.m.", "Jan. 5 – mid-March", "(last-3-days)", "\xff last week", "new years' eve",
		"was war am 3.4.2026 um 15 Uhr?", "qu'a-t-on dit l'année dernière", "desde el lunes hasta el miércoles", "na segunda à noite",
		"从2024年3月1日到５日之间", "月曜日から水曜日まで、三日前以降",
	} {
		f.Add(text, int64(1795185000))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		now := time.Unix(unix%4e9, 0).UTC()
		if unix < 0 {
			now = friday()
		}
		checkText(t, text, now)
	})
}

package when

import (
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

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

// Forms names what [At] reads, for errors.
const Forms = `2026-03-01, 2026-03-01T12:00:00Z, "yesterday", "last week", "next friday" or 3d`

// At returns the moment that a text names, relative to now, in now's zone: what [Moment] reads,
// the beginning of what [Parse] reads, now, a duration before now (2h, 3d, "90 minutes", "2 hours
// ago") or after it ("in 3 days", +3d), the day a number of weeks, months or years ago, tomorrow,
// next week, next Friday, and dates with a year in the future. The error is a [*hippo.FieldError]
// for field that names the forms.
func At(field, text string, now time.Time) (time.Time, error) { return at(field, text, now, false) }

// Ahead is [At] for the end of something that holds: a duration without a direction is after now,
// a weekday, date or time of day that recurs is the next one, not the last one, and of a part of a day or more that has
// begun it is the end: tonight, said in the evening, today, this week.
func Ahead(field, text string, now time.Time) (time.Time, error) { return at(field, text, now, true) }

func at(field, text string, now time.Time, ahead bool) (time.Time, error) {
	text = strings.TrimSpace(text)
	if t, ok := Moment(text, now.Location()); ok {
		return t, nil
	}
	if strings.EqualFold(text, "now") {
		return now, nil
	}
	if t, ok := durationFrom(now, text, ahead); ok {
		return t, nil
	}
	if english, ok := weekdayInEnglish(text, now); ok {
		text = english
	}
	if t, ok := future(text, now); ok {
		return t, nil
	}
	s, err := Parse(text, now)
	if t, ok := upcoming(text, now); ok && (ahead || err != nil) {
		return t, nil
	}
	if err == nil && ahead && s.begun(now) && s.Until.Sub(s.From) >= partOfDay {
		return s.Until, nil
	}
	if err == nil && !s.From.IsZero() {
		return s.From, nil
	}
	if t, ok := dated(text, now); ok {
		return t, nil
	}
	return time.Time{}, hippo.Fieldf(field, "must be a time like %s, got %.60q", Forms, text)
}

// partOfDay is the length from which on a span is a part of a day, and not an hour of one.
const partOfDay = 3 * time.Hour

// begun reports whether a time is within the span.
func (s Span) begun(now time.Time) bool { return !s.From.After(now) && now.Before(s.Until) }

// weekdayInEnglish returns a text of another language that names a weekday in the words of the English grammar, which
// knows the next one: "nächsten Freitag" is "next friday". Not in scripts without spaces: there the next one is that of the next week.
func weekdayInEnglish(text string, now time.Time) (string, bool) {
	if _, f := parseWhole(newParser(text, now)); f.reason == "" || strings.ContainsFunc(text, lexicon.Unspaced) {
		return "", false
	}
	for _, l := range others().languages {
		tokens, _ := l().translate(text)
		words := make([]string, len(tokens))
		named := false
		for i := range tokens {
			words[i] = tokens[i].text
			_, ok := weekdayOf(words[i])
			named = named || ok
		}
		if english := strings.Join(words, " "); named && !slices.Contains(words, "") {
			return english, true
		}
	}
	return "", false
}

// durationFrom reads a duration before now, or after it: 3d, "in 3 days", +3d, "2 hours ago". Of
// "3 weeks ago" it is the first moment of that day.
func durationFrom(now time.Time, text string, ahead bool) (time.Time, bool) {
	text = strings.ToLower(text)
	rest, plus := strings.CutPrefix(text, "+")
	rest, in := strings.CutPrefix(rest, "in ")
	rest, ago := strings.CutSuffix(rest, " ago")
	if ago && (plus || in) {
		return time.Time{}, false
	}
	sign := -1
	if plus || in || ahead && !ago {
		sign = 1
	}
	t, u, ok := shift(now, rest, sign)
	if ok && ago && u >= day {
		y, m, d := t.Date()
		t = midnight(y, m, d, t.Location())
	}
	return t, ok
}

// shift adds sign times a duration to now: 2h30m, 3d, "two weeks". u is its unit.
func shift(now time.Time, text string, sign int) (t time.Time, u unit, ok bool) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(time.Duration(sign) * d), second, true
	}
	p := newParser(text, now)
	c, next := parseNumber(p, 0)
	u, known := unitOf(p.at(next))
	if next == 0 || !known || u == weekend || c.low != c.high || next+1 != len(p.tokens) {
		return time.Time{}, u, false
	}
	t = before(now, -sign*c.high, u)
	return t, u, t.Year() > 0 && t.Year() < 10_000
}

// before returns the time n units before t; n may be negative.
func before(t time.Time, n int, u unit) time.Time {
	switch u {
	case day:
		return t.AddDate(0, 0, -n)
	case week:
		return t.AddDate(0, 0, -7*n)
	case fortnight:
		return t.AddDate(0, 0, -14*n)
	case month:
		return monthsBefore(t, n)
	case quarter:
		return monthsBefore(t, 3*n)
	case year:
		return monthsBefore(t, 12*n)
	default:
		return t.Add(-time.Duration(n) * u.duration())
	}
}

// monthsBefore returns the time n months before t, on the last day of a month that is too short.
func monthsBefore(t time.Time, n int) time.Time {
	moved := t.AddDate(0, -n, 0)
	if moved.Day() != t.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

// future reads tomorrow and the next unit, weekday or month: it is this one as seen from there.
func future(text string, now time.Time) (time.Time, bool) {
	p := newParser(text, now)
	if p.at(0) == "tomorrow" {
		s, err := Parse("today"+text[p.tokens[0].end:], before(p.start(day, -2), 1, second))
		return s.From, err == nil
	}
	if p.at(0) != "next" || len(p.tokens) < 2 {
		return time.Time{}, false
	}
	name := text[p.tokens[1].start:]
	if u, ok := unitOf(p.at(1)); ok && u >= day && u != weekend {
		s, err := Parse("this "+name, before(p.start(u, 0), -1, u))
		return s.From, err == nil
	}
	period := week
	if _, ok := monthOf(p.at(1)); ok {
		period = year
	} else if _, ok := weekdayOf(p.at(1)); !ok && p.at(1) != "weekend" {
		return time.Time{}, false
	}
	s, err := Parse(name, before(p.start(day, 0), -1, period))
	return s.From, err == nil && s.From.After(now)
}

// upcoming reads what recurs, a time of day, a weekday or a date without a year, as the next one.
func upcoming(text string, now time.Time) (time.Time, bool) {
	p := newParser(text, now)
	_, from := parseLead(p, 0)
	v, end := parseSimple(p, from)
	if end == 0 || end != len(p.tokens) || slices.ContainsFunc(p.tokens, func(t token) bool { return isLast(t.text) }) {
		return time.Time{}, false
	}
	seen, period := p.start(day, 0), v.cycle
	if period == 0 { // seen from the end of the day, because the day may be named, too
		if _, n := parseThisPart(p, from); n != end && p.at(from) != "today" {
			return time.Time{}, false
		}
		seen, period = seen.Add(-time.Second), day
	}
	for n := range 2 { // the first may be today, and over
		s, err := Parse(text, before(seen, -n-1, period))
		if err == nil && s.From.After(now) {
			return s.From, period != day || n == 0 || !sameDay(p.at(from))
		}
	}
	return time.Time{}, false
}

// sameDay reports whether a word begins a name of the current day: today, tonight, this evening.
func sameDay(w string) bool {
	return w == "today" || w == "tonight" || w == "this"
}

// dated reads a date with a year in the future: it is the same whatever the time is now.
func dated(text string, now time.Time) (time.Time, bool) {
	const centuries = 200 // years
	a, err := Parse(text, now.AddDate(centuries, 0, 0))
	b, other := Parse(text, now.AddDate(centuries+1, 0, 1))
	return a.From, err == nil && other == nil && !a.From.IsZero() && a.From.Equal(b.From)
}

package when

import (
	"strconv"
	"strings"
	"time"
)

// part is a part of a day, in hours from its midnight.
type part struct{ from, until int }

// partOf reads morning, noon, and so on.
func partOf(word string) (part, bool) {
	switch word {
	case "morning":
		return part{5, 12}, true
	case "noon", "midday", "lunchtime":
		return part{12, 13}, true
	case "afternoon":
		return part{13, 18}, true
	case "evening":
		return part{18, 22}, true
	case "night":
		return part{22, 29}, true
	case "midnight":
		return part{0, 1}, true
	default:
		return part{}, false
	}
}

// night returns the span of tonight and last night: evening and night.
func wholeNight() part { return part{18, 29} }

// partAt returns a part of the day of t.
func partAt(t time.Time, c part) Span {
	y, m, d := t.Date()
	return Span{
		time.Date(y, m, d, c.from, 0, 0, 0, t.Location()),
		time.Date(y, m, d, c.until, 0, 0, 0, t.Location()),
	}
}

// parsePartOfDay reads a day, and a part of it if one is named: yesterday, last Monday
// evening, 7 May at 3pm, this morning, tonight.
func parsePartOfDay(p *parser, i int) (value, int) {
	if v, next := parseThisPart(p, i); next > 0 {
		return v, next
	}
	v, next := parseDayNamed(p, i)
	for _, r := range [...]rule{parseWeekday, parseDate, parseDayOfMonth, parseAgo} {
		if w, n := r(p, i); n > next && w.single {
			v, next = w, n
		}
	}
	if next == 0 {
		return v, 0
	}
	span, end := parseWithin(p, v.From, next)
	if end == 0 {
		return v, next
	}
	if span.From.After(p.now) && v.cycle == week { // not begun: the week before
		span, _ = parseWithin(p, after(v.From, -7), next)
	}
	p.missing = p.missing || !span.From.Before(span.Until)
	v.edge = v.ambiguity == weekday || v.edge && v.ambiguity != unambiguous
	v.Span, v.single, v.ambiguity = span, false, v.withDayPart()
	return v, end
}

// withDayPart returns the ambiguity of a day of which a part is named.
func (v *value) withDayPart() ambiguity {
	if v.ambiguity == weekday {
		return unambiguous
	}
	return v.ambiguity
}

// parseWithin reads a part of the day that begins at from: in the evening, at 3pm.
func parseWithin(p *parser, from time.Time, i int) (Span, int) {
	at := i
	if p.at(at) == comma {
		at++
	}
	switch w := p.at(at); {
	case w == "at" || w == "around" || w == "about":
		at++
	case w == "in" && p.at(at+1) == "the":
		at += 2
	}
	if c, ok := partOf(p.at(at)); ok {
		return partAt(from, c), at + 1
	}
	c, next := parseClock(p, at)
	if next == 0 {
		return Span{}, 0
	}
	t := timeOfDay(from, c.hour, c.minute)
	return Span{t, t.Add(c.length)}, next
}

// clock is a time of day, to the hour or minute.
type clock struct {
	hour, minute int
	length       time.Duration
}

// parseClock reads 15:30, 3pm, 3:30 pm.
func parseClock(p *parser, i int) (clock, int) {
	if w := p.at(i); p.at(i+1) == "am" || p.at(i+1) == "pm" {
		c, ok := clockOf(w + p.at(i+1))
		return c, indexOrZero(ok, i+2)
	}
	c, ok := clockOf(p.at(i))
	return c, indexOrZero(ok, i+1)
}

// clockOf reads a time of day that is one word.
func clockOf(word string) (c clock, ok bool) {
	half := ""
	if n := len(word) - 2; n > 0 && (word[n:] == "am" || word[n:] == "pm") {
		word, half = word[:n], word[n:]
	}
	h, rest, timed := strings.Cut(word, ":")
	m, seconds, exact := strings.Cut(rest, ":")
	if !digits(h) || len(h) > 2 || timed && (!digits(m) || len(m) != 2) || exact && (!digits(seconds) || len(seconds) != 2) || !timed && half == "" {
		return c, false
	}
	c.hour, _ = strconv.Atoi(h)
	c.minute, _ = strconv.Atoi(m)
	if c.length = time.Minute; !timed {
		c.length = time.Hour
	}
	if half != "" {
		if c.hour < 1 || c.hour > 12 {
			return c, false
		}
		if c.hour %= 12; half == "pm" {
			c.hour += 12
		}
	}
	return c, c.hour < 24 && c.minute < 60
}

// parseThisPart reads this morning, tonight, last night; a time or part of a day without a
// day only if it is the whole text. One that has not begun today was yesterday.
func parseThisPart(p *parser, i int) (value, int) {
	today, yesterday := p.start(day, 0), p.start(day, 1)
	latest := func(c part) value {
		s := partAt(today, c)
		if s.From.After(p.now) {
			s = partAt(yesterday, c)
		}
		return value{Span: s}
	}
	c, isPart := partOf(p.at(i + 1))
	switch w := p.at(i); {
	case w == "tonight" || w == "this" && p.at(i+1) == "night":
		return latest(wholeNight()), i + indexOrZero(w == "tonight", 1) + indexOrZero(w != "tonight", 2)
	case w == "last" && p.at(i+1) == "night":
		return value{Span: partAt(yesterday, wholeNight())}, i + 2
	case w == "last" && p.at(i+1) == "evening":
		return value{Span: partAt(yesterday, c)}, i + 2
	case w == "this" && isPart:
		return latest(c), i + 2
	}
	if p.at(i) == "the" {
		i++
	}
	if c, ok := partOf(p.at(i)); ok {
		v := latest(c)
		v.ambiguity = wholeText
		return v, i + 1
	}
	s, next := parseWithin(p, today, i)
	if next > 0 && s.From.After(p.now) {
		s, _ = parseWithin(p, yesterday, i)
	}
	return value{Span: s, ambiguity: wholeText}, next
}

// parseDayNamed reads today, yesterday, the day before yesterday.
func parseDayNamed(p *parser, i int) (value, int) {
	if p.at(i) == "the" {
		i++
	}
	n, next := 0, i+1
	switch p.at(i) {
	case "today":
	case "yesterday":
		n = 1
	case "day":
		if p.at(i+1) != "before" || p.at(i+2) != "yesterday" {
			return value{}, 0
		}
		n, next = 2, i+3
	default:
		return value{}, 0
	}
	return value{Span: p.unitAt(day, n), single: true}, next
}

// parseWeekday reads Tuesday, last Tuesday, this Tuesday, Tuesday last week.
func parseWeekday(p *parser, i int) (value, int) {
	which := p.at(i)
	past := isLast(which)
	if past || which == "this" {
		i++
	}
	if p.at(i) == "the" {
		return value{}, 0
	}
	d, ok := weekdayOf(p.at(i))
	if !ok {
		return value{}, 0
	}
	n := (monday(p.now.Weekday()) - monday(d) + 7) % 7
	if past && n == 0 {
		n = 7
	}
	v := value{single: true, cycle: week, ambiguity: weekday}
	switch short := isAbbreviation(p.at(i)); {
	case short:
		v.ambiguity = wholeText
	case past || which == "this":
		v.ambiguity = unambiguous
	case p.strict && p.last(i) && !named(p.at(i-1)):
		v.ambiguity = unambiguous // what did we decide Tuesday?
	}
	i++
	for _, weeks := range [...]struct {
		word string
		n    int
	}{{"last", 1}, {"this", 0}} {
		at := i + indexOrZero(p.at(i) == "of", 1)
		if p.at(at) == weeks.word && p.at(at+1) == "week" {
			n = monday(p.now.Weekday()) - monday(d) + 7*weeks.n
			v.ambiguity, v.cycle, i = unambiguous, 0, at+2
			break
		}
	}
	v.Span = p.unitAt(day, n)
	return v, i
}

// last reports whether token i is the last one.
func (p *parser) last(i int) bool {
	return i+1 >= len(p.tokens) || i+2 == len(p.tokens) && p.tokens[i+1].punctuation()
}

// named reports whether the word before a weekday makes it a name: Black Friday.
func named(word string) bool { return words().named[word] > 0 }

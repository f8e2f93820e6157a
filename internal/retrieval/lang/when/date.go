package when

import (
	"strconv"
	"strings"
	"time"
)

// parseDate reads a day that is given by its number: 7 May 2023, May 7th, 2026-03-01,
// 3/1/2026; with or without the day of the week.
func parseDate(p *parser, i int) (value, int) {
	at := i
	if _, ok := weekdayOf(p.at(i)); ok {
		if at++; p.at(at) == comma {
			at++
		}
		if p.at(at) == "the" {
			at++
		}
	}
	for _, r := range [...]rule{parseDayMonth, parseMonthDay, parseISO, parseSlashes} {
		v, next := r(p, at)
		if next == 0 {
			continue
		}
		if d, ok := weekdayOf(p.at(i)); ok && !v.dated && v.From.Weekday() != d {
			v, _ = parseOnWeekday(p, r, at, d)
		} else if ok && v.From.Weekday() != d {
			p.missing = true
			return value{}, 0
		}
		return v, indexOrZero(v.single, next)
	}
	return value{}, 0
}

// parseOnWeekday finds the latest year in which a date falls on a day of the week.
func parseOnWeekday(p *parser, r rule, i int, d time.Weekday) (value, int) {
	const calendars = 12 // years in which every date falls on every day of the week
	for n := range calendars {
		v, next := r(p.withNow(p.now.AddDate(-n, 0, 0)), i)
		if next > 0 && v.From.Weekday() == d {
			return v, next
		}
	}
	p.missing = true
	return value{}, 0
}

// parseDayMonth reads 7 May, the 7th of May, 7 May last year.
func parseDayMonth(p *parser, i int) (value, int) {
	if p.at(i) == "the" {
		i++
	}
	d, next := parseOrdinal(p, i)
	exact := next > 0
	if !exact {
		if d, next = parseDayNumber(p, i); next == 0 {
			return value{}, 0
		}
	}
	if p.at(next) == "of" {
		next++
	}
	m, ok := monthOf(p.at(next))
	if !ok {
		return value{}, 0
	}
	return dayInMonth(p, m, d, next, next+1, exact)
}

// parseMonthDay reads May 7, May 7th, May the 7th, May 7, 2023.
func parseMonthDay(p *parser, i int) (value, int) {
	m, ok := monthOf(p.at(i))
	if !ok {
		return value{}, 0
	}
	at := i + 1
	if p.at(at) == "the" {
		at++
	}
	d, next := parseOrdinal(p, at)
	exact := next > 0
	if !exact && at == i+1 {
		d, next = parseDayNumber(p, at)
	}
	if next == 0 {
		return value{}, 0
	}
	return dayInMonth(p, m, d, i, next, exact)
}

// parseDayNumber reads 1 to 31 in digits, or an ordinal.
func parseDayNumber(p *parser, i int) (d, next int) {
	w := p.at(i)
	if !digits(w) || len(w) > 2 {
		return 0, 0
	}
	d, err := strconv.Atoi(w)
	return d, indexOrZero(err == nil, i+1)
}

// dayInMonth returns a day of a month, of the year that is named next or else the latest
// one; named is the token with the name of the month. A number that is not an ordinal may be the
// count of the noun after it.
func dayInMonth(p *parser, m time.Month, d, named, next int, exact bool) (value, int) {
	v := value{single: true, cycle: year, edge: !exact && (p.ambiguous(named) || isAbbreviation(p.at(named)))}
	if y, end := parseYearNamed(p, next); end > 0 {
		v.Span, v.cycle, v.dated, v.edge = p.days(y, m, d, 0, 0), 0, true, false
		p.missing = p.missing || !exists(y, m, d)
		return v, indexOrZero(exists(y, m, d), end)
	}
	var ok bool
	v.Span, ok = p.latest(false, func(y int) (Span, bool) { return p.days(y, m, d, 0, 0), exists(y, m, d) })
	p.missing = p.missing || !ok
	return v, indexOrZero(ok, next)
}

// ambiguous reports whether the name of a month or season has another common meaning, which
// those of other languages have not.
func (p *parser) ambiguous(i int) bool {
	word := p.at(i)
	return !p.tokens[i].plain && (word == "may" || word == "march" || word == "mar" || word == "spring" || word == "fall")
}

// parseYearNamed reads the year of something: 2024, of 2024, last year, this year.
func parseYearNamed(p *parser, i int) (y, next int) {
	at := i
	if p.at(at) == comma || p.at(at) == "of" || p.at(at) == "in" {
		at++
	}
	if y, next := parseYearNumber(p, at); next > 0 {
		return y, next
	}
	if p.at(at) == "the" {
		at++
	}
	if p.at(at+1) != "year" {
		return 0, 0
	}
	switch {
	case p.at(at) == "this":
		return p.now.Year(), at + 2
	case isLast(p.at(at)) && p.at(at) != "past":
		return p.now.Year() - 1, at + 2
	default:
		return 0, 0
	}
}

// parseISO reads 2026-03-01 and 2026/03/01.
func parseISO(p *parser, i int) (value, int) {
	w := p.at(i)
	if len(w) < 8 || len(w) > 10 || !digits(w[:4]) || w[4] != '-' && w[4] != '/' {
		return value{}, 0
	}
	m, d, ok := strings.Cut(w[5:], w[4:5])
	if !ok || !digits(m) || !digits(d) || len(m) > 2 || len(d) > 2 {
		return value{}, 0
	}
	return dateOfNumbers(p, w[:4], m, d, i+1)
}

// parseSlashes reads 3/1/2026, 3/1/26 and 3/1, month first, also with hyphens.
func parseSlashes(p *parser, i int) (value, int) {
	w := p.at(i)
	mark := "/"
	if strings.Contains(w, "-") {
		mark = "-"
	}
	parts := strings.Split(w, mark)
	if len(parts) < 2 || len(parts) > 3 || len(parts[0]) > 2 || len(parts[1]) > 2 || !digits(parts[0]) || !digits(parts[1]) {
		return value{}, 0
	}
	if len(parts) == 3 {
		y := parts[2]
		if !digits(y) || len(y) != 2 && len(y) != 4 {
			return value{}, 0
		}
		return dateOfNumbers(p, fullYear(y), parts[0], parts[1], i+1)
	}
	m, _ := strconv.Atoi(parts[0])
	d, _ := strconv.Atoi(parts[1])
	if m < 1 || m > 12 {
		p.missing = true
		return value{}, 0
	}
	v, next := dayInMonth(p, time.Month(m), d, i, i+1, true)
	if v.ambiguity = numeric; mark == "-" {
		v.ambiguity = wholeText // one to two of something
	}
	v.edge = true
	return v, next
}

// fullYear adds the century to a year of two digits: from 1950 to 2049.
func fullYear(y string) string {
	switch {
	case len(y) > 2:
		return y
	case y < "50":
		return "20" + y
	default:
		return "19" + y
	}
}

// dateOfNumbers returns the date with these numbers.
func dateOfNumbers(p *parser, year, month, date string, next int) (value, int) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(date)
	if y < 1 || !exists(y, time.Month(m), d) {
		p.missing = true
		return value{}, 0
	}
	return value{Span: p.days(y, time.Month(m), d, 0, 0), single: true, dated: true}, next
}

// parseDayOfMonth reads the 7th: the latest one of any month.
func parseDayOfMonth(p *parser, i int) (value, int) {
	if p.at(i) != "the" {
		return value{}, 0
	}
	d, next := parseOrdinal(p, i+1)
	if next == 0 || d > 31 || d < 1 || !digit(rune(p.at(i + 1)[0])) {
		return value{}, 0
	}
	y, m, today := p.now.Date()
	first := time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
	if d > today {
		first = first.AddDate(0, -1, 0)
	}
	for !exists(first.Year(), first.Month(), d) {
		first = first.AddDate(0, -1, 0)
	}
	s := p.days(first.Year(), first.Month(), d, 0, 0)
	return value{Span: s, single: true, ambiguity: dayNumber, edge: true}, next
}

// parseInstant reads RFC 3339, and the same without a zone, to the second or minute.
func parseInstant(p *parser, i int) (value, int) {
	w := strings.ToUpper(p.at(i))
	if len(w) < 16 || w[10] != 'T' {
		return value{}, 0
	}
	t, err := time.Parse(time.RFC3339, w)
	length := time.Second
	for _, layout := range [...]string{"2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"} {
		if err == nil {
			break
		}
		if t, err = time.ParseInLocation(layout, w, p.now.Location()); err == nil && layout != "2006-01-02T15:04:05" {
			length = time.Minute
		}
	}
	if err != nil || t.Year() < 1 {
		p.missing = true
		return value{}, 0
	}
	t = t.In(p.now.Location())
	return value{Span: Span{t, t.Add(length)}, dated: true}, i + 1
}

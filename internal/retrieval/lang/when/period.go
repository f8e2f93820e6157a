package when

import (
	"strconv"
	"time"
)

// parseMonthOrYear reads March, last March, March 2024, 2024-03, 2024, the year 2024,
// and early, mid or late of those: the first, second or third of its thirds.
func parseMonthOrYear(p *parser, i int) (value, int) {
	third, at := parseThird(p, i)
	v, next := parseMonth(p, at)
	if w, n := parseYearAlone(p, at); n > next {
		v, next = w, n
	}
	if third == 0 || next == 0 {
		return v, indexOrZero(third == 0, next)
	}
	days := daysBetween(v.From, v.Until)
	if third > 1 {
		v.From = after(v.From, days*(third-1)/3)
	}
	if third < 3 {
		v.Until = after(v.Until, -(days - days*third/3))
	}
	v.ambiguity = unambiguous
	return v, next
}

// parseThird reads early, mid, late, the beginning of, the middle of, the end of.
func parseThird(p *parser, i int) (n, next int) {
	switch p.at(i) {
	case "early":
		return 1, i + 1
	case "mid":
		return 2, i + 1
	case "late":
		return 3, i + 1
	}
	at := i + indexOrZero(p.at(i) == "the", 1)
	if p.at(at+1) != "of" {
		return 0, i
	}
	switch p.at(at) {
	case "beginning", "start":
		return 1, at + 2
	case "middle":
		return 2, at + 2
	case "end":
		return 3, at + 2
	default:
		return 0, i
	}
}

// parseMonth reads a month: the latest that has begun, or that of the year named.
func parseMonth(p *parser, i int) (value, int) {
	if w := p.at(i); len(w) == 7 && (w[4] == '-' || w[4] == '/') && digits(w[:4]) && digits(w[5:]) {
		y, _ := strconv.Atoi(w[:4])
		m, _ := strconv.Atoi(w[5:])
		if m < 1 || m > 12 || y < 1 {
			p.missing = true
			return value{}, 0
		}
		v := value{Span: p.monthOf(y, time.Month(m)), dated: true, ambiguity: bareYear}
		if w[4] == '/' || y < 1900 {
			v.ambiguity = wholeText
		}
		return v, i + 1
	}
	past, which := isLast(p.at(i)), isLast(p.at(i)) || p.at(i) == "this"
	if which {
		i++
	}
	m, ok := monthOf(p.at(i))
	if !ok {
		return value{}, 0
	}
	word, next := p.at(i), i+1
	if y, end := parseYearNamed(p, next); end > 0 && !which {
		return value{Span: p.monthOf(y, m), dated: true}, end
	}
	v := value{cycle: year, ambiguity: monthName, edge: p.ambiguous(i)}
	switch {
	case which && past:
		v.ambiguity = unambiguous
	case p.tokens[i].plain:
	case word == "may" || word == "april" || word == "june" || word == "august" || word == "jan":
		v.ambiguity = personal
	}
	v.Span, _ = p.latest(past, func(y int) (Span, bool) { return p.monthOf(y, m), true })
	return v, next
}

func (p *parser) monthOf(y int, m time.Month) Span {
	zone := p.now.Location()
	return Span{midnight(y, m, 1, zone), midnight(y, m+1, 1, zone)}
}

// months is a span of whole months of a year.
func (p *parser) months(y, first, n int) Span {
	zone := p.now.Location()
	return Span{midnight(y, time.Month(first), 1, zone), midnight(y, time.Month(first+n), 1, zone)}
}

// parseYearAlone reads 2024, the year 2024.
func parseYearAlone(p *parser, i int) (value, int) {
	v := value{dated: true, ambiguity: bareYear, edge: true}
	at := i + indexOrZero(p.at(i) == "the", 1)
	if p.at(at) == "year" {
		v.ambiguity, v.edge = unambiguous, false
		i = at + 1
	}
	y, next := parseYearNumber(p, i)
	if y < 1900 && v.ambiguity == bareYear {
		v.ambiguity = wholeText
	}
	v.Span = p.months(y, 1, 12)
	return v, next
}

// parseSeason reads last summer, the spring of 2024, this winter. Seasons begin on 20
// March, 21 June, 23 September and 21 December.
func parseSeason(p *parser, i int) (value, int) {
	the := p.at(i) == "the"
	past, which := isLast(p.at(i)), isLast(p.at(i)) || p.at(i) == "this"
	if the || which {
		i++
	}
	word := p.at(i)
	of, ok := seasonIn(p, word)
	if !ok {
		return value{}, 0
	}
	if y, end := parseYearNamed(p, i+1); end > 0 && !which {
		s, _ := of(y)
		return value{Span: s, dated: true}, end
	}
	v := value{cycle: year, ambiguity: seasonName, edge: true}
	switch {
	case which:
		v.ambiguity, v.edge = unambiguous, word == "fall"
	case p.ambiguous(i) && !the:
		v.ambiguity = wholeText
	}
	v.Span, _ = p.latest(past, of)
	return v, i + 1
}

// seasonIn returns the span of a season by the year in which it begins.
func seasonIn(p *parser, word string) (of func(y int) (Span, bool), ok bool) {
	type date struct {
		month time.Month
		day   int
	}
	var from, until date
	switch word {
	case "spring":
		from, until = date{time.March, 20}, date{time.June, 21}
	case "summer":
		from, until = date{time.June, 21}, date{time.September, 23}
	case "fall", "autumn":
		from, until = date{time.September, 23}, date{time.December, 21}
	case "winter":
		from, until = date{time.December, 21}, date{time.March + 12, 20}
	default:
		return nil, false
	}
	zone := p.now.Location()
	return func(y int) (Span, bool) {
		return Span{midnight(y, from.month, from.day, zone), midnight(y, until.month, until.day, zone)}, true
	}, true
}

// parseFraction reads the second quarter of 2024, Q2 2024, first half of last year, H1.
func parseFraction(p *parser, i int) (value, int) {
	which := isLast(p.at(i)) || p.at(i) == "this"
	past := isLast(p.at(i))
	if p.at(i) == "the" || which {
		i++
	}
	n, months, next := parseFractionName(p, i)
	if next == 0 {
		return value{}, 0
	}
	if y, end := parseYearNamed(p, next); end > 0 && !which {
		return value{Span: p.months(y, (n-1)*months+1, months), dated: true}, end
	}
	v := value{cycle: year, ambiguity: wholeText}
	if len(p.at(i)) == 2 && p.at(i)[0] == 'q' {
		v.ambiguity, v.edge = bareYear, true
	}
	v.Span, _ = p.latest(past, func(y int) (Span, bool) { return p.months(y, (n-1)*months+1, months), true })
	return v, next
}

// parseFractionName reads the number of a half or quarter, and how many months it has.
func parseFractionName(p *parser, i int) (n, months, next int) {
	if n, months, ok := fraction(p.at(i)); ok {
		return n, months, i + 1
	}
	n, next = parseOrdinal(p, i)
	switch {
	case next == 0 || n < 1:
		return 0, 0, 0
	case p.at(next) == "half" && n <= 2:
		return n, 6, next + 1
	case p.at(next) == "quarter" && n <= 4:
		return n, 3, next + 1
	default:
		return 0, 0, 0
	}
}

// fraction reads q1 to q4, h1 and h2.
func fraction(w string) (n, months int, ok bool) {
	switch {
	case len(w) != 2 || w[1] < '1':
	case w[0] == 'q' && w[1] <= '4':
		return int(w[1] - '0'), 3, true
	case w[0] == 'h' && w[1] <= '2':
		return int(w[1] - '0'), 6, true
	}
	return 0, 0, false
}

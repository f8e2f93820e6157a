package when

import "time"

// parseAgo reads two weeks ago, a couple of days ago, half an hour ago.
func parseAgo(p *parser, i int) (value, int) {
	n, next := parseNumbers(p, i)
	if p.at(i) == "half" && (p.at(i+1) == "a" || p.at(i+1) == "an") {
		n, next = count{}, i+2
	}
	u, ok := unitOf(p.at(next))
	if word := p.at(next + 1); next == 0 || !ok || word != "ago" && (word != "back" || u < day) {
		return value{}, 0
	}
	if n == (count{}) && p.at(i) == "half" {
		switch u {
		case hour:
			n, u = count{30, 30}, minute
		case day:
			n, u = count{12, 12}, hour
		case year:
			n, u = count{6, 6}, month
		default:
			return value{}, 0
		}
	}
	v, known := countBefore(p, n, u)
	return v, indexOrZero(known, next+2)
}

// countBefore returns the unit n units ago. Units shorter than a day are approximate: the
// span is from 1.5 n units ago until .5 n units ago.
func countBefore(p *parser, n count, u unit) (value, bool) {
	if u < day {
		d := u.duration()
		high, low := time.Duration(n.high)*d*3/2, time.Duration(n.low)*d/2
		return value{Span: Span{p.now.Add(-high), p.now.Add(-low)}}, n.low > 0
	}
	from, until := p.unitAt(u, n.high).From, p.unitAt(u, n.low).Until
	return value{Span: Span{from, until}, single: u == day && n.low == n.high}, from.Year() > 0
}

// isLast reports whether a word is about the past.
func isLast(word string) bool {
	return word == "last" || word == "past" || word == "previous" || word == "prior" || word == "preceding"
}

// parseLastMany reads last 3 days, the past two weeks: from the beginning of the unit
// that many ago until the end of today.
func parseLastMany(p *parser, i int) (value, int) {
	if p.at(i) == "the" || p.at(i) == "these" {
		i++
	}
	if !isLast(p.at(i)) {
		return value{}, 0
	}
	n, next := parseNumbers(p, i+1)
	u, ok := unitOf(p.at(next))
	if next == 0 || !ok || n.high == 0 {
		return value{}, 0
	}
	v := p.rolling(n.high, u)
	return v, indexOrZero(v.From.Year() > 0, next+1)
}

func (p *parser) rolling(n int, u unit) value {
	if u < day {
		return value{Span: Span{p.now.Add(-time.Duration(n) * u.duration()), nextMinute(p.now)}}
	}
	return value{Span: Span{p.start(u, n), p.start(day, -1)}}
}

// parseLastOne reads last week, this month, the past year, the week before last.
func parseLastOne(p *parser, i int) (value, int) {
	the := p.at(i) == "the"
	if the {
		i++
	}
	word := p.at(i)
	if u, ok := unitOf(word); ok && u >= week && p.at(i+1) == "before" && p.at(i+2) == "last" {
		return value{Span: p.unitAt(u, 2+weekendOver(p, u))}, i + 3
	}
	if word == "weekend" {
		return value{Span: p.unitAt(weekend, 0), ambiguity: wholeText}, i + 1
	}
	u, ok := unitOf(p.at(i + 1))
	if !ok || len(p.at(i+1)) == 1 {
		return value{}, 0
	}
	during := p.after == "in" || p.after == "over" || p.after == "during" || p.after == "within" || p.after == "for"
	switch {
	case word == "this" || word == "current":
		return p.current(u), i + 2
	case !isLast(word):
		return value{}, 0
	case word == "past" || the && during || u < day:
		v := p.rolling(1, u)
		if u <= minute || u == day && !during && word != "past" || u == hour && !during && word != "past" {
			v.ambiguity = wholeText // at the last minute, the last day
		}
		return v, i + 2
	case u == day:
		return value{Span: p.unitAt(day, 1), ambiguity: wholeText, single: true}, i + 2
	case u == weekend:
		return value{Span: p.unitAt(u, weekendOver(p, u))}, i + 2
	default:
		return value{Span: p.unitAt(u, 1)}, i + 2
	}
}

// weekendOver returns 1 at a weekend, which "last weekend" then excludes.
func weekendOver(p *parser, u unit) int {
	if u == weekend && monday(p.now.Weekday()) >= 5 {
		return 1
	}
	return 0
}

// current returns the current unit: this week, this month.
func (p *parser) current(u unit) value {
	if u < day {
		from := p.now.Truncate(u.duration())
		return value{Span: Span{from, from.Add(u.duration())}, ambiguity: wholeText}
	}
	v := value{Span: p.unitAt(u, 0)}
	if u == day {
		v.ambiguity = wholeText
	}
	return v
}

// parseRecent reads recently, lately, the other day: the last seven days.
func parseRecent(p *parser, i int) (value, int) {
	v := value{Span: Span{p.start(day, 7), p.start(day, -1)}}
	switch w := p.at(i); {
	case w == "recently" || w == "lately":
		return v, i + 1
	case w == "recent":
		v.ambiguity = wholeText
		return v, i + 1
	case w == "these" && p.at(i+1) == "days":
		v.ambiguity = wholeText
		return v, i + 2
	case w == "the" && p.at(i+1) == "other" && p.at(i+2) == "day":
		return v, i + 3
	default:
		return value{}, 0
	}
}

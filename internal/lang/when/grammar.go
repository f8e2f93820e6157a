package when

import "time"

// parser reads expressions from tokens. It never looks behind the expression,
// apart from believes.
type parser struct {
	tokens []token
	now    time.Time
	// strict: the text is a question, not an expression.
	strict bool
	// after is the preposition before the time that is read.
	after string
	// missing: a date or hour was named that does not exist.
	missing bool
	// reversed: a range ends before it begins.
	reversed bool
}

func newParser(text string, now time.Time) *parser { return &parser{tokens: scan(text), now: now} }

// seenAt is a parser of the same text, seen from another moment.
func (p *parser) seenAt(now time.Time) *parser {
	q := *p
	q.now = now
	return &q
}

// at is the text of a token; "" beyond the last.
func (p *parser) at(i int) string {
	if i < 0 || i >= len(p.tokens) {
		return ""
	}
	return p.tokens[i].text
}

// value is what an expression, or a part of one, means.
type value struct {
	Span
	// sense is what kind of words it is made of: what Find asks of their company.
	sense sense
	// edge: its last word may belong to what follows, so that it must end a clause.
	edge bool
	// cycle is the unit after which it comes again: week or year, else 0.
	cycle unit
	// dated: it names a year.
	dated bool
	// single: it is one day, of which there may be a part.
	single bool
}

// begun reports whether the span is none that begins after now, and not empty.
func (v *value) begun(now time.Time) bool {
	return !v.From.After(now) && (v.Until.IsZero() || v.From.Before(v.Until)) && !v.IsZero()
}

// parseExpression reads what Parse and Find take: a range, a bound, or a time with a
// preposition or none. Like every rule it returns the index after what it read,
// or 0 if there was nothing that it could read.
func parseExpression(p *parser, i int) (value, int) {
	if w := p.at(i); w == "earlier" || w == "sometime" || w == "ever" || w == "back" {
		i++
	}
	p.after = ""
	best, end := parseBound(p, i)
	if v, n := parseSpan(p, i); n > end {
		best, end = v, n
	}
	lead, from := parseLead(p, i)
	p.after = lead
	if v, n := parseSimple(p, from); n > end && licensed(v.sense, lead) || n > end && !p.strict {
		best, end = v, n
	}
	return best, end
}

// parseLead reads a preposition.
func parseLead(p *parser, i int) (word string, next int) {
	switch w := p.at(i); w {
	case "in", "on", "at", "during", "over", "within", "for", "from", "of", "about", "around", "circa", "throughout":
		return w, i + 1
	default:
		return "", i
	}
}

// parseBound reads since, after, before, until a time, and from a time on.
func parseBound(p *parser, i int) (value, int) {
	word, next := p.at(i), i+1
	switch {
	case word == "prior" && p.at(next) == "to":
		word, next = "before", next+1
	case word == "up" && p.at(next) == "to":
		word, next = "until", next+1
	case (word == "starting" || word == "beginning") && (p.at(next) == "in" || p.at(next) == "on" || p.at(next) == "from"):
		word, next = "since", next+1
	}
	if !bounds(word) {
		return value{}, 0
	}
	if w, n := parseLead(p, next); w == "about" || w == "around" || w == "in" || w == "on" || w == "at" {
		next = n
	}
	v, end := parseSimple(p, next)
	if end == 0 || p.strict && !licensed(v.sense, word) {
		return value{}, 0
	}
	switch word {
	case "since":
		v.Until = time.Time{}
	case "after":
		v.From, v.Until = v.Until, time.Time{}
	case "before":
		v.From, v.Until = time.Time{}, v.From
	case "until", "till", "by":
		v.From = time.Time{}
	case "from":
		if p.at(end) != "on" && p.at(end) != "onward" && p.at(end) != "onwards" {
			return value{}, 0
		}
		v.Until, v.edge = time.Time{}, false
		end++
	default:
		return value{}, 0
	}
	return v, end
}

// bounds reports whether a word makes a bound of a time.
func bounds(word string) bool {
	switch word {
	case "since", "after", "before", "until", "till", "by", "from":
		return true
	default:
		return false
	}
}

// parseSpan reads between A and B, from A to B, A to B.
func parseSpan(p *parser, i int) (value, int) {
	lead, next := p.at(i), i+1
	if lead != "between" && lead != "from" {
		lead, next = "", i
	}
	a, end := parseSimple(p, next)
	if end == 0 {
		return value{}, 0
	}
	switch w := p.at(end); {
	case w == "and" && lead == "between":
	case lead != "between" && (w == "to" || w == dots || w == "until" || w == "till" || w == "through" || w == "thru"):
	default:
		return value{}, 0
	}
	from := end + 1
	b, end := parseSimple(p, from)
	if end == 0 || p.strict && (!licensed(a.sense, lead) || !licensed(b.sense, lead)) {
		return value{}, 0
	}
	// "Monday to Wednesday" ends with the Wednesday after that Monday.
	switch {
	case b.cycle != 0 && (a.cycle == b.cycle || a.dated && b.cycle == year):
		d := a.From.AddDate(1, 0, 0)
		if b.cycle == week {
			d = a.From.AddDate(0, 0, 7)
		}
		b, _ = parseSimple(p.seenAt(d.Add(-1)), from)
	case a.cycle != 0 && b.From.Before(a.From):
		a, _ = parseSimple(p.seenAt(b.From), next)
	}
	a.Until, a.edge, a.cycle, a.single = b.Until, b.edge, 0, false
	if !a.From.Before(a.Until) {
		p.reversed = true
		return value{}, 0
	}
	return a, end
}

// rule reads one form of time.
type rule func(p *parser, i int) (value, int)

// parseSimple reads the longest time that stands for itself.
func parseSimple(p *parser, i int) (value, int) {
	first := i
	if p.at(i) == "the" {
		first++
	}
	if !begins(p.at(first)) {
		return value{}, 0
	}
	best, end := parsePartOfDay(p, i)
	for _, r := range [...]rule{
		parseAgo, parseLastMany, parseLastOne, parseMonthOrYear, parseSeason,
		parseHoliday, parseFraction, parseRecent, parseInstant,
	} {
		if v, n := r(p, i); n > end {
			best, end = v, n
		}
	}
	return best, end
}

// isFuture reports whether the text is about the future.
func (p *parser) isFuture() bool {
	switch p.at(0) {
	case "tomorrow", "next", "coming":
		return true
	default:
		return p.at(0) == "in" && p.at(1) == "the" && p.at(2) == "future" || p.at(1) == "next" || p.at(1) == "tomorrow"
	}
}

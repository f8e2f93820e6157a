package when

import "time"

// parser reads expressions from tokens. Only plausible reads tokens after the expression.
type parser struct {
	tokens []token
	now    time.Time
	// strict: the text is a question that may contain an expression.
	strict bool
	// foreign: the tokens are translated from another language; certain: the text has enough
	// function words of it.
	foreign, certain bool
	// after is the preposition before the expression that is read.
	after string
	// missing: the text names a date or hour that does not exist.
	missing bool
	// reversed: a range ends before it begins.
	reversed bool
}

func newParser(text string, now time.Time) *parser { return &parser{tokens: scan(text), now: now} }

// withNow returns a parser of the same text with another current time.
func (p *parser) withNow(now time.Time) *parser {
	q := *p
	q.now = now
	return &q
}

// at returns the text of a token; "" beyond the last.
func (p *parser) at(i int) string {
	if i < 0 || i >= len(p.tokens) {
		return ""
	}
	return p.tokens[i].text
}

// value is the meaning of an expression, or of a part of one.
type value struct {
	Span
	// ambiguity decides which prepositions Find requires.
	ambiguity ambiguity
	// edge: its last word may belong to the words after it, so that it must end a clause.
	edge bool
	// cycle is the unit after which it repeats: week or year, else 0.
	cycle unit
	// dated: the expression names a year.
	dated bool
	// single: it is one day, which a part of the day may narrow.
	single bool
}

// begun reports whether the span is not empty and does not begin after now.
func (v *value) begun(now time.Time) bool {
	return !v.From.After(now) && (v.Until.IsZero() || v.From.Before(v.Until)) && !v.IsZero()
}

// parseExpression reads a whole expression: a range, a bound, or a time with or without a
// preposition. Like every rule it returns the index after the tokens that it read, or 0 if
// they do not match.
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
	if v, n := parseSimple(p, from); n > end && licensed(v.ambiguity, lead) || n > end && !p.strict {
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
	if end == 0 || p.strict && !licensed(v.ambiguity, word) {
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

// bounds reports whether a preposition makes a time a bound.
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
	if end == 0 || p.strict && (!licensed(a.ambiguity, lead) || !licensed(b.ambiguity, lead)) {
		return value{}, 0
	}
	// "Monday to Wednesday" ends with the Wednesday after that Monday.
	switch {
	case b.cycle != 0 && (a.cycle == b.cycle || a.dated && b.cycle == year):
		d := a.From.AddDate(1, 0, 0)
		if b.cycle == week {
			d = a.From.AddDate(0, 0, 7)
		}
		b, _ = parseSimple(p.withNow(d.Add(-1)), from)
	case a.cycle != 0 && b.From.Before(a.From):
		a, _ = parseSimple(p.withNow(b.From), next)
	}
	a.Until, a.edge, a.cycle, a.single = b.Until, b.edge, 0, false
	if !a.From.Before(a.Until) {
		p.reversed = true
		return value{}, 0
	}
	return a, end
}

// rule reads one form of expression.
type rule func(p *parser, i int) (value, int)

// parseSimple returns the longest match of all rules.
func parseSimple(p *parser, i int) (value, int) {
	first := i
	if p.at(i) == "the" {
		first++
	}
	if !canBegin(p.at(first)) {
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

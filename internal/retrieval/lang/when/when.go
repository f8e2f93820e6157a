// Package when reads times written in words: "last week", "two days ago", "in
// March", "since Tuesday", "between 1 May and last month". [Parse] reads a text
// that is one expression, [Find] finds one inside a question.
//
// The grammar is English. The tables of other languages, in package lexicon, replace their
// phrases by English words: "vor drei Tagen" by "3 days ago".
//
// Texts are memories, not plans: an ambiguous expression denotes the latest time that has
// begun, and a span never begins in the future. Weeks
// run from Monday to Sunday, days in the zone of now. The package
// rejects dates that do not exist, and, in questions, words with another
// meaning ("may", "march on", "spring boot").
package when

import (
	"math/bits"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// Span is the time from From, included, until Until, excluded. A zero end is open.
type Span struct{ From, Until time.Time }

// IsZero reports whether both ends are open.
func (s Span) IsZero() bool { return s.From.IsZero() && s.Until.IsZero() }

// Parse parses a text that is one expression, relative to now, in now's zone. A duration such as 3d
// is the time since then. The error is
// a [*hippo.FieldError] for "when" that quotes the part that was not understood.
func Parse(text string, now time.Time) (Span, error) {
	if from, _, ok := shift(now, text, -1); ok { // 3d: since then
		return Span{from, nextMinute(now)}, nil
	}
	span, best := parseWhole(newParser(text, now))
	if best.reason == "" {
		return span, nil
	}
	for _, l := range others().languages {
		tokens, _ := l().translate(text)
		span, f := parseWhole(&parser{tokens: tokens, now: now})
		if f.reason == "" {
			return span, nil
		}
		if f.certain && !best.certain || f.certain == best.certain && f.rest > best.rest {
			best = f
		}
	}
	return Span{}, problem(best.reason, text[best.rest:])
}

// failure is why a text is not one expression; the reason is "" for a text that is one.
type failure struct {
	reason string
	// certain: the text was understood, but is no time that can be recalled.
	certain bool
	// rest is where the part begins that was not understood.
	rest int
}

// parseWhole reads tokens that are one expression, with punctuation around it.
func parseWhole(p *parser) (Span, failure) {
	from, end := 0, len(p.tokens)
	for from < end && p.tokens[from].punctuation() {
		from++
	}
	for end > from && p.tokens[end-1].punctuation() {
		end--
	}
	p.tokens = p.tokens[from:end]
	e, n := parseExpression(p, 0)
	whole := n > 0 && n == len(p.tokens)
	f := failure{reason: "is not understood as a time"}
	switch {
	case whole && e.begun(p.now):
		return e.Span, failure{}
	case whole && e.From.After(p.now) || n == 0 && p.isFuture():
		return Span{}, failure{reason: "lies in the future, and only what was can be recalled", certain: true}
	case p.missing || whole:
		return Span{}, failure{reason: "names a day or hour that does not exist", certain: true}
	case p.reversed:
		return Span{}, failure{reason: "ends before it begins", certain: true}
	case n > 0:
		f.rest = p.tokens[n].start
	}
	return Span{}, f
}

// problem returns the error for a text.
func problem(why, text string) error {
	const most = 60
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "..."
	}
	return hippo.Fieldf("when", "%q %s; say for example \"last week\", \"since 1 March\", \"2026-01-01..2026-02-01\" or 3d", text, why)
}

// Found is a time expression inside a text.
type Found struct {
	Span
	// Start and End are its position in bytes, with the preposition before it.
	Start, End int
	// Rest is the text without it; "" if no words remain.
	Rest string
}

// Find returns the longest expression in a question, the first one of equal length. It
// accepts only unambiguous ones, and none that begins after now. It tries the languages that the
// text has words of; of equal length, English counts. Cost: about 15 us for a sentence in English
// and up to five times that in another language, linear in its length; the first call builds the
// tables, in some milliseconds.
func Find(query string, now time.Time) (Found, bool) {
	p := newParser(query, now)
	p.strict = true
	best := longest(p)
	t := others()
	for mask := t.triggered(query); mask != 0; mask &= mask - 1 {
		q := &parser{now: now, strict: true, foreign: true}
		q.tokens, q.certain = t.languages[bits.TrailingZeros(mask)]().translate(query)
		if f := longest(q); f.End-f.Start > best.End-best.Start && f.agrees(query, now) {
			best = f
		}
	}
	if best.End == 0 {
		return best, false
	}
	best.Rest = rest(query[:best.Start], query[best.End:])
	return best, true
}

// longest returns the longest expression that is unambiguous, the first one of equal length.
func longest(p *parser) Found {
	var best Found
	for i := range p.tokens {
		t := &p.tokens[i]
		if !t.head || t.punctuation() {
			continue
		}
		e, n := parseExpression(p, i)
		if n == 0 || !e.begun(p.now) || !p.plausible(e, i, n) || p.foreign && !p.translated(i, n) {
			continue
		}
		if f := (Found{Span: e.Span, Start: t.start, End: p.tokens[n-1].end}); f.End-f.Start > best.End-best.Start {
			best = f
		}
	}
	return best
}

// translated reports whether the tokens from i to n have a phrase of the language of the text. One
// that also occurs in other languages counts only if the text is certain to be of this one.
func (p *parser) translated(i, n int) bool {
	return slices.ContainsFunc(p.tokens[i:n], func(t token) bool { return t.plain && (!t.weak || p.certain) })
}

// agrees reports whether the text of an expression alone has the same meaning, so that none of
// the tables tried before contradicts it.
func (f *Found) agrees(query string, now time.Time) bool {
	s, err := Parse(query[f.Start:f.End], now)
	return err == nil && s == f.Span
}

// rest joins the text before and after an expression.
func rest(before, after string) string {
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	for { // brackets and quotes around it
		last, n := utf8.DecodeLastRuneInString(before)
		first, k := utf8.DecodeRuneInString(after)
		if i := strings.IndexRune(opening, last); n == 0 || k == 0 || i < 0 || i != strings.IndexRune(closing, first) {
			break
		}
		before, after = strings.TrimSpace(before[:len(before)-n]), strings.TrimSpace(after[k:])
	}
	before = strings.TrimRight(before, " ,;:-\u2013\u2014")
	if before == "" || strings.HasPrefix(after, ",") && strings.HasSuffix(before, ".") {
		after = strings.TrimLeft(after, " ,;:.-\u2013\u2014")
	}
	joint := " "
	if first, _ := utf8.DecodeRuneInString(after); before == "" || after == "" || strings.ContainsRune(",.;:!?", first) {
		joint = ""
	}
	text := before + joint + after
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return ""
	}
	return text
}

package when

import (
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// Readings returns what the tables read in a text that is one expression, English first.
func Readings(text string, now time.Time) []Span {
	var out []Span
	if s, f := parseWhole(newParser(text, now)); f.reason == "" {
		out = append(out, s)
	}
	for _, l := range others().languages {
		tokens, _ := l().translate(text)
		if s, f := parseWhole(&parser{tokens: tokens, now: now}); f.reason == "" {
			out = append(out, s)
		}
	}
	return out
}

// FindEnglish is Find with the English grammar alone.
func FindEnglish(query string, now time.Time) (Found, bool) {
	p := newParser(query, now)
	p.strict = true
	f := longest(p)
	return f, f.End > 0
}

// Vocabulary returns the words of all tables.
func Vocabulary() []string {
	var out []string
	for _, l := range lexicon.Languages() {
		eachWord(l.Lists, func(word string) { out = append(out, word) })
	}
	return out
}

package when

import (
	"slices"
	"strings"
)

// translation is a text in the words of the English grammar.
type translation struct {
	*language
	source []token
	out    []token
	// common and other count the function words of the language, and the other words, outside of
	// the phrases that were replaced.
	common, other int
}

// postposed begins the words of a pattern that follow their time: "三天前以来" is "since 3 days ago".
const postposed = "<"

// translate returns a text as tokens of English words, at the positions of the phrases that they
// replace, and reports whether enough of its words are function words of the language. A word that is not
// part of a time is an empty token.
func (l *language) translate(text string) (out []token, certain bool) {
	t := translation{language: l, source: scanForeign(text)}
	for i := 0; i < len(t.source); {
		i = t.next(i)
	}
	const most = 10 // words for one function word
	return t.joined(), t.common*most > t.other
}

// next translates the phrase, or else the word, at a token, and returns the index of the next.
func (t *translation) next(i int) int {
	var best *pattern
	var found []capture
	end := 0
	key := t.source[i].text
	if key != "" && digit(rune(key[0])) {
		key = numericKey
	}
	for _, p := range t.patterns[key] {
		if captures, n := t.match(p, i); n > end || n == end && n > 0 && len(captures) < len(found) {
			best, found, end = p, captures, n
		}
	}
	if best == nil {
		t.keep(i)
		return i + 1
	}
	first, last := t.source[i], t.source[end-1]
	if best.target[0] == nothing {
		t.out = append(t.out, token{start: first.start, end: last.end, head: first.head, tail: last.tail})
		return end
	}
	from := len(t.out)
	for _, word := range best.target {
		for _, english := range fill(word, found) {
			t.out = append(t.out, token{text: english, start: first.start, end: last.end, plain: true, weak: best.weak})
		}
		found = used(word, found)
	}
	t.out[from].head, t.out[len(t.out)-1].tail, t.out[len(t.out)-1].closing = first.head, last.tail, best.closing
	return end
}

// keep appends a token that no pattern matches: a number, or an empty token.
func (t *translation) keep(i int) {
	s := t.source[i]
	switch {
	case s.punctuation():
	case digit(rune(s.text[0])) || isFraction(s.text):
		from := len(t.out)
		t.out = word(t.out, s.text, s.start)
		for j := from; j < len(t.out); j++ {
			t.out[j].start, t.out[j].end = s.start, s.end
		}
		t.out[from].head, t.out[len(t.out)-1].tail = s.head, s.tail
		return
	default:
		if t.language.common[s.text] {
			t.common++
		} else {
			t.other++
		}
		s.article = t.articles[s.text]
		if t.clauses[s.text] {
			s.text = clauseWord
		} else {
			s.text = ""
		}
	}
	t.out = append(t.out, s)
}

// isFraction reports whether a word is the number of a quarter or half year: q3, h1.
func isFraction(word string) bool {
	_, _, ok := fraction(word)
	return ok
}

// joined moves postposed words before their time, and joins articles with the time after them.
func (t *translation) joined() []token {
	out := t.out[:0:0]
	run := 0 // where the time begins that the last token belongs to
	for i := range t.out {
		s := t.out[i]
		switch {
		case s.article && i+1 < len(t.out) && t.out[i+1].plain:
			t.out[i+1].start, t.out[i+1].head = s.start, s.head
			continue
		case strings.HasPrefix(s.text, postposed):
			out = t.postpose(out, run, i)
			continue
		}
		if s.plain && (s.text == "on" || s.text == "in" || s.text == "since") && t.ranges(out, run) {
			continue // from Monday until Wednesday
		}
		if s.text == "until" {
			begin(out[run:])
		}
		out = append(out, s)
		if !s.plain && (s.text == "" || s.text == stop || s.text == comma || s.text == clauseWord) {
			run = len(out)
		}
	}
	return out
}

// ranges reports whether the last token, of the time that begins at token run, is a word of a
// range, after which the grammar reads no other preposition.
func (t *translation) ranges(out []token, run int) bool {
	if len(out) == run || !out[len(out)-1].plain {
		return false
	}
	switch out[len(out)-1].text {
	case "from", "since", "between", "until", "to":
		return true
	case "and":
		return slices.ContainsFunc(out[run:], func(b token) bool { return b.text == "between" })
	}
	return false
}

// begin makes the time before the end of a range its beginning: since A until B, on A to B.
func begin(tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		if t.plain && (t.text == "since" || i == 0 && (t.text == "on" || t.text == "in")) {
			t.text = "from"
		}
	}
}

// postpose adds a postposed word, token i, to the time that begins at token run.
func (t *translation) postpose(out []token, run, i int) []token {
	s := t.out[i]
	text := s.text[len(postposed):]
	if run == len(out) {
		s.text, s.plain = "", false
		return append(out, s)
	}
	last := &out[len(out)-1]
	following := i+1 < len(t.out) && t.out[i+1].plain && !strings.HasPrefix(t.out[i+1].text, postposed)
	switch ranged := slices.ContainsFunc(out[run:], func(b token) bool { return b.text == "to" || b.text == "until" }); {
	case (text == "since" || text == "to") && following:
		begin(out[run:])
		s.text = "to"
		return append(out, s)
	case text == "to":
		s.text, s.plain = "", false
		return append(out, s)
	case text == "until" && ranged, text == nothing:
		last.end, last.tail = s.end, s.tail
		return out
	}
	last.end, last.tail = s.end, s.tail
	if out[run].text == "from" || out[run].text == "since" {
		out[run].text = text
		return out
	}
	s.start, s.end, s.text, s.head, s.tail = out[run].start, out[run].end, text, out[run].head, false
	out[run].head = false
	return slices.Insert(out, run, s)
}

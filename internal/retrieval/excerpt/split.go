package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

const (
	// maxPart is how many bytes a part has at most. Longer sentences are split between words, so that two parts fit a preview.
	maxPart = 200
	// minPart is how many bytes a sentence has at least. A shorter one, such as the number of a list, is a part of the next.
	minPart = 12
)

// Split returns the sentences and lines of a text, in order, without the spaces around them. Long ones are split at clauses or words.
func Split(text string) []hippo.Span {
	var out []hippo.Span
	from := 0
	for from < len(text) {
		to := from + sentence(text[from:])
		if span, ok := trimmed(text, from, to); ok {
			out = appendParts(out, text, span)
		}
		from = to
	}
	return out
}

// sentence returns the length of the first sentence of a text, with its end.
func sentence(text string) int {
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			next = i + 1
		}
		switch {
		case r == '\n' && i >= minPart:
			return next
		case r == '。' || r == '！' || r == '？' || r == '｡':
			return next
		case (r == '.' || r == '!' || r == '?' || r == '…') && i >= minPart:
			if after, _ := utf8.DecodeRuneInString(text[next:]); next == len(text) || unicode.IsSpace(after) {
				return next
			}
		}
	}
	return len(text)
}

// trimmed returns a range without the spaces around it. False: it has nothing else.
func trimmed(text string, from, to int) (hippo.Span, bool) {
	s := text[from:to]
	left := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	s = strings.TrimSpace(s)
	return hippo.Span{From: from + left, To: from + left + len(s)}, s != ""
}

// appendParts appends a sentence in parts of at most maxPart bytes.
func appendParts(out []hippo.Span, text string, s hippo.Span) []hippo.Span {
	for s.To-s.From > maxPart {
		n := clause(text[s.From:s.To])
		if part, ok := trimmed(text, s.From, s.From+n); ok {
			out = append(out, part)
		}
		rest, ok := trimmed(text, s.From+n, s.To)
		if !ok {
			return out
		}
		s = rest
	}
	return append(out, s)
}

// clause returns where a sentence of more than maxPart bytes is split: after a comma or the like in the second half of its first maxPart
// bytes, else after a word, else between characters.
func clause(text string) int {
	end := maxPart
	for !utf8.RuneStart(text[end]) {
		end--
	}
	best, word := 0, 0
	for i, r := range text[:end] {
		switch {
		case unicode.IsSpace(r):
			word = i
		case i > maxPart/2 && strings.ContainsRune(",;:，、；：)", r):
			best = i + utf8.RuneLen(r)
		}
	}
	switch {
	case best > 0:
		return best
	case word > 0:
		return word
	default:
		return end
	}
}

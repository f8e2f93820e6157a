package consolidate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// renamed reports whether each of two texts names something that the other does not: texts of one pattern, such as
// "Ana lives in Oslo" and "Ben lives in Oslo", say different things. A name is a word of two or more characters that begins with a capital
// inside a sentence, or the first word of a text if both texts go on with the same word. Scripts without capitals have no names.
//
// Package lang/entity says what one text names, for the graph. This rule is about two: what the other text has in small
// letters is no difference, and what begins a sentence is a name only where the other text goes on alike.
func renamed(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	return namesOther(x, y) && namesOther(y, x)
}

// word is a run of letters, marks and digits; starts: it is the first one of a sentence.
type word struct {
	text   string
	starts bool
}

func wordsOf(text string) (out []word) {
	from, starts := -1, true
	for i, r := range text {
		switch inside := unicode.In(r, unicode.L, unicode.M, unicode.N); {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			out = append(out, word{text[from:i], starts})
			from, starts = -1, false
		}
		starts = starts || strings.ContainsRune(".!?:\n", r)
	}
	if from >= 0 {
		out = append(out, word{text[from:], starts})
	}
	return out
}

// namesOther reports whether one text names something of which another one has not even the word.
func namesOther(text, other []word) bool {
	has := make(map[string]bool, len(other))
	for _, w := range other {
		has[strings.ToLower(w.text)] = true
	}
	pattern := len(text) > 1 && len(other) > 1 && strings.EqualFold(text[1].text, other[1].text)
	for i, w := range text {
		first, size := utf8.DecodeRuneInString(w.text)
		if !unicode.IsUpper(first) || len(w.text) == size || w.starts && (i > 0 || !pattern) {
			continue
		}
		if !has[strings.ToLower(w.text)] {
			return true
		}
	}
	return false
}

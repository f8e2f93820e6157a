package entity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxName is the maximum number of words of a name: a longer run is a heading or in all
	// capitals.
	maxName = 6
	// minPhrase is the minimum length of a word of a phrase, in letters.
	minPhrase = 3
	// maxPhrase is the maximum length of a phrase, in bytes.
	maxPhrase = 40
)

// word processes the next word: part of a name, or of a phrase, or neither.
func (s *scanner) word(from, to int) {
	text := s.text[from:to]
	first := s.start
	s.start = false
	switch {
	case capitalised(text):
		if len(s.gap) > 0 {
			s.run = append(s.run, s.gap...)
			s.gap = s.gap[:0]
		}
		s.run = append(s.run, word{from, to, first})
	case len(s.run) > 0 && isParticle(text) && len(s.gap) < 2:
		s.gap = append(s.gap, word{from, to, false})
	default:
		s.flush()
	}
	s.phrase(text)
}

// phrase emits a word with the one before as a candidate.
func (s *scanner) phrase(text string) {
	before := s.last
	s.last = ""
	if utf8.RuneCountInString(text) < minPhrase || len(text) > maxPhrase || isCommon(strings.ToLower(text)) ||
		strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) >= 0 || unspaced(text) {
		return
	}
	s.last = text
	if before != "" && (!capitalised(before) || !capitalised(text)) {
		s.emit(Phrase, before+" "+text)
	}
}

// unspaced reports whether a text is of a script that puts no spaces between words.
func unspaced(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// flush emits the run of capitalised words.
func (s *scanner) flush() {
	run := s.run
	s.run, s.gap = s.run[:0], s.gap[:0]
	if len(run) == 0 || len(run) > maxName || s.allCapitals(run) {
		return
	}
	if run[0].first {
		w := textOf(s, run[:1])
		if !isAcronym(w) {
			if !isCommon(strings.ToLower(withoutPossessive(w))) && len(run) > 1 {
				s.name(run)
			}
			run = run[1:]
		}
	}
	for len(run) > 0 && (isEmpty(strings.ToLower(withoutPossessive(textOf(s, run[:1])))) || isParticle(textOf(s, run[:1]))) {
		run = run[1:]
	}
	s.name(run)
}

// name emits a run as a name, unless its words are all empty.
func (s *scanner) name(run []word) {
	if len(run) == 0 {
		return
	}
	text := textOf(s, run)
	if name := withoutPossessive(text); utf8.RuneCountInString(name) > 1 && (len(run) > 1 || !isEmpty(strings.ToLower(name))) {
		s.emit(Name, name)
	}
}

func textOf(s *scanner, run []word) string { return s.text[run[0].from:run[len(run)-1].to] }

// allCapitals reports whether a run has several words, all in capitals.
func (s *scanner) allCapitals(run []word) bool {
	for _, w := range run {
		if !isAcronym(s.text[w.from:w.to]) {
			return false
		}
	}
	return len(run) > 1
}

// withoutPossessive strips a possessive ending.
func withoutPossessive(name string) string {
	for _, end := range []string{"'s", "’s", "'", "’"} {
		if b, ok := strings.CutSuffix(name, end); ok {
			return b
		}
	}
	return name
}

// capitalised reports whether a word begins with a capital and has only characters of names.
func capitalised(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return (unicode.IsUpper(r) || unicode.IsTitle(r)) &&
		strings.IndexFunc(w, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) && r != '\'' && r != '’' && r != '-' && r != '.'
		}) < 0
}

// isAcronym reports whether a word is two or more capitals.
func isAcronym(w string) bool {
	n := 0
	for _, r := range w {
		if !unicode.IsUpper(r) {
			return false
		}
		n++
	}
	return n > 1
}

// isAbbreviated reports whether a full stop belongs to an abbreviation within a name, a
// title or an initial, and does not end the sentence.
func isAbbreviated(s *scanner, w, marks string) bool {
	if marks != "." || len(s.run) == 0 {
		return false
	}
	if words().titles[w] > 0 {
		s.run[len(s.run)-1].first = false
		return true
	}
	r, n := utf8.DecodeRuneInString(w)
	return n == len(w) && unicode.IsUpper(r) && w != "I"
}

// isParticle reports whether a lower-case word may be part of a name: of, van, de.
func isParticle(w string) bool { return words().particles[w] > 0 }

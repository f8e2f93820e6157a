package cue

import (
	"unicode"
	"unicode/utf8"
)

// longest is at least the length of every word that says something.
const longest = 12

// scanner goes through the words of a text: the runs of letters and digits.
type scanner struct {
	text string
	at   int
	// Of the word that was found: its length in characters, and how many of them
	// are digits, all at its beginning or elsewhere.
	size, digits, leading int
	// small holds the first of it, letters of ASCII in lower case; plain: it has
	// nothing but those and digits.
	small [longest]byte
	plain bool
	// capital: it begins with a capital; inside: no sentence begins with it.
	capital, inside bool
	// begun: what was read last is inside a sentence.
	begun bool
}

// next finds the next word.
func (s *scanner) next() bool {
	s.size, s.digits, s.leading, s.plain, s.capital = 0, 0, 0, true, false
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch low := c | 0x20; {
		case low >= 'a' && low <= 'z':
			s.begin(c != low)
			s.letter(low)
			s.at++
		case c >= '0' && c <= '9':
			s.begin(false)
			s.letter(c)
			s.digit()
			s.at++
		case c < utf8.RuneSelf:
			s.at++
			if c == '.' || c == '?' || c == '!' || c == ':' || c == '\n' {
				s.begun = false
			}
			if s.size > 0 {
				return true
			}
		default:
			if !s.far() && s.size > 0 {
				return true
			}
		}
	}
	return s.size > 0
}

// begin takes note of how a word begins, if this is its first character.
func (s *scanner) begin(capital bool) {
	if s.size == 0 {
		s.capital, s.inside, s.begun = capital, s.begun, true
	}
}

// letter takes a character of ASCII into the word.
func (s *scanner) letter(c byte) {
	if s.size < longest {
		s.small[s.size] = c
	}
	s.size++
}

// digit counts the last character as a digit.
func (s *scanner) digit() {
	s.digits++
	if s.digits == s.size {
		s.leading = s.digits
	}
}

// far takes a character outside of ASCII, and reports whether it belongs to a word.
func (s *scanner) far() bool {
	r, n := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += n
	digit := unicode.IsDigit(r)
	if !digit && !unicode.IsLetter(r) {
		return false
	}
	s.begin(unicode.IsUpper(r))
	s.plain = false
	s.size++
	if digit {
		s.digit()
	}
	return true
}

// folded returns the word in small letters; nil if no word of English that matters
// is as long, or written so.
func (s *scanner) folded() []byte {
	if !s.plain || s.size > longest {
		return nil
	}
	return s.small[:s.size]
}

// ordinal reports whether the word is digits and the ending of an ordinal number.
func (s *scanner) ordinal() bool {
	if s.leading == 0 || s.digits != s.leading || s.size != s.leading+2 || !s.plain || s.size > longest {
		return false
	}
	switch string(s.small[s.size-2 : s.size]) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

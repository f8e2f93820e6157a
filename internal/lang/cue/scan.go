package cue

import (
	"unicode"
	"unicode/utf8"
)

// longest is at least the length of every word with a cue.
const longest = 12

// scanner iterates over the words of a text: runs of letters and digits.
type scanner struct {
	text string
	at   int
	// Of the current word: its length in characters, the number of digits, and of
	// leading digits.
	size, digits, leading int
	// small is the beginning of the word in lower case; plain: the word has only ASCII
	// letters and digits.
	small [longest]byte
	plain bool
	// capital: the word begins with a capital; inside: it does not begin a sentence.
	capital, inside bool
	// begun: the position is inside a sentence.
	begun bool
}

// next advances to the next word, and reports whether there is one.
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

// begin records how a word begins, at its first character.
func (s *scanner) begin(capital bool) {
	if s.size == 0 {
		s.capital, s.inside, s.begun = capital, s.begun, true
	}
}

// letter adds an ASCII character to the word.
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

// far processes a character outside of ASCII, and reports whether it is part of a word.
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

// folded returns the word in lower case; nil if it is too long for a cue or not plain ASCII.
func (s *scanner) folded() []byte {
	if !s.plain || s.size > longest {
		return nil
	}
	return s.small[:s.size]
}

// ordinal reports whether the word is an ordinal number in digits: 21st.
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

package cue

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// longest is at least the length of every word with a cue.
const longest = 16

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
	// word is the position of the current word.
	word span
	// phrases are the roles of the phrases of scripts without spaces in the current word.
	phrases role
}

// span is a part of a text.
type span struct{ from, to int }

// next advances to the next word, and reports whether there is one.
func (s *scanner) next(t *tables) bool {
	s.size, s.digits, s.leading, s.plain, s.capital, s.phrases = 0, 0, 0, true, false, 0
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch low := c | 0x20; {
		case low >= 'a' && low <= 'z':
			s.begin(c != low)
			s.letters()
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
				s.word.to = s.at - 1
				return true
			}
		default:
			end := s.at
			if !s.far(t) && s.size > 0 {
				s.word.to = end
				return true
			}
		}
	}
	s.word.to = s.at
	return s.size > 0
}

// begin records how a word begins, at its first character.
func (s *scanner) begin(capital bool) {
	if s.size == 0 {
		s.capital, s.inside, s.begun, s.word.from = capital, s.begun, true, s.at
	}
}

// letters adds the ASCII letters that follow to the word.
func (s *scanner) letters() {
	at, size := s.at, s.size
	for ; at < len(s.text); at++ {
		low := s.text[at] | 0x20
		if low < 'a' || low > 'z' {
			break
		}
		if size < longest {
			s.small[size] = low
		}
		size++
	}
	s.at, s.size = at, size
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
func (s *scanner) far(t *tables) bool {
	r, n := utf8.DecodeRuneInString(s.text[s.at:])
	digit := unicode.IsDigit(r)
	if !digit && !unicode.IsLetter(r) {
		s.at += n
		if r == '\u3002' || r == '\uFF1F' || r == '\uFF01' {
			s.begun = false
		}
		return false
	}
	s.begin(unicode.IsUpper(r))
	if lexicon.Unspaced(r) {
		s.phrases |= t.roleAt(s.text[s.at:], r)
		if s.at > 0 && s.text[s.at-1]-'0' < 10 && strings.ContainsRune("\u5E74\u6708\u65E5\u53F7\u6642\u70B9", r) {
			s.phrases |= isTimeWord
		}
	}
	s.at += n
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
	const most = 10 // digits
	if s.leading == 0 || s.leading > most || s.digits != s.leading || s.size != s.leading+2 || !s.plain {
		return false
	}
	switch string(s.small[s.size-2 : s.size]) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

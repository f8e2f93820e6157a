package when

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// scanForeign splits a text into tokens for the table of a language: words without apostrophes
// and hyphens, single characters of scripts without spaces, numbers with the marks of dates and
// hours inside them, and punctuation. A token is a tail if the next one is not joined to it by a
// hyphen.
func scanForeign(text string) []token {
	var out []token
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		t := token{start: at, end: at + n, head: true, tail: true}
		switch {
		case unicode.IsSpace(r):
			at += n
			continue
		case lexicon.Unspaced(r) && unicode.In(r, unicode.L, unicode.M) || r == '\u3007':
			t.text = string(r)
		case digitOf(r) != 0:
			t.end = numberEnd(text, at)
			t.text = narrow(text[at:t.end])
		case letter(r):
			t.end = wordEnd(text, at)
			t.text = lower(text[at:t.end])
		case r == '\'' || r == '\u2019' || r == '-':
			if joins(text, at, n) {
				if last := len(out) - 1; r == '-' {
					out[last].tail = false
				}
				at += n
				continue
			}
			t.text = punctuation(text, r, at, n)
		default:
			t.text = punctuation(text, r, at, n)
			if t.text == dots && r == '.' {
				t.end++
			}
		}
		if last := len(out) - 1; last >= 0 && !out[last].tail {
			t.head = false
		}
		out = append(out, t)
		at = t.end
	}
	return out
}

// punctuation returns the token of a mark that is not part of a word.
func punctuation(text string, r rune, at, n int) string {
	alone := (at == 0 || text[at-1] == ' ') && (at+n == len(text) || text[at+n] == ' ')
	switch {
	case r == ',' || r == '\u3001' || r == '\uFF0C':
		return comma
	case strings.HasPrefix(text[at:], dots), r == '\u2013' || r == '\u2014' || r == '\u301C' || r == '\uFF5E':
		return dots
	case (r == '-' || r == '~') && (alone || at > 0 && at+n < len(text) && digitBefore(text, at) && isDigitAt(text, at+n)):
		return dots
	default:
		return stop
	}
}

func isDigitAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return digitOf(r) != 0
}

// digitBefore reports whether a number, or the name of a part of a date that follows it, ends
// before a position.
func digitBefore(text string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return digitOf(r) != 0 || lexicon.Unspaced(r)
}

// joins reports whether a mark is between two letters.
func joins(text string, at, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+n:])
	return letter(before) && letter(after)
}

// letter reports whether a character belongs to a word between spaces.
func letter(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && !lexicon.Unspaced(r)
}

// wordEnd returns the end of a word without apostrophes and hyphens.
func wordEnd(text string, at int) int {
	for i, r := range text[at:] {
		if !letter(r) && digitOf(r) == 0 {
			return at + i
		}
	}
	return len(text)
}

// numberEnd returns the end of a number: 3, 2026-03-01, 3.4.2026, 15:30, 15h30, 1er.
func numberEnd(text string, at int) int {
	for at < len(text) {
		r, n := utf8.DecodeRuneInString(text[at:])
		inside := strings.ContainsRune("-/.:+\uFF1A\uFF0F", r) && isDigitAt(text, at+n)
		if digitOf(r) == 0 && !letter(r) && r != '\u00BA' && r != '\u00AA' && r != '\u00B0' && !inside {
			break
		}
		at += n
	}
	return at
}

// digitOf returns the ASCII digit of a digit of normal or full width; 0 for another character.
func digitOf(r rune) byte {
	switch {
	case r >= '0' && r <= '9':
		return byte(r)
	case r >= '\uFF10' && r <= '\uFF19':
		return byte(r-'\uFF10') + '0'
	default:
		return 0
	}
}

// narrow writes a number in lower case and with digits and marks of normal width.
func narrow(number string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch d := digitOf(r); {
		case d != 0:
			return rune(d)
		case r == '\uFF1A':
			return ':'
		case r == '\uFF0F':
			return '/'
		default:
			return r
		}
	}, number))
}

// lower writes a word in lower case, with composed letters.
func lower(word string) string {
	word = strings.ToLower(word)
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return norm.NFC.String(word)
		}
	}
	return word
}

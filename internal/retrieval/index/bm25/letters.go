package bm25

import (
	"unicode"
	"unicode/utf8"
)

func isSpace(c byte) bool { return c <= ' ' || c == 0x7F }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// isJoiner reports whether c holds the parts of an identifier, path, host,
// address, date or version together.
func isJoiner(c byte) bool {
	switch c {
	case '_', '-', '.', '/', '\\', ':', '@':
		return true
	}
	return false
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isLatin reports whether b is lower-case ASCII letters only.
func isLatin(b []byte) bool {
	for _, c := range b {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// mixedCase reports whether an upper-case letter follows the first character of
// b, and there is also a lower-case one. It may say yes too often, never no.
func mixedCase(b []byte) bool {
	upper, lower := false, false
	for i, c := range b {
		switch {
		case c >= utf8.RuneSelf:
			return true
		case c >= 'A' && c <= 'Z':
			upper = upper || i > 0
		case c >= 'a':
			lower = true
		}
	}
	return upper && lower
}

// partBegins reports whether a part of a camel-case identifier begins at b[i]:
// at an upper-case letter after a lower-case one or a digit, or before a
// lower-case one (the S of HTTPServer).
func partBegins(b []byte, i int) bool {
	if !utf8.RuneStart(b[i]) {
		return false
	}
	r, n := utf8.DecodeRune(b[i:])
	if !unicode.IsUpper(r) {
		return false
	}
	before, _ := utf8.DecodeLastRune(b[:i])
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	after, _ := utf8.DecodeRune(b[i+n:])
	return unicode.IsUpper(before) && unicode.IsLower(after)
}

func appendLower(dst, b []byte) []byte {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			for _, r := range string(b[i:]) {
				dst = utf8.AppendRune(dst, unicode.ToLower(r))
			}
			return dst
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// closeUp removes the apostrophes from b, in place.
func closeUp(b []byte) []byte {
	out := b[:0]
	for _, c := range b {
		if c != '\'' {
			out = append(out, c)
		}
	}
	return out
}

// isRun reports whether r is of a script that is written without spaces, so that
// words cannot be distinguished without a dictionary.
func isRun(r rune) bool {
	return r >= 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

// isSyllable reports whether a character of a script without spaces stands for a syllable or a word, and
// not for a sound.
func isSyllable(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// isEmoji reports whether r is a pictograph, also one of the older symbols that
// are drawn as such, or a letter of a flag.
func isEmoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r >= 0x2B00 && r <= 0x2BFF || r == 0x20E3
}

func lastRune(b []byte) rune {
	r, _ := utf8.DecodeLastRune(b)
	return r
}

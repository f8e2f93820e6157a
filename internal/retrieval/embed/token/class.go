package token

// class is the role of a character in splitting a text into words.
type class uint8

const (
	letter      class = iota // part of a word
	space                    // separates words
	punctuation              // a word of its own
	dropped                  // ignored
)

// classOf returns the class of an ASCII character. Symbols count as punctuation.
func classOf(c byte) class {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return letter
	case c == ' ', c == '\t', c == '\n', c == '\r':
		return space
	case c < ' ', c == 0x7F:
		return dropped
	default:
		return punctuation
	}
}

// isChinese reports whether a character is a CJK ideograph, which is a word of its own;
// kana and hangul are not. The last extension begins where the reference has it, 256
// characters late.
func isChinese(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF:
		return true
	default:
		return r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F ||
			r >= 0x2B920 && r <= 0x2CEAF || r >= 0x2F800 && r <= 0x2FA1F
	}
}

package sharedstore

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// The hashes by which the programs know a text. Those in Rust take the bytes as they are, the one in
// Python the text without surrounding space, in lower case.

func rawHash(content string) string { return sum(content) }

func plainHash(content string) string { return sum(lower(strings.TrimFunc(content, isSpace))) }

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// isSpace is str.isspace of Python, which has four separators that [unicode.IsSpace] does not.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// lower is str.lower of Python: the full mapping of Unicode, where [strings.ToLower] has the simple one.
// They differ in two characters.
func lower(s string) string {
	if !strings.ContainsAny(s, "\u0130\u03a3") {
		return strings.ToLower(s)
	}
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		switch r {
		case 0x130: // capital I with a dot
			b.WriteString("i\u0307")
		case 0x3a3: // capital sigma
			if isFinal(runes, i) {
				b.WriteRune(0x3c2)
			} else {
				b.WriteRune(0x3c3)
			}
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// isFinal reports whether a letter comes before, but none after the rune at i, characters that are
// ignored in between left out. Source: the Unicode Standard, table 3-17, Final_Sigma.
func isFinal(runes []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && isIgnored(runes[before]) {
		before--
	}
	for after < len(runes) && isIgnored(runes[after]) {
		after++
	}
	return before >= 0 && isCased(runes[before]) && (after == len(runes) || !isCased(runes[after]))
}

func isCased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) || unicode.Is(unicode.Other_Lowercase, r) || unicode.Is(unicode.Other_Uppercase, r)
}

func isIgnored(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:\u00b7\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}

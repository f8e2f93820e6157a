package bm25

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text without diacritics, in compatibility forms, and with plain apostrophes, as terms are made of. Case stays.
func Fold(text string) string {
	folded, _ := fold(nil, nil, text)
	return string(folded)
}

// fold appends s to dst in the form that terms are made of: compatibility forms
// replaced (NFKC), diacritics dropped, typographic apostrophes made plain. Case
// stays, it shows where the parts of an identifier begin. tmp is scratch space;
// both are returned for reuse.
func fold(dst, tmp []byte, s string) (folded, scratch []byte) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, " ")
	}
	tmp = norm.NFKD.AppendString(tmp[:0], s)
	n, composed := 0, false
	dst = dst[:0]
	for i := 0; i < len(tmp); i += n {
		var r rune
		r, n = utf8.DecodeRune(tmp[i:])
		if r < utf8.RuneSelf {
			dst = append(dst, byte(r))
			continue
		}
		if r == breve && endsInI(dst) {
			composed = true // short i is a letter of its own
		} else if dropped(r) {
			continue
		}
		if to := foldedTo(r); to != "" {
			dst = append(dst, to...)
			continue
		}
		// Hangul, kana and most Indic letters must be put together again.
		composed = composed || unicode.In(r, unicode.Hangul, unicode.M)
		dst = append(dst, tmp[i:i+n]...)
	}
	if composed {
		tmp = norm.NFC.Append(tmp[:0], dst...)
		return tmp, dst
	}
	return dst, tmp
}

// breve is the combining mark that makes a short i of the Cyrillic i.
const breve = '\u0306'

func endsInI(b []byte) bool {
	r := lastRune(b)
	return r == 'и' || r == 'И'
}

// dropped reports whether r only decorates: accents of Latin, Greek and Cyrillic,
// points of Hebrew, vowel signs of Arabic, and what is not visible. Marks that
// are letters of their script (Indic vowels, kana voicing) stay.
func dropped(r rune) bool {
	switch {
	case r < 0x300:
		return r == 0xAD // soft hyphen
	case r <= 0x36F:
		return true
	case r >= 0x591 && r <= 0x5C7, r >= 0x64B && r <= 0x65F, r == 0x670, r == 0x640:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2069:
		return true // zero-width characters and marks of direction
	case r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF:
		return true // variation selectors, byte order mark
	}
	return false
}

// foldedTo returns what stands for r, where Unicode defines no decomposition;
// empty: r itself.
func foldedTo(r rune) string {
	switch r {
	case '\u2018', '\u2019', '\u02BC', '\u2032':
		return "'"
	case 'ß':
		return "ss"
	case 'ẞ':
		return "SS"
	case 'æ':
		return "ae"
	case 'Æ':
		return "AE"
	case 'œ':
		return "oe"
	case 'Œ':
		return "OE"
	case 'ø':
		return "o"
	case 'Ø':
		return "O"
	case 'đ', 'ð':
		return "d"
	case 'Đ', 'Ð':
		return "D"
	case 'ł':
		return "l"
	case 'Ł':
		return "L"
	case 'þ':
		return "th"
	case 'Þ':
		return "TH"
	case 'ı':
		return "i"
	case 'ς':
		return "σ"
	}
	return ""
}

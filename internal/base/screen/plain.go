package screen

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainText is a text without what only hides words in it: format characters and the escapes of
// Markdown within tokens are left out, and full-width, mathematical and tag characters are the ASCII
// characters that they look like.
type plainText struct {
	text  string
	moved []move // ascending; nil: nothing was changed
}

// move says that the text from offset to on was at offset from of the original.
type move struct{ to, from int }

// plain returns the plain form of a text.
func plain(text string) plainText {
	p := plainText{text: text}
	if isASCII(text) && !strings.Contains(text, `\_`) {
		return p
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if to, ok := visible(r); ok || strings.HasPrefix(text[i:], `\_`) {
			if b.Len() == 0 && done == 0 {
				b.Grow(len(text))
			}
			b.WriteString(text[done:i])
			if to > 0 {
				p.moved = append(p.moved, move{b.Len(), i})
				b.WriteByte(to)
			}
			done = i + size
			p.moved = append(p.moved, move{b.Len(), done})
		}
		i += size
	}
	if done > 0 {
		b.WriteString(text[done:])
		p.text = b.String()
	}
	return p
}

// origin returns the offset in the original text of an offset in the plain one.
func (p *plainText) origin(at int) int {
	i := sort.Search(len(p.moved), func(i int) bool { return p.moved[i].to > at })
	if i == 0 {
		return at
	}
	return p.moved[i-1].from + at - p.moved[i-1].to
}

// span returns the range in the original text of a range in the plain one that is not empty.
func (p *plainText) span(start, end int) (from, to int) {
	if p.moved == nil {
		return start, end
	}
	return p.origin(start), p.origin(end-1) + 1
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// visible returns the ASCII character that stands for r; 0: none is seen. It is false for a
// character that stays as it is.
func visible(r rune) (to byte, ok bool) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	switch {
	case r < 0xad:
		return 0, false
	case r >= 0xff01 && r <= 0xff5e: // full-width forms
		return byte(r - 0xff01 + '!'), true
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical letters, in alphabets of 52
		return letters[(r-0x1d400)%52], true
	case r >= 0x1d7ce && r <= 0x1d7ff: // and digits
		return byte('0' + (r-0x1d7ce)%10), true
	case r >= 0xe0020 && r <= 0xe007e: // tags
		return byte(r - 0xe0000), true
	}
	return 0, unicode.In(r, unicode.Cf, unicode.Variation_Selector)
}

// Package termtext makes text of unknown origin safe to show on a terminal and to a
// model: what is shown can neither control the terminal, nor hide or reorder a part of
// itself, nor look like a line that the program printed.
//
// Escaped are control characters (C0, C1 and DEL, so every terminal sequence), bidi
// controls and the other format characters (U+202A to U+202E, U+2066 to U+2069, zero-width
// spaces, tags, byte order marks), code points that are drawn as nothing (default
// ignorables, variation selectors), the separators U+2028 and U+2029, and bytes that are
// not UTF-8. Kept are the joiners U+200C and U+200D and the presentation selectors U+FE0E
// and U+FE0F, without which some scripts and emoji cannot be written. Escapes have the
// form of Go: \x1b, \u202e, \U000e0041. A backslash of the text itself is not escaped, so
// that the result is for reading and not for parsing back.
package termtext

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// Break is what [Line] shows for a line break.
	Break = "⏎"
	// Continuation begins every line of a [Block] but the first.
	Continuation = "│ "
)

// Line returns s as a single line: a line break is " ⏎ ", a tab a space.
func Line(s string) string { return clean(s, " "+Break+" ", " ") }

// Block returns s with its line breaks and tabs. Every line but the first begins with
// indent and the mark [Continuation], so that none can be taken for a line of the program.
func Block(s, indent string) string { return clean(s, "\n"+indent+Continuation, "\t") }

// Text returns s with its line breaks and tabs, for a file whose lines are marked otherwise.
func Text(s string) string { return clean(s, "\n", "\t") }

// clean replaces line breaks ("\n" and "\r\n") and tabs, and escapes what is not shown.
func clean(s, lineBreak, tab string) string {
	if !strings.ContainsFunc(s, Special) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n':
			b.WriteString(lineBreak)
		case r == '\t':
			b.WriteString(tab)
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !Special(r):
			b.WriteRune(r)
		case r <= unicode.MaxLatin1:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

// Special reports whether a character hides, reorders or controls text, so that it must not be shown as it is. Line
// breaks and tabs are also special.
func Special(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return false
	case r == '\u200c' || r == '\u200d' || r == '\ufe0e' || r == '\ufe0f':
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters that are drawn
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// JSON returns a writer that passes JSON on to w. What [Line] would escape is written as
// the escape \uXXXX of JSON, which does not change the value. It is for one goroutine.
func JSON(w io.Writer) io.Writer { return &jsonWriter{to: w} }

// jsonWriter keeps the beginning of a character whose other bytes are yet to come.
type jsonWriter struct {
	to   io.Writer
	rest []byte
}

func (w *jsonWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	out := make([]byte, 0, len(text))
	i := 0
	for i < len(text) && utf8.FullRune(text[i:]) {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, `\ufffd`...)
		case r == '\n' || r == '\t' || r == '\r' || !Special(r):
			out = append(out, text[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	w.rest = append([]byte(nil), text[i:]...)
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

package termtext

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width returns how many columns of a terminal a text on one line takes: 2 for wide characters of
// East Asia, 0 for marks that combine with the character before them.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// Clip shortens a text on one line to at most n columns; one that was cut ends with an ellipsis.
func Clip(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used += runeWidth(r); used > n-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// Wrap breaks the lines of a text between words, so that each takes at most n columns. A longer
// word is kept whole, unless it has wide characters, between which it may be broken. White space
// at the beginning of a line stays, and all of it in a line that fits.
func Wrap(s string, n int) []string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, wrapLine(line, n)...)
	}
	return out
}

func wrapLine(line string, n int) (out []string) {
	if Width(line) <= n {
		return []string{line}
	}
	body := strings.TrimLeft(line, " ")
	current, used := line[:len(line)-len(body)], len(line)-len(body)
	gap := ""
	for word := range strings.FieldsSeq(body) {
		if gap != "" && used+1+Width(word) > n {
			out, current, used, gap = append(out, current), "", 0, ""
		}
		current, used = current+gap+word, used+len(gap)+Width(word)
		for used > n {
			head, tail := breakWide(current, n)
			if tail == "" {
				break
			}
			out, current, used = append(out, head), tail, Width(tail)
		}
		gap = " "
	}
	return append(out, current)
}

// breakWide breaks a text before the wide character that goes beyond column n; tail is empty if it is
// none.
func breakWide(s string, n int) (head, tail string) {
	used := 0
	for i, r := range s {
		w := runeWidth(r)
		if used += w; used > n {
			if w < 2 || i == 0 {
				return s, ""
			}
			return s[:i], s[i:]
		}
	}
	return s, ""
}

package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clip returns s on one line of at most n characters (n > 0): each run of white space is
// one space, and a text that was cut ends with an ellipsis. It escapes nothing. Cost:
// O(len(s)).
func Clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Counted returns a number with a noun, which has an s unless the number is 1.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "ry"); ok {
		return fmt.Sprintf("%d %sries", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

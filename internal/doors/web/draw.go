package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// bar draws a share of 0 to 1. The number stands beside it, so it is hidden from screen readers.
func bar(x float64) markup {
	return markup(fmt.Sprintf(`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">`+
		`<rect class="track" width="100" height="6"/><rect class="fill" width="%.1f" height="6"/></svg>`, 100*share(x)))
}

// delta draws a contribution, negative ones to the left, as a share of the largest.
func delta(x, largest float64) markup {
	width := 50 * share(math.Abs(x)/max(largest, 1e-9))
	from, class := 50.0, "fill"
	if x < 0 {
		from, class = 50-width, "fill less"
	}
	return markup(fmt.Sprintf(`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">`+
		`<rect class="track" width="100" height="6"/><rect class="%s" x="%.1f" width="%.1f" height="6"/></svg>`, class, from, width))
}

// share bounds a number to 0 to 1; NaN is 0.
func share(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// number formats a number with two decimals, small ones with three.
func number(x float64) string {
	if x != 0 && math.Abs(x) < .1 {
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// count formats a number with separators and a noun: "1,234 memories".
func count(n int, one, many string) string {
	noun := many
	if n == 1 {
		noun = one
	}
	return grouped(n) + " " + noun
}

func grouped(n int) string {
	s := strconv.Itoa(n)
	var parts []string
	for len(s) > 3 {
		parts = append([]string{s[len(s)-3:]}, parts...)
		s = s[:len(s)-3]
	}
	return strings.Join(append([]string{s}, parts...), ",")
}

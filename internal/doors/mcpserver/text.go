package mcpserver

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// oneLine returns a text of a memory as a part of the line of its hit.
func oneLine(s string) string { return forgedEnd().ReplaceAllString(forModel(s), "¦$1") }

// forModel returns a text of a memory on one line, with its tags disarmed.
func forModel(s string) string { return termtext.Disarm(termtext.Line(s)) }

// forgedEnd matches a bar in a text that would look like the end of a hit, which has its date.
var forgedEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\|(\s*(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} \d))`) }) //nolint:gochecknoglobals // compiled when it is first used

// decimal returns a number in [0, 1] with two decimals and without the zero before the point,
// which is a token.
func decimal(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0") }

// grouped returns a whole number with commas: 4,100.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// insights returns a count with its noun.
func insights(n int) string {
	if n == 1 {
		return "1 insight"
	}
	return fmt.Sprintf("%d insights", n)
}

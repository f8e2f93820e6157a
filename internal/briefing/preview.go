package briefing

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/termtext"
)

// previewLength is the number of characters of a preview.
const previewLength = 160

// preview returns a text on one line of at most n characters. A longer one is cut at the end of a
// word, if there is one in its second half, and ends with an ellipsis.
// What could end or begin a frame is disarmed.
func preview(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > n {
		text = string([]rune(text)[:n-1])
		if space := strings.LastIndexByte(text, ' '); space > len(text)/2 {
			text = text[:space]
		}
		text = strings.TrimRight(text, " ,;:.-") + "…"
	}
	return strings.NewReplacer("</", "‹/", "<hippo", "‹hippo").Replace(termtext.Line(text))
}

// age is the time since t in one unit: minutes, hours, days, months of 30 days or years.
func age(t, now time.Time) string {
	d := now.Sub(t)
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d < 60*day:
		return fmt.Sprintf("%d d", d/day)
	case d < 730*day:
		return fmt.Sprintf("%d mo", d/(30*day))
	default:
		return fmt.Sprintf("%d y", d/(365*day))
	}
}

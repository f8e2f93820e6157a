package briefing

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/retrieval/preview"
)

// previewLength is the number of characters of a preview.
const previewLength = 160

// maxRead is how much of a content is looked at, in bytes: a preview shows less, and memories may be large.
const maxRead = 4 << 10

// beginning returns what is looked at of a content.
func beginning(text string) string {
	if len(text) <= maxRead {
		return text
	}
	return strings.ToValidUTF8(text[:maxRead], "")
}

// preview formats a memory on one line. A long memory is cut to the sentences of its excerpt, or to its beginning if it has none.
func (f *filler) preview(m *hippo.Memory) string {
	for i := range f.in.Candidates {
		c := &f.in.Candidates[i]
		if c.Memory != m || len(c.Excerpt) == 0 {
			continue
		}
		p := preview.Of(m.Content, c.Excerpt, previewLength)
		text := strings.Join(strings.Fields(p.Text), " ")
		if !p.Ends {
			text = ended(text)
		}
		return disarmed(text)
	}
	return lineOf(m.Content, previewLength)
}

// lineOf returns a text on one line of at most n characters. A longer one is cut at the end of a
// word, if there is one in its second half, and ends with an ellipsis.
func lineOf(text string, n int) string {
	text = strings.Join(strings.Fields(beginning(text)), " ")
	if utf8.RuneCountInString(text) > n {
		text = string([]rune(text)[:n-1])
		if space := strings.LastIndexByte(text, ' '); space > len(text)/2 {
			text = text[:space]
		}
		text = ended(text)
	}
	return disarmed(text)
}

// ended returns a text with an ellipsis in the place of the signs at its end.
func ended(text string) string { return strings.TrimRight(text, " ,;:.-") + "…" }

// disarmed returns a text that can neither begin or end a frame, nor act on a terminal.
func disarmed(text string) string { return termtext.Disarm(termtext.Line(text)) }

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

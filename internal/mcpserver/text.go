package mcpserver

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/termtext"
	"github.com/hippo-memory/hippo/internal/wire"
)

// textOf formats an answer for a model: a line a hit, and what to do next. data is the answer as JSON,
// ids are the short forms of its IDs.
func textOf(a *hippo.Answer, v *wire.View, data *wire.Answer, ids hippo.ShortIDs) string {
	var b strings.Builder
	switch {
	case a.Weak != "":
		fmt.Fprintf(&b, "Weak: these may not answer it (%s). detail full shows all whole.", a.Weak)
	case a.Total == 0 && a.Distribution.Sum() > 0:
		fmt.Fprintf(&b, "No insight in this relevance range; %d match outside of it.", a.Distribution.Sum())
	case a.Total == 0:
		b.WriteString("No insight found. Try fewer or other words, or no filter.")
	default:
		fmt.Fprintf(&b, "%d of %s", len(a.Hits), insights(a.Total))
		if a.Confidence > 0 {
			fmt.Fprintf(&b, ", confidence %.2f", a.Confidence)
		}
	}
	for i := range a.Hits {
		writeHit(&b, v.Offset+i+1, &a.Hits[i], v.Content(a, i), data.Results[i].Flags != nil, ids)
	}
	if end := v.Offset + len(a.Hits); len(a.Hits) > 0 && end < a.Total {
		fmt.Fprintf(&b, "\nmore with limit.offset %d", end)
	}
	for _, c := range a.Conflicts {
		fmt.Fprintf(&b, "\nconflict: %s, %s: %s", ids.Of(c.A), ids.Of(c.B), termtext.Line(c.Reason))
	}
	for _, d := range a.Degraded {
		fmt.Fprintf(&b, "\ndegraded: %s", termtext.Line(d))
	}
	return b.String()
}

// writeHit writes one hit: rank, relevance, content, situations, age, id.
func writeHit(b *strings.Builder, n int, h *hippo.Hit, content string, instructs bool, ids hippo.ShortIDs) {
	m := h.Memory
	fmt.Fprintf(b, "\n%d. [%.2f] ", n, h.Relevance)
	if instructs {
		b.WriteString("(" + wire.InstructionsNote + ") ")
	}
	b.WriteString(oneLine(content))
	if len(m.Situation) > 0 {
		fmt.Fprintf(b, " (%s)", oneLine(strings.Join(m.Situation, "; ")))
	}
	if len(m.Tags) > 0 {
		fmt.Fprintf(b, " #%s", oneLine(strings.Join(m.Tags, " #")))
	}
	if note := wire.PassageNote(h); note != "" {
		b.WriteString(" (" + note + ")")
	}
	fmt.Fprintf(b, " | %s %s", m.When().Format(time.DateOnly), ids.Of(m.ID))
	if !m.SupersededBy.IsZero() {
		fmt.Fprintf(b, " superseded by %s", ids.Of(m.SupersededBy))
	}
	if h.Explanation != nil {
		b.WriteString("\n   " + why(h))
	}
}

// oneLine returns a text of a memory as a part of the line of its hit.
func oneLine(s string) string { return forgedEnd.ReplaceAllString(termtext.Line(s), "¦$1") }

// forgedEnd matches a bar in a text that would look like the end of a hit, which has its date and its id.
var forgedEnd = regexp.MustCompile(`\|(\s*\d{4}-\d\d-\d\d)`)

// insights returns a count with its noun.
func insights(n int) string {
	if n == 1 {
		return "1 insight"
	}
	return fmt.Sprintf("%d insights", n)
}

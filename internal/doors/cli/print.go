package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// printJSON prints a value, indented.
func (s *shell) printJSON(v any) error { return writeJSON(s.out, v) }

// writeJSON writes a value, indented.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(termtext.JSON(w))
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func memoriesJSON(ms []*hippo.Memory, now time.Time) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(ms))
	for i, m := range ms {
		var err error
		if out[i], err = wire.Stored(m, now); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// printMemories prints memories as JSON or lines.
func printMemories(s *shell, ms []*hippo.Memory) error {
	s.count = len(ms)
	if s.json {
		list, err := memoriesJSON(ms, s.now())
		if err != nil {
			return err
		}
		return s.printJSON(list)
	}
	ids := shortIDs(s, hippo.IDsOf(ms...)...)
	for _, m := range ms {
		fmt.Fprintln(s.out, line(s, m, ids))
	}
	return nil
}

// printTable prints memories as a table, with their decayed importance on an active day.
func printTable(s *shell, ms []*hippo.Memory, today hippo.Day) {
	s.count = len(ms)
	ids := shortIDs(s, hippo.IDsOf(ms...)...)
	idWidth := 0
	for _, m := range ms {
		idWidth = max(idWidth, len(ids.Of(m.ID)))
	}
	row := fmt.Sprintf("%%-%ds  %%-%ds  %%-4s  ", idWidth, len(time.DateOnly))
	head := fmt.Sprintf(row, "ID", "CREATED", "IMP.")
	rest := width(s) - len(head)
	fmt.Fprintln(s.out, bold(s, head+"CONTENT"))
	for _, m := range ms {
		fmt.Fprintf(s.out, row, ids.Of(m.ID), day(m.CreatedAt), fmt.Sprintf("%.2f", client.ImportanceOn(m, today)))
		content := termtext.Clip(wire.Marked(preview(m.Content, previewLength), m, s.now(), ids), rest)
		const gap = 2
		situation := preview(strings.Join(m.Situation, "; "), previewLength)
		if room := rest - gap - termtext.Width(content); situation != "" && room >= minSituation {
			content += strings.Repeat(" ", gap) + dim(s, termtext.Clip(situation, room))
		}
		fmt.Fprintln(s.out, content)
	}
}

// minSituation is the least number of columns in which a table shows a situation behind a content.
const minSituation = 10

// table aligns tab-separated cells.
func (s *shell) table(fill func(io.Writer)) error {
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fill(w)
	return w.Flush()
}

// previewLength is how many characters of the content a line shows.
const previewLength = 200

// line is a memory in the form id|created|type|tags|preview. The preview begins with the state of one that does not hold.
func line(s *shell, m *hippo.Memory, ids hippo.ShortIDs) string { return noted(s, m, ids, "") }

// noted is [line] with a note before the preview, unless it is empty.
func noted(s *shell, m *hippo.Memory, ids hippo.ShortIDs, note string) string {
	text := wire.Marked(preview(m.Content, previewLength), m, s.now(), ids)
	if note != "" {
		text = "(" + field(note) + ") " + text
	}
	return strings.Join([]string{
		ids.Of(m.ID), m.CreatedAt.In(zone()).Format(time.RFC3339), field(m.Type), field(strings.Join(m.Tags, ",")), text,
	}, "|")
}

// hitLine is [line] of a hit, whose preview begins with the fact that its text contradicts.
func hitLine(s *shell, h *hippo.Hit, ids hippo.ShortIDs) string {
	return noted(s, h.Memory, ids, query.ContradictionNote(h.ContradictedBy, s.now().In(zone())))
}

// factLines prints facts behind the lines of an answer, in the same form: they have no ID, and the time from which they hold.
func factLines(s *shell, facts []hippo.Fact) {
	for i := range facts {
		since := ""
		if from := facts[i].ValidFrom; !from.IsZero() {
			since = from.In(zone()).Format(time.RFC3339)
		}
		fmt.Fprintf(s.out, "|%s|fact||%s\n", since, strings.TrimPrefix(knowledge.FactText(&facts[i], s.now()), "fact: "))
	}
}

// printAnsweredFacts prints the facts of an answer, a line each.
func printAnsweredFacts(s *shell, facts []hippo.Fact) {
	for i := range facts {
		fmt.Fprintln(s.out, knowledge.FactText(&facts[i], s.now()))
	}
}

// field replaces the separator in a value.
func field(s string) string { return termtext.Line(strings.ReplaceAll(s, "|", "/")) }

// preview puts a text on one line of at most n characters, escapes aside.
func preview(s string, n int) string { return termtext.Line(wire.Clip(s, n)) }

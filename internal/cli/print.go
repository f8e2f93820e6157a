package cli

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/formats"
	"github.com/hippo-memory/hippo/internal/termtext"
	"github.com/hippo-memory/hippo/internal/wire"
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

// memoryJSON is a memory in the one JSON shape that files and exports use.
func memoryJSON(m *hippo.Memory) (json.RawMessage, error) { return formats.EncodeInsight(m) }

func memoriesJSON(ms []*hippo.Memory) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(ms))
	for i, m := range ms {
		var err error
		if out[i], err = memoryJSON(m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// printMemories prints memories as JSON or lines.
func printMemories(s *shell, ms []*hippo.Memory) error {
	if s.json {
		list, err := memoriesJSON(ms)
		if err != nil {
			return err
		}
		return s.printJSON(list)
	}
	for _, m := range ms {
		fmt.Fprintln(s.out, line(m))
	}
	return nil
}

// printTable prints memories as a table, with their decayed importance on an active day.
func printTable(s *shell, ms []*hippo.Memory, day hippo.Day) error {
	l := layoutFor(s.columns())
	return s.table(func(w io.Writer) {
		fmt.Fprintln(w, "ID\tCREATED\tIMPORTANCE\tCONTENT\tSITUATION")
		for _, m := range ms {
			fmt.Fprintf(w, "%s\t%s\t%.2f\t%s\t%s\n", m.ID.String()[:l.id], m.CreatedAt.Format(time.DateOnly), client.ImportanceOn(m, day),
				preview(m.Content, l.content), preview(strings.Join(m.Situation, "; "), l.situation))
		}
	})
}

// layout is the column widths of a table of memories, in characters.
type layout struct {
	id, content, situation int
}

// layoutFor fits a table into a terminal of that many columns; 0 is no terminal.
// A narrow one gets prefixes of the IDs, which all commands accept.
func layoutFor(columns int) layout {
	const wholeID, shortID = 36, 18
	if columns == 0 {
		return layout{id: wholeID, content: 60, situation: 40}
	}
	const others = 4*2 + len(time.DateOnly) + len("IMPORTANCE") // gaps and fixed columns
	l, rest := layout{id: wholeID}, columns-others-wholeID
	if rest < 2*wholeID {
		l.id, rest = shortID, columns-others-shortID
	}
	l.situation = max(rest*2/5, len("SITUATION"))
	l.content = max(rest-l.situation, 2*len("CONTENT"))
	return l
}

// columns returns the width of the terminal; 0 if out is not a terminal.
func (s *shell) columns() int {
	f, ok := s.out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// table aligns tab-separated cells.
func (s *shell) table(fill func(io.Writer)) error {
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fill(w)
	return w.Flush()
}

// previewLength is how many characters of the content a line shows.
const previewLength = 200

// line is a memory in the form hash8|created|type|tags|preview.
func line(m *hippo.Memory) string {
	return strings.Join([]string{
		hex.EncodeToString(m.ContentHash[:4]), m.CreatedAt.Format(time.RFC3339), field(m.Type),
		field(strings.Join(m.Tags, ",")), preview(m.Content, previewLength),
	}, "|")
}

// field replaces the separator in a value.
func field(s string) string { return termtext.Line(strings.ReplaceAll(s, "|", "/")) }

// preview puts a text on one line of at most n characters, escapes aside.
func preview(s string, n int) string { return termtext.Line(wire.Clip(s, n)) }

package web

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/importer"
)

// export writes the selected memories, or all that pass the filter, as a file.
func export(v *visit) error {
	q := v.r.URL.Query()
	ms, err := chosen(v, q)
	if err != nil {
		return err
	}
	w := v.w
	begin := func(kind, name string) {
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	}
	switch format := q.Get("format"); format {
	case "", "jsonl":
		x, err := importer.NewExport(v.r.Context(), v.memories)
		if err != nil {
			return err
		}
		x.Memories = func(yield func(*hippo.Memory, error) bool) {
			for _, m := range ms {
				if !yield(m, nil) {
					return
				}
			}
		}
		begin("application/jsonl", "memories.jsonl")
		_, err = x.Write(w, func() {})
		return err
	case "md":
		begin("text/markdown", "memories.md")
		return writeMarkdown(w, v, ms)
	case "csv":
		begin("text/csv", "memories.csv")
		return writeCSV(w, v, ms)
	default:
		return hippo.OneOf("format", format, "jsonl", "md", "csv")
	}
}

// writeMarkdown writes a section for each memory.
func writeMarkdown(w http.ResponseWriter, v *visit, ms []*hippo.Memory) error {
	out := bufio.NewWriter(w)
	for _, m := range ms {
		fmt.Fprintf(out, "## %s, %s\n\n%s\n\n", m.ID.Short(), v.moment(m.CreatedAt).Text, m.Content)
		for _, f := range known([]fact{
			{"Situation", strings.Join(m.Situation, "; ")}, {"Type", m.Type}, {"Tags", strings.Join(m.Tags, ", ")}, {"Project", m.Project}, {"ID", m.ID.String()},
		}) {
			fmt.Fprintf(out, "* %s: %s\n", f.Name, termtext.Line(f.Text))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// writeCSV writes a row for each memory. Cells that a spreadsheet would take for formulas begin with an apostrophe.
func writeCSV(w http.ResponseWriter, v *visit, ms []*hippo.Memory) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"id", "content", "situation", "tags", "type", "project", "importance", "created_at", "source"}}
	for _, m := range ms {
		rows = append(rows, []string{
			m.ID.String(), m.Content, strings.Join(m.Situation, "; "), strings.Join(m.Tags, ", "), m.Type, m.Project, number(m.Importance.Value), v.moment(m.CreatedAt).ISO,
			string(m.Source.Kind),
		})
	}
	for _, row := range rows {
		for i, cell := range row {
			if strings.IndexAny(cell, "=+-@\t\r") == 0 {
				row[i] = "'" + cell
			}
		}
	}
	return out.WriteAll(rows)
}

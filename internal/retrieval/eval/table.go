package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TableOptions says what a table shows; nil is useful.
type TableOptions struct {
	// NoLatency leaves out latencies, the only columns that differ from run to run.
	NoLatency bool
	// Categories adds a row for each category; excluded ones are in brackets.
	Categories bool
	// Confidence adds a table of the confidence of the systems that have one.
	Confidence bool
}

// WriteTable writes a report as aligned text, a line for each row: measures in [0, 1] and
// latencies in milliseconds; then what was rejected.
func WriteTable(w io.Writer, r Report, o *TableOptions) error {
	if o == nil {
		o = &TableOptions{}
	}
	rows := [][]string{header(o)}
	for _, s := range r.Sets {
		for _, row := range s.Rows {
			rows = append(rows, cells(s.Name, row, o))
			if !o.Categories {
				continue
			}
			for _, c := range row.Categories {
				name := "  " + c.Name
				if c.Excluded {
					name = "  (" + c.Name + ")"
				}
				rows = append(rows, append([]string{"", name, ""}, cellsOf(c.Score)...))
			}
		}
	}
	b := bufio.NewWriter(w)
	align(b, rows, leftColumns)
	if o.Confidence {
		writeConfidence(b, r, o)
	}
	for _, s := range r.Sets {
		if n := len(s.Rejected); n > 0 {
			fmt.Fprintf(b, "\n%s: %d of %d documents were rejected: %s\n", s.Name, n, n+s.Documents, s.Rejected[0])
		}
	}
	return b.Flush()
}

// WriteJSON writes a report as indented JSON.
func WriteJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// leftColumns is how many columns of the table of measures are names; the others are numbers.
const leftColumns = 3

func header(o *TableOptions) []string {
	h := []string{"set", "system", "setting", "n", "R@1", "R@5", "R@10", "hit@1", "MRR@10", "nDCG@10"}
	if !o.NoLatency {
		h = append(h, "p50 ms", "p95 ms", "p99 ms")
	}
	return h
}

func cells(set string, row Row, o *TableOptions) []string {
	c := append([]string{set, row.System, string(row.Setting)}, cellsOf(row.Score)...)
	if !o.NoLatency {
		for _, ms := range []float64{row.Latency.P50, row.Latency.P95, row.Latency.P99} {
			c = append(c, strconv.FormatFloat(ms, 'f', 3, 64))
		}
	}
	return c
}

// cellsOf returns the number of questions and the measures.
func cellsOf(s Score) []string {
	c := []string{strconv.Itoa(s.Questions)}
	for _, v := range s.Measures() {
		c = append(c, Decimal(*v))
	}
	return c
}

// Decimal writes a measure with three decimals and no 0 before the point.
func Decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', 3, 64)
	if strings.Trim(text, "-0.") == "" {
		return ".000"
	}
	if sign, rest, ok := strings.Cut(text, "0."); ok && strings.Trim(sign, "-") == "" {
		return sign + "." + rest
	}
	return text
}

// align writes rows with columns of equal width: the first left ones are names and aligned to
// the left, numbers to the right.
func align(b *bufio.Writer, rows [][]string, left int) {
	width := make([]int, len(slices.MaxFunc(rows, func(x, y []string) int { return len(x) - len(y) })))
	for _, row := range rows {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if i < left {
				line.WriteString(c + pad + "  ")
			} else {
				line.WriteString(pad + c + "  ")
			}
		}
		_, _ = b.WriteString(strings.TrimRight(line.String(), " ") + "\n") // Flush returns the error
	}
}

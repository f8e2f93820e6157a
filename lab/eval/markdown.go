package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// The lines of a document between which [splice] puts figures.
const (
	figuresBegin = "<!-- figures: written by make benchmarks -->"
	figuresEnd   = "<!-- /figures -->"
)

// writeMarkdown writes a report as tables in Markdown: first recall@10 and hit@1 of
// every system on every set; the confidence; a table for each group of brief sets, by category;
// then for each other set all measures with their 95 %
// intervals and the lead over the [eval.Baseline], and what each harder setting loses.
// Latencies are left out, so equal data and code write equal bytes.
func writeMarkdown(b *bytes.Buffer, r *report) {
	var full []setReport
	for _, s := range r.Sets {
		if s.Group == "" {
			full = append(full, s)
		}
	}
	if len(full) > 0 {
		writeOverview(b, full)
	}
	writeConfidence(b, r)
	writeBrief(b, r.Sets)
	for i := range full {
		s := &full[i]
		fmt.Fprintf(b, "\n### %s\n\n%d documents, %d questions", s.Name, s.Documents, s.Questions)
		if n := scoredCount(s); n != s.Questions {
			fmt.Fprintf(b, ", %d of them counted", n)
		}
		if n := len(s.Rejected); n > 0 {
			fmt.Fprintf(b, "; %d more documents were refused", n)
		}
		b.WriteString(".\n")
		writePlain(b, s)
		writeHarder(b, s)
	}
	writeSimilarities(b, r.Similarities)
}

// splice returns a document with figures in place of what stood between the two
// lines that mark their place. The error is a [*hippo.FieldError] if the document
// lacks one of them.
func splice(document, figures []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(document, []byte(figuresBegin+"\n"))
	_, after, closed := bytes.Cut(rest, []byte(figuresEnd))
	if !ok || !closed {
		return nil, hippo.Fieldf("markdown", "must be a document with the lines %q and %q", figuresBegin, figuresEnd)
	}
	return slices.Concat(before, []byte(figuresBegin+"\n\n"), bytes.TrimSpace(figures), []byte("\n\n"+figuresEnd), after), nil
}

// scoredCount is the number of questions that are part of the mean.
func scoredCount(s *setReport) int {
	if i := slices.IndexFunc(s.Rows, isPlain); i >= 0 {
		return s.Rows[i].Questions
	}
	return s.Questions
}

func isPlain(r row) bool { return plain(r.Setting) }

// tableRow writes a line of a table.
func tableRow(b *bytes.Buffer, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// heading writes the first two lines of a table.
func heading(b *bytes.Buffer, cells ...string) {
	b.WriteString("\n")
	tableRow(b, cells...)
	b.WriteString(strings.Repeat("|---", len(cells)) + "|\n")
}

// writeOverview writes a line for each system that any set has, in their order.
func writeOverview(b *bytes.Buffer, sets []setReport) {
	head := []string{"recall@10 / hit@1"}
	var systems []string
	for _, s := range sets {
		head = append(head, s.Name)
		for _, r := range s.Rows {
			if !slices.Contains(systems, r.System) {
				systems = append(systems, r.System)
			}
		}
	}
	heading(b, head...)
	for _, name := range systems {
		cells := []string{name}
		for _, s := range sets {
			cell := ""
			if i := slices.IndexFunc(s.Rows, func(r row) bool { return r.System == name && plain(r.Setting) }); i >= 0 {
				cell = found(&s.Rows[i].Score)
			}
			cells = append(cells, cell)
		}
		tableRow(b, cells...)
	}
}

// writePlain writes the rows of the plain setting.
func writePlain(b *bytes.Buffer, s *setReport) {
	heading(b, "system", "R@1", "R@5", "R@10", "hit@1", "MRR@10", "nDCG@10", "R@10 over "+eval.Baseline)
	for _, r := range s.Rows {
		if !plain(r.Setting) {
			continue
		}
		lead := ""
		if d := r.Lead; d != nil {
			lead = ranged(d.Recall10, d.Interval.Low.Recall10, d.Interval.High.Recall10)
		}
		tableRow(b, append(append([]string{r.System}, measures(&r)...), lead)...)
	}
}

// writeHarder writes the rows of the other settings, and what they lose.
func writeHarder(b *bytes.Buffer, s *setReport) {
	first := true
	for _, r := range s.Rows {
		if plain(r.Setting) {
			continue
		}
		if first {
			heading(b, "setting", "system", "R@5", "R@10", "hit@1", "less than", "R@5 lost", "R@10 lost", "hit@1 lost")
			first = false
		}
		cells := []string{string(r.Setting), r.System, eval.Decimal(r.Recall5), eval.Decimal(r.Recall10), eval.Decimal(r.Hit1), "", "", "", ""}
		if d := r.Loss; d != nil {
			low, high := d.Interval.Low, d.Interval.High
			cells = append(cells[:5], string(d.Setting), ranged(d.Recall5, low.Recall5, high.Recall5),
				ranged(d.Recall10, low.Recall10, high.Recall10), ranged(d.Hit1, low.Hit1, high.Hit1))
		}
		tableRow(b, cells...)
	}
}

// writeSimilarities writes the table of the sentence pairs.
func writeSimilarities(b *bytes.Buffer, list []similarity) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n### Sentence pairs\n")
	heading(b, "pairs", "model", "n", "Spearman", "cosine to the first model of the space")
	for _, s := range list {
		agreement := ""
		if s.Agreement != 0 {
			agreement = eval.Decimal(s.Agreement)
		}
		tableRow(b, s.Set, s.Model, strconv.Itoa(s.Pairs), eval.Decimal(s.Spearman), agreement)
	}
}

// ranged is a number with its interval.
func ranged(v, low, high float64) string {
	return eval.Decimal(v) + " [" + eval.Decimal(low) + " " + eval.Decimal(high) + "]"
}

// measures returns the measures of a row with their intervals.
func measures(r *row) []string {
	var cells []string
	low, high := r.Interval.Low.Measures(), r.Interval.High.Measures()
	for i, v := range r.Measures() {
		cells = append(cells, ranged(*v, *low[i], *high[i]))
	}
	return cells
}

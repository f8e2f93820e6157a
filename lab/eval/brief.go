package main

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// groupOf returns the part of --brief that a set belongs to: its name, or a folder that it is
// in. Empty: it is measured in full.
func (m *measurement) groupOf(s *eval.Set) string {
	for part := range strings.SplitSeq(m.brief, ",") {
		if name := strings.TrimSpace(part); name != "" && (s.Name == name || strings.HasPrefix(s.Name, name+"/")) {
			return name
		}
	}
	return ""
}

// inFull returns the sets that belong to no group.
func (m *measurement) inFull(sets []*eval.Set) []*eval.Set {
	return slices.DeleteFunc(slices.Clone(sets), func(s *eval.Set) bool { return m.groupOf(s) != "" })
}

// systems returns the systems to measure a set with. A brief table has the default ranker and
// the two that it must not be worse than.
func (m *measurement) systems(s *eval.Set) []eval.System {
	rankers := m.Rankers
	if rankers == nil && m.groupOf(s) != "" {
		rankers = []hippo.Ranker{hippo.RankerBM25, hippo.RankerCosine, hippo.RankerHippo}
	}
	return append(eval.Systems(&m.Engine, rankers, m.Models), m.Systems...)
}

// writeBrief writes one table for each group: recall@10 and hit@1 of each set and category.
func writeBrief(b *bytes.Buffer, sets []setReport) {
	var groups []string
	for _, s := range sets {
		if s.Group != "" && !slices.Contains(groups, s.Group) {
			groups = append(groups, s.Group)
		}
	}
	for _, group := range groups {
		b.WriteString("\n### " + group + "\n")
		first := true
		for i := range sets {
			if sets[i].Group != group || len(sets[i].Rows) == 0 {
				continue
			}
			if first {
				head := []string{"recall@10 / hit@1", "documents", "questions"}
				for _, r := range sets[i].Rows {
					head = append(head, r.System)
				}
				heading(b, head...)
				first = false
			}
			writeBriefSet(b, &sets[i])
		}
	}
}

// writeBriefSet writes the lines of one set: the whole, and its categories.
func writeBriefSet(b *bytes.Buffer, s *setReport) {
	name := "**" + strings.TrimPrefix(s.Name, s.Group+"/") + "**"
	cells := []string{name, strconv.Itoa(s.Documents), strconv.Itoa(scoredCount(s))}
	for _, r := range s.Rows {
		cells = append(cells, found(&r.Score))
	}
	tableRow(b, cells...)
	categories := s.Rows[0].Categories
	if len(categories) == 1 { // it is the whole
		return
	}
	for i, c := range categories {
		cells := []string{c.Name, "", strconv.Itoa(c.Questions)}
		for _, r := range s.Rows {
			cells = append(cells, found(&r.Categories[i].Score))
		}
		tableRow(b, cells...)
	}
}

// found is what a system found: recall@10 and hit@1.
func found(s *eval.Score) string { return eval.Decimal(s.Recall10) + " / " + eval.Decimal(s.Hit1) }

// writeConfidence writes the confidence on every set in the plain setting.
func writeConfidence(b *bytes.Buffer, r *report) {
	if len(r.All) == 0 {
		return
	}
	b.WriteString("\n### Withheld and unflagged\n")
	heading(b, "set", "system", "answerable", "withheld", "weak", "unanswerable", "unflagged")
	for _, s := range r.Sets {
		for _, x := range s.Rows {
			if c := x.Confidence; c != nil && plain(x.Setting) {
				tableRow(b, confidenceCells(s.Name, x.System, c)...)
			}
		}
	}
	for i := range r.All {
		tableRow(b, confidenceCells("**all**", r.All[i].System, &r.All[i].Confidence)...)
	}
}

func confidenceCells(set, system string, c *eval.Confidence) []string {
	unanswerable, unflagged := "", ""
	if c.Unanswerable > 0 {
		unanswerable, unflagged = strconv.Itoa(c.Unanswerable), eval.Decimal(c.Unflagged)
	}
	return []string{set, system, strconv.Itoa(c.Answerable), eval.Decimal(c.Withheld), eval.Decimal(c.Weak), unanswerable, unflagged}
}

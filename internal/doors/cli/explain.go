package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/hippo-memory/hippo"
)

// explanation prints why a hit has its rank, in at most 80 columns: its ranks in the candidate
// lists, the factors of its relevance, and the contribution of each feature, the largest
// first.
func explanation(w io.Writer, h *hippo.Hit) {
	x := h.Explanation
	if ranks := ranksOf(h); ranks != "" {
		fmt.Fprintf(w, "%s%s\n", indent, ranks)
	}
	validity := ""
	if x.Validity > 0 {
		validity = fmt.Sprintf(" × validity %.2f", x.Validity)
	}
	switch {
	case x.Via == hippo.ViaRelation:
		fmt.Fprintf(w, "%s%.3f by a relation with a better hit%s\n", indent, h.Relevance, validity)
	case x.Via == hippo.ViaSuccession:
		fmt.Fprintf(w, "%s%.3f in the place of what it supersedes\n", indent, h.Relevance)
	case x.Via == hippo.ViaImportance:
		fmt.Fprintf(w, "%s%.3f as one of the most important of many that match\n", indent, h.Relevance)
	case x.Factors != nil:
		f := x.Factors
		behind := ""
		if f.Archived > 0 {
			behind = fmt.Sprintf(" × archived %.2f", f.Archived)
		}
		fmt.Fprintf(w, "%s%.3f = text %.3f × context %.3f × time %.3f × prior %.3f%s%s\n", indent, h.Relevance, h.Signals.Text, f.Context, f.Time, f.Prior, behind, validity)
	case validity != "":
		fmt.Fprintf(w, "%s%.3f%s, because it does not hold\n", indent, h.Relevance/x.Validity, validity)
	}
	contributions(w, x)
}

// contributions prints the terms of both sums side by side.
func contributions(w io.Writer, x *hippo.Explanation) {
	left := column("text", x.Text, "%-18s %6.3f %6.2f %+7.3f", "%-18s %6s %6s %7s")
	right := column("prior", x.Prior, "%-10s %5.3f %6.2f %6.3f", "%-10s %5s %6s %6s")
	if left == nil {
		left, right = right, nil
	}
	for i := range max(len(left), len(right)) {
		line := indent
		if i < len(left) {
			line += left[i]
		} else {
			line += strings.Repeat(" ", len(left[0]))
		}
		if i < len(right) {
			line += "   " + right[i]
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// column is a table of contributions, with a heading and their total, as lines of equal length;
// nil if there are none.
func column(name string, list []hippo.Contribution, row, text string) []string {
	if len(list) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf(text, name, "value", "weight", "sum")}
	total := 0.0
	for _, c := range list {
		total += c.Sum
		lines = append(lines, fmt.Sprintf(row, c.Feature, c.Value, c.Weight, c.Sum))
	}
	return append(lines, fmt.Sprintf(text, "total", "", "", fmt.Sprintf("%.3f", total)))
}

// ranksOf formats the ranks of a hit in the lists of candidates; empty if nothing was asked for.
func ranksOf(h *hippo.Hit) string {
	x, s := h.Explanation, &h.Signals
	var parts []string
	if x.LexicalRank > 0 {
		parts = append(parts, fmt.Sprintf("lexical #%d (bm25 %.2f, coverage %.2f)", x.LexicalRank, s.BM25, s.Coverage))
	}
	if x.SemanticRank > 0 {
		parts = append(parts, fmt.Sprintf("semantic #%d (cosine %.3f)", x.SemanticRank, s.Cosine))
	}
	if x.GraphRank > 0 {
		parts = append(parts, fmt.Sprintf("graph #%d", x.GraphRank))
	}
	if len(parts) == 0 && x.Reranked {
		parts = append(parts, "found beside others of its session")
	}
	return strings.Join(parts, ", ")
}

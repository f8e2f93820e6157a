package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/hippo-memory/hippo"
)

// explanation prints why a hit is where it is, in at most 80 columns: which channel
// found it, what its relevance is made of, and what each signal gave, the most first.
func explanation(w io.Writer, h *hippo.Hit) {
	x, s := h.Explanation, &h.Signals
	if found := channels(h); found != "" {
		fmt.Fprintf(w, "%s%s\n", indent, found)
	}
	switch {
	case x.Because == "related":
		fmt.Fprintf(w, "%s%.3f by a relation with a better hit\n", indent, h.Relevance)
		return
	case x.Because == "replaces":
		fmt.Fprintf(w, "%s%.3f in the place of what it replaces\n", indent, h.Relevance)
		return
	case x.PriorFactor > 0:
		fmt.Fprintf(w, "%s%.3f = text %.3f × situation %.3f × time %.3f × use %.3f\n", indent, h.Relevance, s.Text, x.ContextFactor, x.TimeFactor, x.PriorFactor)
	case h.Signals.Graph > 0:
		fmt.Fprintf(w, "%s%.3f = words and meaning, and graph %.3f × %.2f\n", indent, h.Relevance, s.Graph, x.Evidence[0].Weight)
		return
	case len(x.Prior) == 0:
		return // one signal is the relevance
	}
	left := column("text", x.Evidence, "%-18s %6.3f %6.2f %+7.3f", "%-18s %6s %6s %7s")
	right := column("use", x.Prior, "%-10s %5.3f %6.2f %6.3f", "%-10s %5s %6s %6s")
	if len(x.Evidence) == 0 {
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

// column is a table of what signals give, with a heading and a sum, as lines of equal
// length.
func column(name string, list []hippo.Contribution, row, text string) []string {
	lines := []string{fmt.Sprintf(text, name, "value", "weight", "adds")}
	sum := 0.0
	for _, c := range list {
		sum += c.Adds
		lines = append(lines, fmt.Sprintf(row, c.Signal, c.Value, c.Weight, c.Adds))
	}
	return append(lines, fmt.Sprintf(text, "sum", "", "", fmt.Sprintf("%.3f", sum)))
}

// channels tells how a hit was found; empty if every memory was.
func channels(h *hippo.Hit) string {
	x, s := h.Explanation, &h.Signals
	var parts []string
	if x.WordsRank > 0 {
		parts = append(parts, fmt.Sprintf("#%d by words (bm25 %.2f, coverage %.2f)", x.WordsRank, s.BM25, s.Coverage))
	}
	if x.CosineRank > 0 {
		parts = append(parts, fmt.Sprintf("#%d by meaning (cosine %.3f)", x.CosineRank, s.Cosine))
	}
	if x.GraphRank > 0 {
		parts = append(parts, fmt.Sprintf("#%d by the graph", x.GraphRank))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case s.Evidence[hippo.EvidenceSession] > 0:
		return "found beside others of its session"
	default:
		return "" // nothing was asked for
	}
}

package mcpserver

import (
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
)

// why explains the rank of a hit on one line: its ranks in the lists of candidates, and
// what its relevance is made of, the largest contributions first.
func why(h *hippo.Hit) string {
	x := h.Explanation
	parts := make([]string, 0, 4)
	for _, list := range []struct {
		name string
		rank int
	}{{"lexical", x.LexicalRank}, {"semantic", x.SemanticRank}, {"graph", x.GraphRank}} {
		if list.rank > 0 {
			parts = append(parts, fmt.Sprintf("%s #%d", list.name, list.rank))
		}
	}
	switch {
	case x.Via == hippo.ViaRelation:
		parts = append(parts, "by a relation with a better hit")
	case x.Via == hippo.ViaSuccession:
		parts = append(parts, "in the place of what it supersedes")
	case x.Via == hippo.ViaImportance:
		parts = append(parts, "as one of the most important of many that match")
	case x.Factors != nil:
		parts = append(parts, fmt.Sprintf("text %.3f%s * context %.3f * time %.3f * prior %.3f%s",
			h.Signals.Text, sums(x.Text), x.Factors.Context, x.Factors.Time, x.Factors.Prior, sums(x.Prior)))
		if x.Factors.Archived > 0 {
			parts = append(parts, fmt.Sprintf("archived * %.2f", x.Factors.Archived))
		}
	case len(x.Prior) > 0:
		parts = append(parts, "prior"+sums(x.Prior))
	}
	if x.Validity > 0 {
		parts = append(parts, fmt.Sprintf("validity * %.2f", x.Validity))
	}
	return strings.Join(parts, ", ")
}

// sums lists contributions in brackets.
func sums(list []hippo.Contribution) string {
	if len(list) == 0 {
		return ""
	}
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = fmt.Sprintf("%s %+.3f", c.Feature, c.Sum)
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

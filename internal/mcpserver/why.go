package mcpserver

import (
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
)

// why tells on one line why a hit is where it is: its places in the channels, and what
// its relevance is made of, what gave the most first.
func why(h *hippo.Hit) string {
	x := h.Explanation
	parts := make([]string, 0, 4)
	if x.WordsRank > 0 {
		parts = append(parts, fmt.Sprintf("#%d by words", x.WordsRank))
	}
	if x.CosineRank > 0 {
		parts = append(parts, fmt.Sprintf("#%d by meaning", x.CosineRank))
	}
	if x.GraphRank > 0 {
		parts = append(parts, fmt.Sprintf("#%d by the graph", x.GraphRank))
	}
	switch x.Because {
	case "related":
		parts = append(parts, "by a relation with a better hit")
	case "replaces":
		parts = append(parts, "in the place of what it replaces")
	}
	if x.PriorFactor > 0 {
		parts = append(parts, fmt.Sprintf("text %.3f%s * situation %.3f * time %.3f * use %.3f%s",
			h.Signals.Text, given(x.Evidence), x.ContextFactor, x.TimeFactor, x.PriorFactor, given(x.Prior)))
	} else if len(x.Prior) > 0 {
		parts = append(parts, "use"+given(x.Prior))
	}
	return strings.Join(parts, ", ")
}

// given lists what signals give, in brackets.
func given(list []hippo.Contribution) string {
	if len(list) == 0 {
		return ""
	}
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = fmt.Sprintf("%s %+.3f", c.Signal, c.Adds)
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

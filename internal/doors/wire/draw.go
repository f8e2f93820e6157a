package wire

import (
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/verb"
)

// drawnLabel is how many characters of a content a drawing has.
const drawnLabel = 40

// Draw returns a subgraph in a language of drawings: nodes n0, n1 and on in its order, with the beginning of their contents,
// and its relations with their kinds, both marked if they do not hold now. The same subgraph gives the same text; whatever contents and kinds hold is text in it.
// Another language is a [*hippo.FieldError].
func Draw(g *api.Subgraph, language string, now time.Time) (string, error) {
	number := make(map[hippo.ID]int, len(g.Nodes))
	var out strings.Builder
	head, node, edge, tail, escape := "flowchart LR\n", "  n%d[\"%s\"]\n", "  n%d -->|\"%s\"| n%d\n", "", escapeMermaid
	switch language {
	case verb.Mermaid:
	case verb.Graphviz:
		head, node, edge, tail, escape = "digraph memory {\n  rankdir=LR;\n  node [shape=box];\n", "  n%d [label=\"%s\"];\n", "  n%[1]d -> n%[3]d [label=\"%[2]s\"];\n", "}\n", escapeGraphviz
	default:
		return "", hippo.Fieldf("format", "must be %s or %s, got %q", verb.Mermaid, verb.Graphviz, language)
	}
	out.WriteString(head)
	for i, n := range g.Nodes {
		number[n.ID] = i
		fmt.Fprintf(&out, node, i, escape(drawn(termtext.Line(Clip(n.Content, drawnLabel)), n.StateAt(now))))
	}
	for _, r := range g.Relations {
		fmt.Fprintf(&out, edge, number[r.From], escape(drawn(termtext.Line(r.Kind), r.StateAt(now))), number[r.To])
	}
	out.WriteString(tail)
	return out.String(), nil
}

// drawn returns a label with the state of what does not hold.
func drawn(text string, s hippo.State) string {
	if word := StateWord(s); word != "" {
		text += " (" + word + ")"
	}
	return text
}

// DrawingComment returns a text on one line as a comment of a drawing, which programs that draw skip.
func DrawingComment(language, text string) string {
	if language == verb.Graphviz {
		return "// " + termtext.Line(text)
	}
	return "%% " + termtext.Line(text)
}

// escapeMermaid writes what is no letter, digit or common sign as an entity: Mermaid takes quotes, brackets, Markdown and
// HTML in labels for markup.
func escapeMermaid(s string) string {
	var out strings.Builder
	for _, r := range s {
		if r < 0x80 && !isPlain(r) {
			fmt.Fprintf(&out, "#%d;", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" .,:-_/", r)
}

// escapeGraphviz escapes what ends a quoted string of DOT, and the backslash, which begins an escape in labels.
func escapeGraphviz(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

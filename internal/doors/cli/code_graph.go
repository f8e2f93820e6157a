package cli

import (
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/verb"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// newCodeEdgesCommand makes hippo code callers, or callees.
func newCodeEdgesCommand(s *shell, callees bool) *cobra.Command {
	var f verb.CodeEdges
	c := &cobra.Command{
		Use:   "callers NAME",
		Short: "Find what calls a definition",
		Long: `List the callers of the definitions of a name. No compiler runs: calls are resolved by scope, imports and nearby types, then by
name. If a call may refer to several definitions, the result gives their number.`,
		Example: "  hippo code callers Server.Close\n  hippo code callers Config --references",
		Args:    oneArgument("a name"),
	}
	if callees {
		c.Use, c.Short, c.Example = "callees NAME", "Find what a definition calls", "  hippo code callees Server.Close"
		c.Long = "List what the definitions of a name call, including names that the tree does not define."
	}
	c.RunE = onTree(s, &f.Asked, func(c *cobra.Command, args []string, t *code.Tree) error {
		e, err := t.Edges(c.Context(), args[0], callees, f.References)
		if err != nil {
			return err
		}
		return printEdges(s, e, callees)
	})
	addRoot(c, &f.Asked)
	addArgs(c.Flags(), f.Args())
	return c
}

func printEdges(s *shell, e *api.CodeEdges, callees bool) error {
	s.count = len(e.Edges)
	if s.json {
		return s.printJSON(e)
	}
	for i := range e.Of {
		d := &e.Of[i]
		printPlace(s, d.Path, d.First, d.Signature, d.Freshness)
	}
	if e.MoreOf > 0 {
		fmt.Fprintf(s.out, "and %s more of that name (--count)\n", plural(e.MoreOf, "definition"))
	}
	for i := range e.Edges {
		x := &e.Edges[i]
		at, name := x.Line, x.Name
		if callees {
			at = x.First
		}
		if name == "" {
			name = "(top of the file)"
		}
		note := staleNote(x.Freshness)
		switch {
		case x.Candidates > 1:
			note += fmt.Sprintf("  [one of %d]", x.Candidates)
		case !x.Sure:
			note += "  [by name]"
		}
		fmt.Fprintf(s.out, "  %s:%d  %s%s\n", termtext.Line(x.Path), at, termtext.Line(name), note)
	}
	if len(e.Edges) == 0 {
		fmt.Fprintln(s.out, "  Nothing found.")
	}
	if e.More > 0 {
		fmt.Fprintf(s.out, "  and %d more (--count)\n", e.More)
	}
	if len(e.Outside) > 0 {
		fmt.Fprintf(s.out, "  outside of the tree: %s\n", preview(strings.Join(e.Outside, ", "), 4*previewLength))
	}
	return nil
}

func newCodeMapCommand(s *shell) *cobra.Command {
	var f verb.CodeMap
	c := &cobra.Command{
		Use:     "map",
		Short:   "Show the most referenced definitions within a token budget",
		Example: "  hippo code map --tokens 1000\n  hippo code map --path internal/retrieval/index",
		Args:    maximumArguments(0),
		RunE: onTree(s, &f.Asked, func(c *cobra.Command, _ []string, t *code.Tree) error {
			m, err := t.Overview(c.Context(), f.Tokens)
			if err != nil {
				return err
			}
			return printMap(s, m)
		}),
	}
	addRoot(c, &f.Asked)
	addArgs(c.Flags(), f.Args())
	return c
}

func printMap(s *shell, m *api.CodeMap) error {
	s.count = len(m.Files)
	if s.json {
		return s.printJSON(m)
	}
	for line := range strings.Lines(m.Text) {
		fmt.Fprintln(s.out, termtext.Line(strings.TrimSuffix(line, "\n")))
	}
	if m.More > 0 {
		fmt.Fprintf(s.out, "and %s more (--tokens)\n", plural(m.More, "file"))
	}
	return nil
}

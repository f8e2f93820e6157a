package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// newCodeEdgesCommand makes hippo code callers, or callees.
func newCodeEdgesCommand(s *shell, callees bool) *cobra.Command {
	var f codeFlags
	var references bool
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
	c.RunE = f.onTree(s, func(c *cobra.Command, args []string, t *codeindex.Tree, filter codeindex.Filter) error {
		find := t.Callers
		if callees {
			find = t.Callees
		}
		e, err := find(c.Context(), args[0], filter, f.count, !references)
		if err != nil {
			return err
		}
		return printEdges(s, e, callees)
	})
	addCodeFlags(c, &f, true)
	c.Flags().BoolVar(&references, "references", false, "include all references, not only calls")
	return c
}

func printEdges(s *shell, e *codeindex.Edges, callees bool) error {
	s.count = len(e.Edges)
	if s.json {
		return s.printJSON(wire.CodeEdgesOf(e))
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
		note := ""
		if x.Freshness != api.CodeFresh {
			note = "  [" + string(x.Freshness) + "]"
		}
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
	var f codeFlags
	var tokens int
	c := &cobra.Command{
		Use:     "map",
		Short:   "Show the most referenced definitions within a token budget",
		Example: "  hippo code map --tokens 1000\n  hippo code map --path internal/retrieval/index",
		Args:    maximumArguments(0),
		RunE: f.onTree(s, func(c *cobra.Command, _ []string, t *codeindex.Tree, filter codeindex.Filter) error {
			m, err := t.Map(c.Context(), filter, tokens)
			if err != nil {
				return err
			}
			return printMap(s, m)
		}),
	}
	addCodeFlags(c, &f, false)
	c.Flags().StringVar(&f.path, "path", "", "only this file or folder")
	c.Flags().IntVar(&tokens, "tokens", codeindex.DefaultMapTokens, fmt.Sprintf("the size of the map in estimated tokens: %d to %d", codeindex.MinMapTokens, codeindex.MaxMapTokens))
	return c
}

func printMap(s *shell, m *codeindex.Map) error {
	s.count = len(m.Files)
	if s.json {
		return s.printJSON(wire.CodeMapOf(m))
	}
	for line := range strings.Lines(m.Text()) {
		fmt.Fprintln(s.out, termtext.Line(strings.TrimSuffix(line, "\n")))
	}
	if m.More > 0 {
		fmt.Fprintf(s.out, "and %s more (--tokens)\n", plural(m.More, "file"))
	}
	return nil
}

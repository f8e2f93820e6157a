package cli

import (
	"fmt"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/verb"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

func newCodeRelatedCommand(s *shell) *cobra.Command {
	var f verb.CodeRelated
	c := &cobra.Command{
		Use:   "related NAME|FILE",
		Short: "Find what is related to a definition or a file",
		Long: `List what is related to the definitions of a name, or to a file: its users, its dependencies, names used together with it, its
neighbours in the file, and definitions with a similar signature and comment.`,
		Example: "  hippo code related Server.Close\n  hippo code related internal/server/server.go",
		Args:    oneArgument("a name or a file"),
		RunE: onTree(s, &f.Asked, func(c *cobra.Command, args []string, t *code.Tree) error {
			r, err := code.RelatedHere(c.Context(), t, args[0])
			if err != nil {
				return err
			}
			return printCodeRelated(s, r)
		}),
	}
	addRoot(c, &f.Asked)
	addArgs(c.Flags(), f.Args())
	return c
}

func printCodeRelated(s *shell, r *api.CodeRelated) error {
	for i := range r.Groups {
		s.count += len(r.Groups[i].Symbols)
	}
	if s.json {
		return s.printJSON(r)
	}
	if r.File != "" {
		fmt.Fprintln(s.out, bold(s, termtext.Line(r.File)))
	}
	for i := range r.Of {
		d := &r.Of[i]
		printPlace(s, d.Path, d.First, signatureOf(d), d.Freshness)
	}
	if r.MoreOf > 0 {
		fmt.Fprintf(s.out, "and %s more of that name (--count)\n", plural(r.MoreOf, "definition"))
	}
	for _, g := range r.Groups {
		fmt.Fprintf(s.out, "%s:\n", g.Relation)
		for i := range g.Symbols {
			d := &g.Symbols[i]
			fmt.Fprintf(s.out, "  %s:%d  %s%s\n", termtext.Line(d.Path), d.First, preview(signatureOf(d), previewLength), staleNote(d.Freshness))
		}
		if g.More > 0 {
			fmt.Fprintf(s.out, "  and %d more (--count)\n", g.More)
		}
	}
	if len(r.Groups) == 0 {
		fmt.Fprintln(s.out, "Nothing found.")
	}
	return nil
}

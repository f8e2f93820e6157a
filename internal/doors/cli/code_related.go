package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

func newCodeRelatedCommand(s *shell) *cobra.Command {
	var f codeFlags
	c := &cobra.Command{
		Use:   "related NAME|FILE",
		Short: "Find what is related to a definition or a file",
		Long: `List what is related to the definitions of a name, or to a file: its users, its dependencies, names used together with it, its
neighbours in the file, and definitions with a similar signature and comment.`,
		Example: "  hippo code related Server.Close\n  hippo code related internal/server/server.go",
		Args:    oneArgument("a name or a file"),
		RunE: f.onTree(s, func(c *cobra.Command, args []string, t *codeindex.Tree, filter codeindex.Filter) error {
			of, err := nameOrFile(c.Context(), t, args[0])
			if err != nil {
				return err
			}
			r, err := codeindex.RelatedTo(c.Context(), t, of, filter, f.count)
			if err != nil {
				return err
			}
			return printCodeRelated(s, r)
		}),
	}
	addCodeFlags(c, &f, true)
	c.Flags().Lookup("count").Usage = fmt.Sprintf("the number of results of each relation, at most %d", codeindex.MaxCount)
	c.Flags().Lookup("count").DefValue = fmt.Sprint(codeindex.DefaultRelated)
	f.count = codeindex.DefaultRelated
	return c
}

// nameOrFile returns the path of a file of the index as the tree has it, and any other text as it is.
func nameOrFile(ctx context.Context, t *codeindex.Tree, text string) (string, error) {
	path, err := relative(ctx, t, text)
	if err != nil {
		return text, nil //nolint:nilerr // it is no path
	}
	held, err := codeindex.Holds(ctx, t, path)
	if err != nil || !held {
		return text, err
	}
	return path, nil
}

func printCodeRelated(s *shell, r *codeindex.Related) error {
	for i := range r.Groups {
		s.count += len(r.Groups[i].Definitions)
	}
	if s.json {
		return s.printJSON(wire.CodeRelatedOf(r))
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
		for i := range g.Definitions {
			d := &g.Definitions[i]
			note := ""
			if d.Freshness != api.CodeFresh {
				note = "  [" + string(d.Freshness) + "]"
			}
			fmt.Fprintf(s.out, "  %s:%d  %s%s\n", termtext.Line(d.Path), d.First, preview(signatureOf(d), previewLength), note)
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

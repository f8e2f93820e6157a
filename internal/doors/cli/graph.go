package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newGraphCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "graph",
		Short: "Explore the relations between memories: neighbours, paths, communities, drawings",
		Long: `Follow the declared relations between memories. The 100 strongest relations of each memory are followed, and a result has at most
1,000 memories; anything left out is reported. An ID may also be the name of an entity.`,
		Args: refuseUnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newGraphNeighboursCommand(s), newGraphPathCommand(s), newGraphCommunitiesCommand(s), newGraphDrawCommand(s))
	return c
}

// neighbours asks for what is near an insight.
func neighbours(c *cobra.Command, s *shell, m *client.Client, id hippo.ID, asked *verb.Neighbours) (*api.Subgraph, error) {
	q, err := asked.Request(today(s))
	if err != nil {
		return nil, err
	}
	q.ID = id
	return m.Neighbours(c.Context(), q)
}

// onNamed is [shell.onIDs] for references that may be names of entities.
func onNamed(s *shell, fn func(*cobra.Command, *client.Client, []hippo.ID) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, refs []string) error {
		return s.with(c.Context(), func(m *client.Client) error {
			ids, err := resolveNamed(c.Context(), m, refs)
			if err != nil {
				return err
			}
			return fn(c, m, ids)
		})
	}
}

// resolveNamed is [resolve] for references that may be names of entities.
func resolveNamed(ctx context.Context, m *client.Client, refs []string) ([]hippo.ID, error) {
	ids := make([]hippo.ID, len(refs))
	for i, ref := range refs {
		var err error
		if ids[i], err = m.Resolve(ctx, api.Resolve{Ref: ref, Entities: true}); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func newGraphNeighboursCommand(s *shell) *cobra.Command {
	asked := verb.NewNeighbours(1)
	c := &cobra.Command{
		Use:     "neighbours ID",
		Short:   "List related memories, nearest first",
		Example: "  hippo graph neighbours 9d4f3c1a --depth 2\n  hippo graph neighbours 9d4f3c1a --kind calls --direction in",
		Args:    oneArgument("an id"),
		RunE: onNamed(s, func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			g, err := neighbours(c, s, m, ids[0], asked)
			if err != nil {
				return err
			}
			s.count = len(g.Nodes) - 1
			if s.json {
				out, err := wire.SubgraphOf(g, s.now())
				if err != nil {
					return err
				}
				return s.printJSON(out)
			}
			return printSubgraph(s, g)
		}),
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

func printSubgraph(s *shell, g *api.Subgraph) error {
	all := make([]hippo.ID, len(g.Nodes))
	for i, n := range g.Nodes {
		all[i] = n.ID
	}
	short := shortIDs(s, all...)
	err := s.table(func(w io.Writer) {
		fmt.Fprintln(w, "AWAY\tID\tMEMORY")
		for _, n := range g.Nodes {
			fmt.Fprintf(w, "%d\t%s\t%s\n", n.Distance, short.Of(n.ID), wire.Marked(preview(n.Content, previewLength), n.Memory, s.now(), short))
		}
	})
	for i := range g.Relations {
		fmt.Fprintln(s.out, graphLine(s, &g.Relations[i], short))
	}
	noteBounds(s, &g.GraphBounds, len(g.Nodes))
	return err
}

// graphLine formats a relation with the days in which it holds.
func graphLine(s *shell, r *hippo.Relation, short hippo.ShortIDs) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s  %s", short.Of(r.From), termtext.Line(r.Kind), short.Of(r.To), holding(r.ValidFrom, r.ValidUntil, r.StateAt(s.now()))))
}

// noteBounds says what an answer leaves out.
func noteBounds(s *shell, b *api.GraphBounds, nodes int) {
	if b.Omitted > 0 {
		fmt.Fprintf(s.errw, "hippo: %s more beyond the first %d (--count)\n", memories(b.Omitted), nodes)
	}
	if n := len(b.Partial); n > 0 {
		fmt.Fprintf(s.errw, "hippo: of %s only the 100 strongest relations were followed, the first is %s\n", memories(n), shortID(s, b.Partial[0]))
	}
	if n := len(b.Frontier); n > 0 {
		fmt.Fprintf(s.errw, "hippo: the relations of %s were not followed (--depth), the first is %s\n", memories(n), shortID(s, b.Frontier[0]))
	}
	for _, note := range b.Degraded {
		fmt.Fprintf(s.errw, "hippo: %s\n", note)
	}
}

func newGraphPathCommand(s *shell) *cobra.Command {
	asked := verb.NewPaths()
	c := &cobra.Command{
		Use:     "path FROM TO",
		Short:   "Show the shortest paths between two memories",
		Example: "  hippo graph path 9d4f3c1a 5be02c77\n  hippo graph path 9d4f3c1a 5be02c77 --direction out --depth 3",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("FROM and TO are needed")
			}
			return nil
		},
		RunE: onNamed(s, func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			q, err := asked.Request(today(s))
			if err != nil {
				return err
			}
			q.From, q.To = ids[0], ids[1]
			l, err := m.Paths(c.Context(), q)
			if err != nil {
				return err
			}
			s.count = len(l.Paths)
			if s.json {
				out, err := wire.PathsOf(l, s.now())
				if err != nil {
					return err
				}
				return s.printJSON(out)
			}
			printPaths(s, l, q.Depth)
			return nil
		}),
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

func printPaths(s *shell, l *api.PathList, depth int) {
	var all []hippo.ID
	content := make(map[hippo.ID]string)
	for _, n := range l.Nodes {
		all = append(all, n.ID)
	}
	short := shortIDs(s, all...)
	for _, n := range l.Nodes {
		content[n.ID] = wire.Marked(preview(n.Content, previewLength), n.Memory, s.now(), short)
	}
	if len(l.Paths) == 0 {
		fmt.Fprintf(s.out, "No path of at most %s.\n", plural(depth, "relation"))
	}
	for i, p := range l.Paths {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		for j, id := range p.IDs {
			fmt.Fprintf(s.out, "%s  %s\n", short.Of(id), content[id])
			if j < len(p.Relations) {
				fmt.Fprintf(s.out, "  %s\n", graphLine(s, &p.Relations[j], short))
			}
		}
	}
	if l.More {
		fmt.Fprintln(s.errw, "hippo: there are more paths of this length (--count)")
	}
	noteBounds(s, &l.GraphBounds, api.MaxNodes)
}

func newGraphDrawCommand(s *shell) *cobra.Command {
	asked := verb.NewDrawing()
	c := &cobra.Command{
		Use:     "draw ID",
		Short:   "Draw the neighbourhood of a memory for Mermaid or Graphviz",
		Example: "  hippo graph draw 9d4f3c1a --depth 2\n  hippo graph draw 9d4f3c1a --format graphviz | dot -Tsvg",
		Args:    oneArgument("an id"),
		RunE: onNamed(s, func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			g, err := neighbours(c, s, m, ids[0], asked.Neighbours)
			if err != nil {
				return err
			}
			text, err := wire.Draw(g, asked.Format, s.now())
			if err != nil {
				return err
			}
			s.count = len(g.Nodes)
			if s.json {
				return s.printJSON(map[string]string{"format": asked.Format, "text": text})
			}
			fmt.Fprint(s.out, text)
			noteBounds(s, &g.GraphBounds, len(g.Nodes))
			return nil
		}),
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

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

// graphFlags are the flags of walks.
type graphFlags struct {
	depth, count int
	direction    string
	kinds        []string
	learned      bool
	at           momentFlags
}

func (f *graphFlags) add(c *cobra.Command, depth, count int, what string) {
	v := c.Flags()
	v.IntVar(&f.depth, "depth", depth, "the largest number of relations away, at most 10")
	v.IntVarP(&f.count, "count", "n", count, "at most this many "+what+"; --limit is the same")
	v.StringVar(&f.direction, "direction", "both", "the direction of relations to follow: out, in or both")
	v.StringArrayVar(&f.kinds, "kind", nil, "only relations of this kind; may be repeated (default: any declared one)")
	v.BoolVar(&f.learned, "learned", false, "include relations learned from use")
	f.at.add(c)
}

func (f *graphFlags) filter(s *shell) (api.GraphFilter, error) {
	out := api.GraphFilter{Kinds: f.kinds, Learned: f.learned}
	if f.depth == 0 || f.count == 0 {
		return out, usagef("--depth and --count must be above 0")
	}
	return out, f.at.set(s, &out.At)
}

// neighbours asks for what is near an insight.
func (f *graphFlags) neighbours(c *cobra.Command, s *shell, m *client.Client, id hippo.ID) (*api.Subgraph, error) {
	filter, err := f.filter(s)
	if err != nil {
		return nil, err
	}
	return m.Neighbours(c.Context(), api.Neighbours{ID: id, Depth: f.depth, Direction: api.Direction(f.direction), GraphFilter: filter, Count: f.count})
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

const graphCount = 100

func newGraphNeighboursCommand(s *shell) *cobra.Command {
	var f graphFlags
	c := &cobra.Command{
		Use:     "neighbours ID",
		Short:   "List related memories, nearest first",
		Example: "  hippo graph neighbours 9d4f3c1a --depth 2\n  hippo graph neighbours 9d4f3c1a --kind calls --direction in",
		Args:    oneArgument("an id"),
		RunE: onNamed(s, func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			g, err := f.neighbours(c, s, m, ids[0])
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
	f.add(c, 1, graphCount, "memories")
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
	var f graphFlags
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
			filter, err := f.filter(s)
			if err != nil {
				return err
			}
			l, err := m.Paths(c.Context(), api.Paths{From: ids[0], To: ids[1], Depth: f.depth, Direction: api.Direction(f.direction), GraphFilter: filter, Count: f.count})
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
			printPaths(s, l, f.depth)
			return nil
		}),
	}
	f.add(c, 5, 10, "paths")
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
	var f graphFlags
	var format string
	c := &cobra.Command{
		Use:     "draw ID",
		Short:   "Draw the neighbourhood of a memory for Mermaid or Graphviz",
		Example: "  hippo graph draw 9d4f3c1a --depth 2\n  hippo graph draw 9d4f3c1a --format graphviz | dot -Tsvg",
		Args:    oneArgument("an id"),
		RunE: onNamed(s, func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			g, err := f.neighbours(c, s, m, ids[0])
			if err != nil {
				return err
			}
			text, err := wire.Draw(g, format, s.now())
			if err != nil {
				return err
			}
			s.count = len(g.Nodes)
			if s.json {
				return s.printJSON(map[string]string{"format": format, "text": text})
			}
			fmt.Fprint(s.out, text)
			noteBounds(s, &g.GraphBounds, len(g.Nodes))
			return nil
		}),
	}
	f.add(c, 2, graphCount, "memories")
	c.Flags().StringVar(&format, "format", wire.Mermaid, "the language of the drawing: mermaid or graphviz")
	return c
}

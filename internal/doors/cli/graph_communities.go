package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newGraphCommunitiesCommand(s *shell) *cobra.Command {
	asked := verb.NewCommunities()
	c := &cobra.Command{
		Use:   "communities",
		Short: "Group memories by their relations, largest group first",
		Long: `Group all memories that have relations, so that there are more relations within groups than between them. For each group the ten
memories that a random walk visits most often are shown, most visited first.`,
		Example: "  hippo graph communities\n  hippo graph communities --kind depends_on --as-of 2026-01-01",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := asked.Request(today(s))
			if err != nil {
				return err
			}
			return s.with(c.Context(), ofProject(c.Context(), s, func(m *client.Client) error {
				l, err := m.Communities(c.Context(), q)
				if err != nil {
					return err
				}
				s.count = len(l.Communities)
				if s.json {
					return s.printJSON(wire.CommunitiesOf(l, s.now()))
				}
				printCommunities(s, l)
				return nil
			}))
		},
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

func printCommunities(s *shell, l *api.CommunityList) {
	var all []hippo.ID
	for _, c := range l.Communities {
		for _, n := range c.Nodes {
			all = append(all, n.ID)
		}
	}
	short := shortIDs(s, all...)
	if l.Total == 0 {
		fmt.Fprintln(s.out, "No relations. hippo relate declares some.")
		return
	}
	fmt.Fprintf(s.out, "%s, %s, %s; modularity %.2f\n", plural(l.Total, "group"), memories(l.Memories), plural(l.Relations, "relation"), l.Modularity)
	for _, c := range l.Communities {
		fmt.Fprintf(s.out, "\n%s: %s, %s\n", cmp.Or(strings.Join(c.Label, ", "), "no common words"), memories(c.Size), plural(c.Relations, "relation"))
		for _, n := range c.Nodes {
			fmt.Fprintf(s.out, "  %s  %s\n", short.Of(n.ID), wire.Marked(preview(n.Content, previewLength), n.Memory, s.now(), short))
		}
		if more := c.Size - len(c.Nodes); more > 0 {
			fmt.Fprintf(s.out, "  and %d more\n", more)
		}
	}
	for _, note := range l.Degraded {
		fmt.Fprintf(s.errw, "hippo: %s\n", note)
	}
}

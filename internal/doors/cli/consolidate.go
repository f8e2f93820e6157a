package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newConsolidateCommand(s *shell) *cobra.Command {
	asked := verb.Consolidate{Consolidate: api.Consolidate{Horizon: api.Weekly}}
	c := &cobra.Command{
		Use:   "consolidate",
		Short: "Link near-duplicates, write summaries and archive stale memories; hippo undo reverts it",
		Long: `Tidy up: link near-duplicates to the best of them, record summaries of groups that cite their members, drop faded learned
relations, and archive memories that add little to others. Archived memories are left out of lists and of the session context, and searches
rank them last, unless --archived asks for them; hippo restore brings one back. Memories that are pinned, voted up, recently used or tagged
critical, important, reference or permanent are never archived. The whole run is one operation, which hippo undo reverts.

daily and weekly archive nothing; monthly does everything; quarterly acts on memories older than 90 days, yearly on those older than a year.`,
		Example: `  hippo consolidate --dry-run
  hippo consolidate --horizon monthly
  hippo undo 7be01d42`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return s.with(c.Context(), ofProject(c.Context(), s, func(m *client.Client) error {
				done, err := m.Consolidate(c.Context(), asked.Consolidate)
				if err != nil {
					return err
				}
				return printConsolidation(s, done)
			}))
		},
	}
	addArgs(c.Flags(), asked.Args())
	addReason(s, c.Flags())
	return c
}

func printConsolidation(s *shell, c *api.Consolidation) error {
	s.count = c.Linked + c.Summarised + c.Archived
	if s.json {
		return s.printJSON(wire.ConsolidationOf(c))
	}
	fmt.Fprintf(s.out, "%s, %d topics, %d groups.\n", memories(c.Memories), c.Topics, c.Groups)
	err := s.table(func(w io.Writer) {
		for _, row := range []struct {
			n    int
			what string
		}{
			{c.Linked, "linked to a better one that says the same"},
			{c.Summarised, "groups summarised"},
			{c.Archived, "archived"},
			{c.Pruned, "learned relations dropped that have faded"},
			{c.Rescored, "of which the surprise was computed again and changed"},
			{c.Skipped, "left as they are, because they were changed meanwhile"},
			{c.Left, "more that say the same as a better one: the next runs link them"},
		} {
			if row.n > 0 {
				fmt.Fprintf(w, "  %d\t%s\n", row.n, row.what)
			}
		}
	})
	if c.DryRun {
		printActions(s, c)
	}
	switch {
	case c.DryRun:
		fmt.Fprintln(s.out, "Nothing was changed: this is a dry run.")
	case c.Operation.IsZero() && s.count+c.Pruned+c.Rescored == 0:
		fmt.Fprintln(s.out, "Nothing to do.")
	case !c.Operation.IsZero():
		fmt.Fprintf(s.out, "hippo undo %s takes it back.\n", c.Operation.Short())
	}
	return err
}

// printActions prints what a dry run proposes, and why.
func printActions(s *shell, c *api.Consolidation) {
	var ids []hippo.ID
	for i := range c.Actions {
		ids = append(ids, c.Actions[i].Memory)
	}
	short := shortIDs(s, ids...)
	for i := range c.Actions {
		a := &c.Actions[i]
		what := string(a.Kind)
		if !a.Memory.IsZero() {
			what += " " + short.Of(a.Memory)
		}
		fmt.Fprintf(s.out, "%s: %s\n", what, preview(a.Reason, previewLength))
		for line := range strings.Lines(a.Text) {
			fmt.Fprintf(s.out, "    %s\n", preview(line, previewLength))
		}
	}
	if n := c.Linked + c.Summarised + c.Archived + min(c.Pruned, 1) - len(c.Actions); n > 0 {
		fmt.Fprintf(s.out, "and %d more\n", n)
	}
}

func newClustersCommand(s *shell) *cobra.Command {
	var groups bool
	c := &cobra.Command{
		Use:   "clusters",
		Short: "Show what the memories are about: topics with their words and sizes",
		Long: `Show the topics of the memories: for each its distinctive words, the number of memories, the density (mean cosine of its pairs) and
the most central memory. --groups shows the finer groups within topics, --json all members.`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return s.with(c.Context(), ofProject(c.Context(), s, func(m *client.Client) error {
				list, err := m.Clusters(c.Context())
				if err != nil {
					return err
				}
				if s.json {
					return s.printJSON(wire.ClustersOf(list))
				}
				shown := list.Topics
				if groups {
					shown = list.Groups
				}
				if len(shown) == 0 {
					fmt.Fprintf(s.out, "No clusters: %s with a vector are too few.\n", memories(list.Memories))
					return nil
				}
				return printClusters(s, c, m, shown)
			}))
		},
	}
	c.Flags().BoolVar(&groups, "groups", false, "show the groups within each topic")
	return c
}

func printClusters(s *shell, c *cobra.Command, m *client.Client, list []api.Cluster) error {
	s.count = len(list)
	central := make([]hippo.ID, len(list))
	for i := range list {
		central[i] = list[i].Members[0]
	}
	text := make(map[hippo.ID]string, len(list))
	for from := 0; from < len(central); from += hippo.MaxIDs {
		ms, err := memoriesOf(c.Context(), m, central[from:min(from+hippo.MaxIDs, len(central))]...)
		if err != nil {
			return err
		}
		for _, x := range ms {
			text[x.ID] = preview(x.Content, clusterPreview)
		}
	}
	ids := shortIDs(s, central...)
	return s.table(func(w io.Writer) {
		fmt.Fprintln(w, "SIZE\tDENSITY\tWORDS\tMOST CENTRAL")
		for i, x := range list {
			fmt.Fprintf(w, "%d\t%.2f\t%s\t%s %s\n", len(x.Members), x.Density, field(cmp.Or(strings.Join(x.Label, ", "), "-")), ids.Of(central[i]), text[central[i]])
		}
	})
}

// clusterPreview is how many characters a table of clusters shows of an insight.
const clusterPreview = 60

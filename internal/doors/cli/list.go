package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newListCommand(s *shell) *cobra.Command {
	f := verb.List{Page: verb.Page{Usual: listed}}
	var all bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List memories: current ones first, newest first",
		Args:  maximumArguments(0),
		Example: `  hippo list --since yesterday --type decision
  hippo list --situation "debugging outages" -n 5`,
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := f.Request(today(s))
			if err != nil {
				return err
			}
			return s.inProject(c.Context(), func(m *client.Client) error {
				if q.Filter.Projects, err = projectsOf(c.Context(), s, m, all); err != nil {
					return err
				}
				list, err := m.List(c.Context(), q)
				if err != nil {
					return err
				}
				return printListing(s, list, f.Offset, filtered(c))
			})
		},
	}
	addArgs(c.Flags(), f.Args())
	addAll(c.Flags(), &all)
	return c
}

// listed is how many insights a list shows by default.
const listed = 20

// filtered reports whether a flag of a list is given that leaves insights out.
func filtered(c *cobra.Command) bool { return c.Flag("project").Changed || selects(c) }

// selects reports whether a flag other than the project selects insights.
func selects(c *cobra.Command) bool {
	return slices.ContainsFunc(selecting(), func(name string) bool {
		flag := c.Flag(name)
		return flag != nil && flag.Changed
	})
}

// selecting returns the names of the flags that select insights, but for the project.
func selecting() []string {
	names := []string{"forgotten"}
	for _, a := range new(verb.Selection).Args() {
		names = append(names, a.NameAt(verb.Shell))
	}
	return names
}

// printListing prints one page of a list, which is filtered if flags leave insights out.
func printListing(s *shell, list *api.Listing, offset int, filtered bool) error {
	switch {
	case s.json || s.lines:
		return printMemories(s, list.Memories)
	case list.Total == 0 && filtered:
		fmt.Fprintln(s.out, "Nothing found. Try other filters, or none.")
		return nil
	case list.Total == 0:
		fmt.Fprintln(s.out, "Nothing here. hippo record CONTENT adds a memory.")
		return nil
	case len(list.Memories) == 0:
		fmt.Fprintf(s.out, "Nothing on this page: %d in all. Try a smaller --offset.\n", list.Total)
		return nil
	}
	printTable(s, list.Memories, list.Day)
	if shown := offset + len(list.Memories); shown < list.Total {
		fmt.Fprintf(s.errw, "%d of %d; more with --offset %d\n", len(list.Memories), list.Total, shown)
	}
	return nil
}

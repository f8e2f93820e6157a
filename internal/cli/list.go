package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/client"
)

func newListCommand(s *shell) *cobra.Command {
	var f selection
	var offset, count int
	var forgotten bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List insights: those that hold first, the newest first",
		Args:  maximumArguments(0),
		Example: `  hippo list --since yesterday --type decision
  hippo list --situation "debugging outages" -n 5`,
		RunE: func(c *cobra.Command, _ []string) error {
			filter, err := f.filter(s)
			if err = cmp.Or(validCount(count), err); err != nil {
				return err
			}
			return s.inProject(c.Context(), func(m *client.Client) (err error) {
				if filter.Projects, err = projectsOf(c.Context(), s, m, f.all); err != nil {
					return err
				}
				more := []client.ListOption{}
				if forgotten {
					more = append(more, client.Forgotten())
				}
				if f.byOrigin() {
					return listSelected(c.Context(), s, m, &f, offset, count, more...)
				}
				opts := []client.ListOption{client.FromFilter(filter), client.InSituation(f.situation...), client.When(f.when), client.Page(offset, count)}
				list, err := m.List(c.Context(), append(opts, more...)...)
				if err != nil {
					return err
				}
				return printListing(s, list, offset, filtered(c))
			})
		},
	}
	f.add(c)
	addPage(c.Flags(), &offset, &count, listed)
	c.Flags().BoolVar(&forgotten, "forgotten", false, "the forgotten ones instead")
	return c
}

// listSelected prints a page of what flags select by where it comes from.
func listSelected(ctx context.Context, s *shell, m *client.Client, f *selection, offset, count int, more ...client.ListOption) error {
	list, err := f.list(ctx, s, m, more...)
	if err != nil {
		return err
	}
	from := min(max(offset, 0), list.Total)
	list.Memories = list.Memories[from:min(from+count, list.Total)]
	return printListing(s, list, offset, true)
}

// listed is how many insights a list shows by default.
const listed = 20

// filtered reports whether a flag of a list is given that leaves insights out.
func filtered(c *cobra.Command) bool { return c.Flag("project").Changed || selects(c) }

// selects reports whether a flag other than the project selects insights.
func selects(c *cobra.Command) (yes bool) {
	for _, name := range []string{
		"situation", "tag", "type", "author", "session", "pinned", "archived", "when", "since", "until", "as-of", "known-at", "forgotten", "source", "import",
	} {
		flag := c.Flag(name)
		yes = yes || flag != nil && flag.Changed
	}
	return yes
}

// printListing prints one page of a list, which is filtered if flags leave insights out.
func printListing(s *shell, list *client.Listing, offset int, filtered bool) error {
	switch {
	case s.json || s.lines:
		return printMemories(s, list.Memories)
	case list.Total == 0 && filtered:
		fmt.Fprintln(s.out, "Nothing found. Try other filters, or none.")
		return nil
	case list.Total == 0:
		fmt.Fprintln(s.out, "Nothing here. hippo record CONTENT adds an insight.")
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

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
)

func newListCommand(s *shell) *cobra.Command {
	var f hippo.Filter
	var offset, count int
	var all, forgotten bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List insights, newest first",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := validCount(count); err != nil {
				return err
			}
			return s.inProject(c.Context(), func(m *client.Client) (err error) {
				if f.Projects, err = projectsOf(c.Context(), s, m, all); err != nil {
					return err
				}
				opts := []client.ListOption{client.FromFilter(f), client.Page(offset, count)}
				if forgotten {
					opts = append(opts, client.Forgotten())
				}
				list, err := m.List(c.Context(), opts...)
				if err != nil {
					return err
				}
				return printListing(s, list, offset)
			})
		},
	}
	v := c.Flags()
	v.IntVar(&offset, "offset", 0, "skip this many")
	v.IntVar(&count, "count", 20, "show this many")
	v.StringArrayVar(&f.Tags, "tag", nil, "with this tag; may be repeated (all)")
	v.StringArrayVar(&f.Types, "type", nil, "of this type; may be repeated (any)")
	v.BoolVar(&forgotten, "forgotten", false, "the forgotten ones instead")
	allFlag(c, &all)
	return c
}

// printListing prints one page of a list.
func printListing(s *shell, list *client.Listing, offset int) error {
	switch {
	case s.json || s.lines:
		return printMemories(s, list.Memories)
	case list.Total == 0:
		fmt.Fprintln(s.out, "Nothing here. hippo record CONTENT adds an insight.")
		return nil
	}
	printTable(s, list.Memories, list.Day)
	if shown := offset + len(list.Memories); shown < list.Total {
		fmt.Fprintf(s.errw, "%d of %d; more with --offset %d\n", len(list.Memories), list.Total, shown)
	}
	return nil
}

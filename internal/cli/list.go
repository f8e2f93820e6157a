package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/engine"
)

func (s *shell) listCommand() *cobra.Command {
	var q engine.ListQuery
	var all bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List insights, newest first",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := validCount(q.Count); err != nil {
				return err
			}
			return s.with(c.Context(), func(e *engine.Engine) (err error) {
				if q.Filter.Projects, err = s.projects(c.Context(), e, all); err != nil {
					return err
				}
				list, err := e.List(c.Context(), q)
				if err != nil {
					return err
				}
				return s.printListing(list, e, q.Offset)
			})
		},
	}
	f := c.Flags()
	f.IntVar(&q.Offset, "offset", 0, "skip this many")
	f.IntVar(&q.Count, "count", 20, "show this many")
	f.StringArrayVar(&q.Filter.Tags, "tag", nil, "with this tag; may be repeated (all)")
	f.StringArrayVar(&q.Filter.Types, "type", nil, "of this type; may be repeated (any)")
	f.BoolVar(&q.Forgotten, "forgotten", false, "the forgotten ones instead")
	allFlag(c, &all)
	return c
}

// printListing prints one page of a list.
func (s *shell) printListing(list *engine.Listing, e *engine.Engine, offset int) error {
	switch {
	case s.json || s.lines:
		return s.printMemories(list.Memories)
	case list.Total == 0:
		fmt.Fprintln(s.out, "Nothing here. hippo record CONTENT adds an insight.")
		return nil
	}
	if err := s.printTable(list.Memories, e.Clock(list.Day)); err != nil {
		return err
	}
	if shown := offset + len(list.Memories); shown < list.Total {
		fmt.Fprintf(s.errw, "%d of %d; more with --offset %d\n", len(list.Memories), list.Total, shown)
	}
	return nil
}

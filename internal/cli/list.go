package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

func (s *shell) getCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get ID...",
		Short: "Show insights whole; an ID is a UUID or the beginning of one or of a content hash",
		Args:  needs("an id"),
		RunE: s.onIDs(func(c *cobra.Command, e *engine.Engine, ids []hippo.ID) error {
			ms, err := e.Get(c.Context(), ids)
			if err != nil {
				return err
			}
			return s.whole(ms)
		}),
	}
}

// whole prints memories with all that is known of them.
func (s *shell) whole(ms []*hippo.Memory) error {
	if s.json || s.lines {
		return s.printMemories(ms)
	}
	for _, m := range ms {
		b, err := memoryJSON(m)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s\n", b)
	}
	return nil
}

func (s *shell) listCommand() *cobra.Command {
	var q engine.ListQuery
	var scope string
	c := &cobra.Command{
		Use:   "list",
		Short: "List insights, newest first",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			err := counted(q.Count)
			if err != nil {
				return err
			}
			if q.Filter.Projects, err = s.scope(c.Context(), scope); err != nil {
				return err
			}
			return s.with(c.Context(), func(e *engine.Engine) error {
				list, err := e.List(c.Context(), q)
				if err != nil {
					return err
				}
				if s.json || s.lines {
					return s.printMemories(list.Memories)
				}
				if err := s.printTable(list.Memories, e.Clock(list.Day)); err != nil {
					return err
				}
				if shown := q.Offset + len(list.Memories); shown < list.Total {
					fmt.Fprintf(s.errw, "%d of %d; more with --offset %d\n", len(list.Memories), list.Total, shown)
				}
				return nil
			})
		},
	}
	f := c.Flags()
	f.IntVar(&q.Offset, "offset", 0, "skip this many")
	f.IntVar(&q.Count, "count", 20, "show this many")
	f.StringArrayVar(&q.Filter.Tags, "tag", nil, "with this tag; may be repeated (all)")
	f.StringArrayVar(&q.Filter.Types, "type", nil, "of this type; may be repeated (any)")
	f.StringVar(&scope, "in", "all", "all projects, the current one, or a name")
	f.BoolVar(&q.Forgotten, "forgotten", false, "the forgotten ones instead")
	return c
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo/internal/code"

	"github.com/spf13/cobra"
)

func newCodeWatchCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "watch PATH",
		Short: "Index a source tree and follow its changes until interrupted",
		Args:  oneArgument("the root of a source tree"),
		RunE: func(c *cobra.Command, args []string) error {
			return withCode(s, func(l code.Library) error {
				t, r, err := l.Update(c.Context(), args[0], false, progressOf(s))
				if err != nil {
					return err
				}
				if err := printCodeReport(s, r, false); err != nil {
					return err
				}
				return watchTree(c.Context(), s, t)
			})
		},
	}
}

// watchTree updates until ctx ends, which is no error.
func watchTree(ctx context.Context, s *shell, t *code.Tree) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	said := "" // a root that is gone is tried again every two seconds
	err = t.Follow(ctx, s.logger(c), func(r code.Change, err error) {
		if err != nil {
			if err.Error() != said {
				said = err.Error()
				s.warn("%v", err)
			}
			return
		}
		said = ""
		if r.Parsed+r.Removed > 0 && !s.json {
			fmt.Fprintf(s.out, "Parsed %s, removed %d, in %v.\n", plural(r.Parsed, "file"), r.Removed, r.Took.Round(time.Millisecond))
		}
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/watch"
)

func newCodeWatchCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "watch PATH",
		Short: "Index a source tree and follow its changes until interrupted",
		Args:  oneArgument("the root of a source tree"),
		RunE: func(c *cobra.Command, args []string) error {
			return withCode(s, func(l *codeindex.Library) error {
				t, r, err := updateTree(c.Context(), s, l, args[0], false)
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
func watchTree(ctx context.Context, s *shell, t *codeindex.Tree) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	changed := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { codeindex.EncodeWhenever(ctx, t, changed) })
	defer work.Wait()
	defer cancel()
	said := "" // a root that is gone is tried again every two seconds
	err = watch.Run(ctx, t.Root.Path, func(ctx context.Context) []string {
		r, err := t.Update(ctx, nil)
		if err != nil {
			if ctx.Err() == nil && err.Error() != said {
				said = err.Error()
				s.warn("%v", err)
			}
			return nil
		}
		said = ""
		select {
		case changed <- struct{}{}:
		default:
		}
		if r.Parsed+r.Removed > 0 && !s.json {
			fmt.Fprintf(s.out, "Parsed %s, removed %d, in %v.\n", plural(r.Parsed, "file"), r.Removed, r.Took.Round(time.Millisecond))
		}
		return r.Folders
	}, watch.Options{Log: s.logger(c)})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

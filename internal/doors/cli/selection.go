package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/verb"
)

// selection are the flags that select memories by a filter, by where they come from, and by the import that brought them.
type selection struct {
	verb.Selection
	all bool
}

func (x *selection) add(c *cobra.Command) {
	addArgs(c.Flags(), x.Args())
	addAll(c.Flags(), &x.all)
}

// every returns all memories that the flags select, newest first.
func (x *selection) every(ctx context.Context, s *shell, m *client.Client) (out []*hippo.Memory, err error) {
	q, err := x.Request(today(s))
	if err == nil {
		q.Filter.Projects, err = projectsOf(ctx, s, m, x.all)
	}
	for total := 1; err == nil && len(out) < total; {
		q.Offset = len(out)
		page, listed := m.List(ctx, q)
		if err = listed; err == nil {
			out, total = append(out, page.Memories...), page.Total
		}
		if err == nil && len(page.Memories) == 0 {
			break
		}
	}
	return out, err
}

// selectionShown is how many memories a question shows.
const selectionShown = 10

// forgetSelected forgets what flags select, after a question: in one operation, or in several if there are more than
// [hippo.MaxIDs].
func forgetSelected(ctx context.Context, s *shell, m *client.Client, x *selection, yes bool) error {
	list, err := x.every(ctx, s, m)
	if err != nil {
		return err
	}
	total := len(list)
	if total == 0 {
		fmt.Fprintln(s.out, "Nothing found, and nothing was forgotten.")
		return nil
	}
	if !yes {
		for _, y := range list[:min(total, selectionShown)] {
			fmt.Fprintf(s.errw, "%s  %s\n", shortID(s, y.ID), preview(y.Content, previewLength))
		}
		if more := total - selectionShown; more > 0 {
			fmt.Fprintf(s.errw, "and %s more\n", grouped(more))
		}
		if err := confirm(ctx, s, fmt.Sprintf("Forget %s?", grouped(total)), fmt.Sprintf("this forgets %s", grouped(total))); err != nil {
			return err
		}
	}
	var ms []*hippo.Memory
	operations := 0
	for ids := range slices.Chunk(hippo.IDsOf(list...), hippo.MaxIDs) {
		done, err := m.Forget(ctx, ids...)
		if err != nil {
			if operations > 0 {
				err = fmt.Errorf("%w; %s of %s were forgotten before", err, grouped(len(ms)), grouped(total))
			}
			return err
		}
		ms, operations = append(ms, done...), operations+1
	}
	switch {
	case s.json, s.lines, len(ms) <= selectionShown:
		return printDone(s, "Forgot", ms)
	case operations == 1:
		fmt.Fprintf(s.out, "Forgot %s memories; hippo undo takes it back\n", grouped(len(ms)))
	default:
		fmt.Fprintf(s.out, "Forgot %s memories in %d operations; each hippo undo takes one of them back\n", grouped(len(ms)), operations)
	}
	return nil
}

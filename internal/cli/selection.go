package cli

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
)

// selection are the flags that select memories by a filter, by where they come from, and by the import that brought them.
type selection struct {
	filterFlags

	source, operation string
}

func (x *selection) add(c *cobra.Command) {
	x.filterFlags.add(c)
	c.Flags().StringVar(&x.source, "source", "", "only what comes from this kind of source, client or file: import, csv, notes.csv")
	c.Flags().StringVar(&x.operation, "import", "", "only what the import with this `OPERATION` of hippo log has brought, in all projects")
}

// byOrigin reports whether the flags look at more than a filter does.
func (x *selection) byOrigin() bool { return x.source != "" || x.operation != "" }

// list returns the memories that the flags select, newest first.
func (x *selection) list(ctx context.Context, s *shell, m *client.Client, more ...client.ListOption) (*client.Listing, error) {
	filter, err := x.filter(s)
	if err != nil {
		return nil, err
	}
	of, err := x.imported(ctx, m)
	if err != nil {
		return nil, err
	}
	if filter.Projects, err = projectsOf(ctx, s, m, x.all || of != nil && !s.root.PersistentFlags().Changed("project")); err != nil {
		return nil, err
	}
	out := &client.Listing{}
	for offset, total := 0, 1; offset < total; offset += hippo.MaxCount {
		opts := append(slices.Clone(more), client.FromFilter(filter), client.InSituation(x.situation...), client.When(x.when), client.Page(offset, hippo.MaxCount))
		page, err := m.List(ctx, opts...)
		if err != nil {
			return nil, err
		}
		total, out.Day = page.Total, page.Day
		for _, y := range page.Memories {
			if (of == nil || of[y.ID]) && comesFrom(&y.Source, x.source) {
				out.Memories = append(out.Memories, y)
			}
		}
	}
	out.Total = len(out.Memories)
	return out, nil
}

// imported returns the memories of the import that the flags name; nil if they name none.
func (x *selection) imported(ctx context.Context, m *client.Client) (map[hippo.ID]bool, error) {
	if x.operation == "" {
		return nil, nil
	}
	id, err := client.ResolveOperation(ctx, m, x.operation)
	if err != nil {
		return nil, err
	}
	for o, err := range operations(ctx, m) {
		switch {
		case err != nil:
			return nil, err
		case o.ID != id:
			continue
		case o.Verb != hippo.VerbImport:
			return nil, hippo.Fieldf("import", "must be an operation of hippo import, got %s, a %s", id.Short(), o.Verb)
		}
		of := make(map[hippo.ID]bool, len(o.Memories))
		for _, y := range o.Memories {
			of[y] = true
		}
		return of, nil
	}
	return nil, fmt.Errorf("%w: no operation with id %q", hippo.ErrNotFound, x.operation)
}

// comesFrom reports whether a source is of a kind, of a client, or a file by its path or name; of any if name is empty.
func comesFrom(source *hippo.Source, name string) bool {
	is := func(s string) bool { return strings.EqualFold(s, name) }
	return name == "" || is(string(source.Kind)) || is(source.Client) || source.URI != "" && (is(source.URI) || is(path.Base(source.URI)))
}

// selectionShown is how many memories a question shows.
const selectionShown = 10

// forgetSelected forgets what flags select, after a question: in one operation, or in several if there are more than
// [hippo.MaxIDs].
func forgetSelected(ctx context.Context, s *shell, m *client.Client, x *selection, yes bool) error {
	list, err := x.list(ctx, s, m)
	if err != nil {
		return err
	}
	if list.Total == 0 {
		fmt.Fprintln(s.out, "Nothing found, and nothing was forgotten.")
		return nil
	}
	if !yes {
		for _, y := range list.Memories[:min(list.Total, selectionShown)] {
			fmt.Fprintf(s.errw, "%s  %s\n", shortID(s, y.ID), preview(y.Content, previewLength))
		}
		if more := list.Total - selectionShown; more > 0 {
			fmt.Fprintf(s.errw, "and %s more\n", grouped(more))
		}
		if err := confirm(ctx, s, fmt.Sprintf("Forget %s?", grouped(list.Total)), fmt.Sprintf("this forgets %s", grouped(list.Total))); err != nil {
			return err
		}
	}
	var ms []*hippo.Memory
	operations := 0
	for ids := range slices.Chunk(hippo.IDsOf(list.Memories...), hippo.MaxIDs) {
		done, err := m.Forget(ctx, ids...)
		if err != nil {
			if operations > 0 {
				err = fmt.Errorf("%w; %s of %s were forgotten before", err, grouped(len(ms)), grouped(list.Total))
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

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

func newUndoCommand(s *shell) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "undo [OPERATION]",
		Short: "Undo an operation of hippo log",
		Long: `Restore the former values of all memories that an operation changed, and forget the memories that it recorded. Without an ID, this
is your last operation that has not been undone; it is shown, and undone after confirmation. If one of the memories was changed since,
nothing changes, and the later operation is named: undo that one first. An undo is itself an operation and can be undone by its ID.`,
		Example: `  hippo undo
  hippo undo 7be01d42`,
		Args: maximumArguments(1),
		RunE: func(c *cobra.Command, refs []string) error {
			return s.with(c.Context(), func(m *client.Client) error {
				id, err := operationToUndo(c.Context(), s, m, refs, yes)
				if err != nil {
					return err
				}
				ms, err := m.Undo(c.Context(), id)
				if err != nil {
					return err
				}
				more := len(ms) - undoneShown
				if more <= 0 || s.json || s.lines {
					return printDone(s, "Undone:", ms)
				}
				err = printDone(s, "Undone:", ms[:undoneShown])
				fmt.Fprintf(s.out, "and %s more\n", grouped(more))
				return err
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask when no ID is given")
	addReason(s, c.Flags())
	return c
}

// undoneShown is how many memories an undo shows: one of an import may change thousands.
const undoneShown = 50

// operationToUndo returns the operation that a reference names; without one, the last that is the user's, after a question.
func operationToUndo(ctx context.Context, s *shell, m *client.Client, refs []string, yes bool) (hippo.ID, error) {
	if len(refs) > 0 {
		return m.ResolveOperation(ctx, refs[0])
	}
	o, err := lastOperation(ctx, m)
	if err != nil {
		return hippo.ID{}, err
	}
	what, err := changesOf(ctx, m, []api.Operation{*o})
	if err != nil {
		return hippo.ID{}, err
	}
	fmt.Fprintf(s.errw, "%s  %s  %s  %s\n", o.ID.Short(), clock(o.At), field(string(o.Verb)), field(what[0]))
	if !yes {
		err = confirm(ctx, s, "Undo this?", "undo without an id takes back the operation above")
	}
	return o.ID, err
}

// operations yields the operations of the store, the newest first, and an error at the end if one cannot be read.
func operations(ctx context.Context, m *client.Client) iter.Seq2[*api.Operation, error] {
	return func(yield func(*api.Operation, error) bool) {
		for offset, more := 0, true; more; {
			page, err := m.Operations(ctx, api.Operations{Offset: offset, Count: hippo.MaxCount})
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Operations {
				if !yield(&page.Operations[i], nil) {
					return
				}
			}
			offset, more = offset+len(page.Operations), page.More && len(page.Operations) > 0
		}
	}
}

// lastOperation returns the last operation of the user of the command line that is neither undone nor an undo.
func lastOperation(ctx context.Context, m *client.Client) (*api.Operation, error) {
	undone := make(map[hippo.ID]bool)
	for o, err := range operations(ctx, m) {
		switch {
		case err != nil:
			return nil, err
		case undone[o.ID]:
		case !o.Undoes.IsZero():
			undone[o.Undoes] = true
		case o.By.Kind == hippo.SourceUser && o.By.Client == "hippo":
			return o, nil
		}
	}
	return nil, fmt.Errorf("%w: no operation of yours is left to undo; hippo log lists those of others", hippo.ErrNotFound)
}

// changesOf says what each operation changed: of one memory its name and the change, of several how many.
func changesOf(ctx context.Context, m *client.Client, ops []api.Operation) ([]string, error) {
	out := make([]string, len(ops))
	versions := make(map[hippo.ID][]hippo.Version)
	for i := range ops {
		o := &ops[i]
		if len(o.Memories) != 1 {
			out[i] = grouped(len(o.Memories)) + " memories"
		} else {
			id := o.Memories[0]
			change, err := changeOf(ctx, m, o, id, versions)
			if err != nil {
				return nil, err
			}
			out[i] = id.Short() + change
		}
		if o.Verb == hippo.VerbImport && o.By.URI != "" {
			out[i] = path.Base(o.By.URI) + ", " + out[i]
		}
	}
	return out, nil
}

// changeOf says how an operation changed a memory; empty if that is not kept. versions are those that were read before.
func changeOf(ctx context.Context, m *client.Client, o *api.Operation, id hippo.ID, versions map[hippo.ID][]hippo.Version) (string, error) {
	now, err := memoriesOf(ctx, m, id)
	if errors.Is(err, hippo.ErrNotFound) || errors.Is(err, hippo.ErrCorrupt) {
		return "", nil
	}
	if _, known := versions[id]; err == nil && !known {
		versions[id], err = m.Versions(ctx, api.Versions{Memory: id})
	}
	if err != nil {
		return "", err
	}
	vs := versions[id]
	for i := range vs {
		if vs[i].Operation.ID == o.ID {
			return inWords(o.Verb, wire.FormerOf(vs[:i+1], now[0]), wire.FormerOf(vs[:i], now[0])), nil
		}
	}
	return "", nil
}

// changeShown is how much of a content a line about a change shows.
const changeShown = 40

// inWords says in a line how two versions of a memory differ; nil is one that is not there.
func inWords(verb hippo.Verb, from, to *hippo.Memory) string {
	text := to
	if text == nil {
		text = from
	}
	if text == nil {
		return ""
	}
	excerpt := " " + strconv.Quote(preview(text.Content, changeShown))
	if from == nil || to == nil || verb == hippo.VerbForget || verb == hippo.VerbRestore {
		return excerpt
	}
	out := ""
	if from.Content != to.Content {
		out = " content" + excerpt
	}
	changed := wire.ChangedBetween(from, to, zone())
	for i := range changed {
		c := &changed[i]
		if c.Name == "base_importance" && from.Importance.Value != to.Importance.Value {
			continue
		}
		if out != "" {
			out += ","
		}
		out += " " + c.Label()
		if c.Name != "metadata" {
			out += " " + preview(cmp.Or(c.Before, "-"), changeShown) + " -> " + preview(cmp.Or(c.After, "-"), changeShown)
		}
	}
	if out == "" {
		out = excerpt
	}
	return out
}

// grouped formats a number with a comma between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

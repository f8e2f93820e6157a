package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/formats"
	"github.com/hippo-memory/hippo/internal/termtext"
)

func newRelateCommand(s *shell) *cobra.Command {
	var weight float64
	var from, until string
	var remove bool
	var at momentFlags
	c := &cobra.Command{
		Use:   "relate FROM KIND TO | relate ID",
		Short: "Say that one insight has to do with another, or show what an insight has to do with",
		Long: `Say that one insight has to do with another: a search that finds one of them
then finds the other, too, or ranks it a little higher. KIND is any word: explains,
contradicts, follows. Use teaches relations of kind co_recalled.
With one ID, show the relations of that insight.`,
		Example: `  hippo relate 9d4f3c1a explains 5be02c77 --weight .8
  hippo relate 9d4f3c1a explains 5be02c77 --remove`,
		Args: relateArgs,
		RunE: func(c *cobra.Command, args []string) error {
			r := hippo.Relation{Weight: weight}
			if err := cmp.Or(setTime(s, &r.ValidFrom, "valid-from", from), setTime(s, &r.ValidUntil, "valid-until", until)); err != nil {
				return err
			}
			return s.with(c.Context(), func(m *client.Client) error {
				if len(args) == 1 {
					var moment hippo.Moment
					if err := at.set(s, &moment); err != nil {
						return err
					}
					return showRelations(c.Context(), s, m, args[0], moment)
				}
				return changeRelation(c.Context(), s, m, args, r, remove)
			})
		},
	}
	at.add(c)
	f := c.Flags()
	f.Float64Var(&weight, "weight", 1, "how much it counts, above 0 and at most 1")
	f.StringVar(&from, "valid-from", "", "when it begins to hold")
	f.StringVar(&until, "valid-until", "", "when it ceases to hold")
	f.BoolVar(&remove, "remove", false, "remove it instead")
	return c
}

// relateArgs rejects flags that have no effect with one ID, which only lists relations.
func relateArgs(c *cobra.Command, args []string) error {
	if len(args) != 1 && len(args) != 3 {
		return usagef("FROM KIND TO are needed, or one id")
	}
	if len(args) == 3 && c.Flags().Changed("as-of") {
		return usagef("--as-of shows the relations of one id")
	}
	for _, name := range []string{"weight", "valid-from", "valid-until", "remove"} {
		if len(args) == 1 && c.Flags().Changed(name) {
			return usagef("--%s needs FROM KIND TO; one id only shows its relations", name)
		}
	}
	return nil
}

// changeRelation declares the relation that args name, or removes it.
func changeRelation(ctx context.Context, s *shell, m *client.Client, args []string, r hippo.Relation, remove bool) error {
	var err error
	if r.From, err = m.Resolve(ctx, args[0]); err != nil {
		return err
	}
	if r.To, err = m.Resolve(ctx, args[2]); err != nil {
		return err
	}
	r.Kind = args[1]
	what, change := "Related", m.Relations().Declare
	if remove {
		what, change = "No longer related", m.Relations().Remove
	}
	if err := change(ctx, r); err != nil {
		return err
	}
	if s.json {
		return printRelations(s, nil, []hippo.Relation{r})
	}
	fmt.Fprintf(s.out, "%s %s %s %s\n", what, shortID(s, r.From), termtext.Line(r.Kind), shortID(s, r.To))
	return nil
}

func showRelations(ctx context.Context, s *shell, m *client.Client, ref string, at hippo.Moment) error {
	id, err := m.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	rs, err := m.Relations().OfAt(ctx, at, id)
	if err != nil {
		return err
	}
	contents := make(map[hippo.ID]string, len(rs))
	if len(rs) > 0 {
		ids := make([]hippo.ID, len(rs))
		for i := range rs {
			ids[i] = rs[i].Other(id)
		}
		ms, err := m.Get(ctx, ids...)
		if err != nil {
			return err
		}
		for _, x := range ms {
			contents[x.ID] = x.Content
		}
	}
	return printRelations(s, func(r *hippo.Relation) string { return contents[r.Other(id)] }, rs)
}

// printRelations prints relations as JSON or a table with the content that other
// returns.
func printRelations(s *shell, other func(*hippo.Relation) string, rs []hippo.Relation) error {
	if s.json {
		list := make([]json.RawMessage, len(rs))
		for i := range rs {
			b, err := formats.EncodeRelation(&rs[i])
			if err != nil {
				return err
			}
			list[i] = b
		}
		return s.printJSON(list)
	}
	var ends []hippo.ID
	for i := range rs {
		ends = append(ends, rs[i].From, rs[i].To)
	}
	ids := shortIDs(s, ends...)
	return s.table(func(w io.Writer) {
		fmt.Fprintln(w, "FROM\tKIND\tTO\tWEIGHT\tREINFORCED\tTHE OTHER")
		for i := range rs {
			r := &rs[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%s\t%s\n", ids.Of(r.From), termtext.Line(r.Kind), ids.Of(r.To), r.Weight,
				r.LastReinforced.Format(time.DateOnly), preview(other(r), 40))
		}
	})
}

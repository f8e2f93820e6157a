package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// relateFlags are the flags of relate as given: to change a relation, or for the moment as of which those of a memory are listed.
type relateFlags struct {
	verb.ChangeRelation
	at verb.Moment
}

func newRelateCommand(s *shell) *cobra.Command {
	var f relateFlags
	c := &cobra.Command{
		Use:   "relate FROM KIND TO | relate ID",
		Short: "Link two memories, or list the links of one",
		Long: `Link one memory to another. A search that finds one of them then also finds the other, or ranks it slightly higher. KIND is any word:
explains, contradicts, follows. Relations of kind co_recalled are learned from use.
A memory has only one relation at a time of these kinds: ` + strings.Join(hippo.SingleKinds(), ", ") + `.
The older one ends when the new one begins, and is shown. If it cannot end then, both stay, and the conflict is shown.
With one ID, show the relations of that memory.`,
		Example: `  hippo relate 9d4f3c1a explains 5be02c77 --weight .8
  hippo relate 9d4f3c1a lives_in 5be02c77 --valid-from 2026-03-01
  hippo relate 9d4f3c1a explains 5be02c77 --end yesterday --reason replaced
  hippo relate 9d4f3c1a explains 5be02c77 --remove`,
		Args: relateArgs,
		RunE: func(c *cobra.Command, args []string) error {
			moment, err := f.at.Moment(today(s))
			if err != nil {
				return err
			}
			return s.with(c.Context(), func(m *client.Client) error {
				if len(args) == 1 {
					ids, err := resolveNamed(c.Context(), m, args)
					if err != nil {
						return err
					}
					return showRelations(c.Context(), s, m, api.Relations{IDs: ids, At: moment})
				}
				return f.change(c, s, m, args)
			})
		},
	}
	addArgs(c.Flags(), f.at.Args())
	addArgs(c.Flags(), f.Args())
	addReason(s, c.Flags())
	return c
}

// relateArgs rejects flags that have no effect with one ID, which only lists relations, or with each other.
func relateArgs(c *cobra.Command, args []string) error {
	if len(args) != 1 && len(args) != 3 {
		return usagef("FROM KIND TO are needed, or one id")
	}
	for _, name := range []string{"as-of", "known-at"} {
		if len(args) == 3 && c.Flags().Changed(name) {
			return usagef("--%s shows the relations of one id", name)
		}
	}
	for _, name := range []string{"weight", "valid-from", "valid-until", "end", "remove", "reason"} {
		if len(args) == 1 && c.Flags().Changed(name) {
			return usagef("--%s needs FROM KIND TO; one id only shows its relations", name)
		}
	}
	for _, name := range []string{"weight", "valid-from", "valid-until", "remove"} {
		if c.Flags().Changed("end") && c.Flags().Changed(name) {
			return usagef("--end and --%s exclude each other", name)
		}
	}
	return nil
}

// change declares the relation that args name, ends or removes it.
func (f *relateFlags) change(c *cobra.Command, s *shell, m *client.Client, args []string) error {
	ctx := c.Context()
	ids, err := resolveNamed(ctx, m, []string{args[0], args[2]})
	if err != nil {
		return err
	}
	f.Kind = args[1]
	r, err := f.Between(ids[0], ids[1], today(s))
	var end time.Time
	if err := cmp.Or(err, typedTimes(f.Validity.From, f.Validity.Until), setTime(s, &end, f.End)); err != nil {
		return err
	}
	switch {
	case f.Remove:
		if err := m.Unrelate(ctx, r); err != nil {
			return err
		}
		return printRelated(s, "No longer related", r)
	case c.Flags().Changed("end"):
		ended, err := m.EndRelations(ctx, api.EndRelations{Relations: []hippo.Relation{r}, At: end})
		if err != nil {
			return err
		}
		return printRelated(s, "Ended", ended[0])
	}
	done, err := m.Relate(ctx, r)
	if err != nil {
		return err
	}
	noteRelated(s, done)
	if s.json {
		return printRelations(s, nil, done.Declared)
	}
	return printRelated(s, "Related", hippo.Relation{From: r.From, To: r.To, Kind: r.Kind})
}

// printRelated prints a relation that was changed.
func printRelated(s *shell, what string, r hippo.Relation) error {
	if s.json {
		return printRelations(s, nil, []hippo.Relation{r})
	}
	fmt.Fprintf(s.out, "%s %s\n", what, relationLine(s, &r))
	return nil
}

// relationLine formats a relation with the time in which it holds.
func relationLine(s *shell, r *hippo.Relation) string {
	line := fmt.Sprintf("%s %s %s", shortID(s, r.From), termtext.Line(r.Kind), shortID(s, r.To))
	if !r.ValidFrom.IsZero() {
		line += " from " + moment(r.ValidFrom)
	}
	if !r.ValidUntil.IsZero() {
		line += " until " + moment(r.ValidUntil)
	}
	return line
}

// noteRelated says what a declaration did to other relations.
func noteRelated(s *shell, done *api.Related) {
	for _, list := range []struct {
		what string
		of   []hippo.Relation
	}{{"replaces", done.Replaced}, {"ended", done.Closed}, {"conflict, stays as it is:", done.Conflicts}} {
		for i := range list.of {
			fmt.Fprintf(s.errw, "hippo: %s %s\n", list.what, relationLine(s, &list.of[i]))
		}
	}
}

func newRelationsCommand(s *shell) *cobra.Command {
	var asked verb.ListRelations
	c := &cobra.Command{
		Use:   "relations ID...",
		Short: "List the relations of memories, up to the 100 strongest of each",
		Example: `  hippo relations 9d4f3c1a --kind lives_in
  hippo relations 9d4f3c1a --as-of 2025-12-31`,
		Args: requireArgument("an id"),
		RunE: onNamed(s, func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			at, err := asked.When.Moment(today(s))
			if err != nil {
				return err
			}
			return showRelations(c.Context(), s, m, api.Relations{IDs: ids, Kinds: asked.Kinds, At: at})
		}),
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

func showRelations(ctx context.Context, s *shell, m *client.Client, q api.Relations) error {
	rs, err := m.Relations(ctx, q)
	if err != nil {
		return err
	}
	other := func(r *hippo.Relation) hippo.ID {
		if slices.Contains(q.IDs, r.From) {
			return r.To
		}
		return r.From
	}
	contents := make(map[hippo.ID]*hippo.Memory, len(rs))
	if len(rs) > 0 {
		ids := make([]hippo.ID, len(rs))
		for i := range rs {
			ids[i] = other(&rs[i])
		}
		ms, err := memoriesOf(ctx, m, ids[:min(len(ids), hippo.MaxIDs)]...)
		if err != nil {
			return err
		}
		for _, x := range ms {
			contents[x.ID] = x
		}
	}
	return printRelations(s, func(r *hippo.Relation) *hippo.Memory { return contents[other(r)] }, rs)
}

// printRelations prints relations as JSON, or as a table with the memories that other returns.
func printRelations(s *shell, other func(*hippo.Relation) *hippo.Memory, rs []hippo.Relation) error {
	if s.json {
		list, err := wire.RelationsOf(rs, s.now())
		if err != nil {
			return err
		}
		return s.printJSON(list)
	}
	var ends []hippo.ID
	for i := range rs {
		ends = append(ends, rs[i].From, rs[i].To)
	}
	ids := shortIDs(s, ends...)
	end := func(r *hippo.Relation) string {
		x := other(r)
		if x == nil {
			return ""
		}
		return wire.Marked(preview(x.Content, 40), x, s.now(), ids)
	}
	return s.table(func(w io.Writer) {
		fmt.Fprintln(w, "FROM\tKIND\tTO\tWEIGHT\tREINFORCED\tHOLDS\tTHE OTHER")
		for i := range rs {
			r := &rs[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%s\t%s\t%s\n", ids.Of(r.From), termtext.Line(r.Kind), ids.Of(r.To), r.Weight,
				day(r.LastReinforced), holding(r.ValidFrom, r.ValidUntil, r.StateAt(s.now())), end(r))
		}
	})
}

// holding formats the bounds between which a fact holds, with its state if it does not now; empty for what holds without bounds.
func holding(from, until time.Time, state hippo.State) string {
	out := wire.StateWord(state)
	if from.IsZero() && until.IsZero() {
		return out
	}
	var ends [2]string
	for i, t := range []time.Time{from, until} {
		if !t.IsZero() {
			ends[i] = validity(t)
		}
	}
	if out != "" {
		out = ", " + out
	}
	return ends[0] + ".." + ends[1] + out
}

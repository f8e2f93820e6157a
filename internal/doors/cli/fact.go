package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

func newFactCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "fact",
		Short: "Manage facts about people, projects and files, and how long they hold",
		Long: `A fact is a relation between two entities that holds for a time, such as Ana works_at Acme, or a memory that states something about
one. SUBJECT and OBJECT are entities or memories, by name or by ID. A subject has only one fact of some kinds at a time; see hippo relate.`,
		Args: refuseUnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newFactAddCommand(s), newFactListCommand(s), newFactEndCommand(s), newFactRemoveCommand(s))
	return c
}

const factArgs = "SUBJECT KIND OBJECT"

func newFactAddCommand(s *shell) *cobra.Command {
	var f verb.Relation
	c := &cobra.Command{
		Use:   "add " + factArgs,
		Short: "Add a fact; missing entities are created",
		Example: "  hippo fact add Ana works_at Acme --valid-from 2019-03-01\n" +
			"  hippo fact add Ana works_at Globex --valid-from yesterday --reason 'she says'",
		Args: entityArgs(factArgs, 3),
		RunE: func(c *cobra.Command, args []string) error {
			f.Kind = args[1]
			r, err := f.Between(hippo.ID{}, hippo.ID{}, today(s))
			if err = cmp.Or(err, typedTimes(f.Validity.From, f.Validity.Until), validFact(r, args)); err != nil {
				return err
			}
			cfg, err := s.config()
			if err != nil {
				return err
			}
			return inProjectOf(c.Context(), s, cfg, asNamed(c.Context(), s, func(m *client.Client) error { return addFact(c.Context(), s, m, r, args) }))
		},
	}
	v := c.Flags()
	addArgs(v, verb.Without(f.Args(), "weight"))
	for _, name := range []string{"from", "until"} { // they are the same
		same := *v.Lookup("valid-" + name)
		same.Name, same.Hidden = name, true
		v.AddFlag(&same)
		v.Lookup("valid-" + name).Usage += "; --" + name + " is the same"
	}
	addReason(s, v)
	return c
}

// validFact checks what can be checked of a relation before its ends are known.
func validFact(r hippo.Relation, args []string) error {
	spaced := func(name string) string { return strings.Join(strings.Fields(name), " ") }
	if strings.EqualFold(spaced(args[0]), spaced(args[2])) {
		return hippo.Fieldf("object", "must be another entity than the subject, got %.60q twice", args[2])
	}
	if r.Kind == hippo.CoRecalled {
		return hippo.Fieldf("kind", "must not be %s, which is learned", hippo.CoRecalled)
	}
	r.From, r.To = hippo.ID{1}, hippo.ID{2}
	return r.Validate()
}

// addFact declares a relation, and records the entities at its ends that are not there.
func addFact(ctx context.Context, s *shell, m *client.Client, r hippo.Relation, args []string) error {
	var err error
	if r.From, r.To, err = factEnds(ctx, s, m, args[0], args[2]); err != nil {
		return err
	}
	done, err := m.Relate(ctx, r)
	if err != nil {
		return err
	}
	for _, x := range []struct {
		what string
		of   []hippo.Relation
	}{{"replaces", done.Replaced}, {"ended", done.Closed}, {"conflict, stays as it is:", done.Conflicts}} {
		facts, err := namedFacts(ctx, s, m, x.of, s.now())
		if err != nil {
			return err
		}
		for i := range facts.Facts {
			fmt.Fprintf(s.errw, "hippo: %s %s\n", x.what, factLine(&facts.Facts[i]))
		}
	}
	return printFact(ctx, s, m, "Recorded", done.Declared)
}

// factEnds returns the IDs that two names mean. Entities that no one recorded are recorded, if both names can be used: also a name of hex
// digits that is the ID of no memory, such as Abba or 9443.
func factEnds(ctx context.Context, s *shell, m *client.Client, from, to string) (a, b hippo.ID, err error) {
	var ids [2]hippo.ID
	var fresh [2]hippo.Entity
	for i, name := range [2]string{from, to} {
		ids[i], err = m.Resolve(ctx, api.Resolve{Ref: name, Entities: true})
		if err == nil {
			continue
		}
		if !errors.Is(err, hippo.ErrNotFound) || isReference(name) {
			return a, b, err
		}
		fresh[i].Name = name
		fresh[i].Normalise()
		if err := fresh[i].Validate(); err != nil {
			return a, b, err
		}
	}
	for i := range fresh {
		if !ids[i].IsZero() {
			continue
		}
		e, err := m.AddEntity(ctx, fresh[i])
		if err != nil {
			return a, b, err
		}
		ids[i] = e.ID
		fmt.Fprintf(s.errw, "hippo: recorded the entity %s\n", wire.EntityLine(e, shortIDs(s, e.ID)))
	}
	return ids[0], ids[1], nil
}

// isReference reports whether a name that no memory has can only be meant as a reference: a number, or what looks like an ID as it
// is shown, of eight or more hex digits with letters and figures.
func isReference(name string) bool {
	const shown = 8
	hex := strings.Trim(name, "0123456789abcdefABCDEF-") == ""
	return strings.HasPrefix(name, "#") || hex && len(name) >= shown && strings.ContainsAny(name, "0123456789") && strings.ContainsAny(name, "abcdefABCDEF")
}

// namedFacts returns relations as facts, as of a time, with the names of their ends.
func namedFacts(ctx context.Context, s *shell, m *client.Client, rs []hippo.Relation, at time.Time) (*wire.Facts, error) {
	var ids []hippo.ID
	p := &api.EntityPage{}
	for i := range rs {
		ids = append(ids, rs[i].From, rs[i].To)
		if rs[i].ValidAt(at) {
			p.Relations = append(p.Relations, rs[i])
		} else {
			p.FormerRelations = append(p.FormerRelations, rs[i])
		}
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	for some := range slices.Chunk(slices.Compact(ids), hippo.MaxIDs) {
		ms, err := memoriesOf(ctx, m, some...)
		if err != nil {
			return nil, err
		}
		p.Others = append(p.Others, ms...)
	}
	return wire.FactsOf(p, s.now()), nil
}

// printFact prints relations that were changed.
func printFact(ctx context.Context, s *shell, m *client.Client, what string, rs []hippo.Relation) error {
	facts, err := namedFacts(ctx, s, m, rs, s.now())
	if err != nil {
		return err
	}
	return printChanged(s, what, facts)
}

// printChanged prints facts after what was done to them.
func printChanged(s *shell, what string, facts *wire.Facts) error {
	s.count = len(facts.Facts)
	if s.json {
		return s.printJSON(facts)
	}
	for i := range facts.Facts {
		fmt.Fprintf(s.out, "%s %s\n", what, factLine(&facts.Facts[i]))
	}
	return nil
}

// factLine formats a fact with the time in which it holds.
func factLine(f *wire.Fact) string {
	line := termtext.Line(f.Text())
	if !f.ValidFrom.IsZero() {
		line += " from " + validity(f.ValidFrom)
	}
	if !f.ValidUntil.IsZero() {
		line += " until " + validity(f.ValidUntil)
	}
	return line
}

func newFactEndCommand(s *shell) *cobra.Command {
	var asked verb.EndFact
	c := &cobra.Command{
		Use:   "end " + factArgs + " | end ID",
		Short: "End a fact: now, at a given time, or when its replacement begins",
		Long: `End a relation, or the memory with an ID. It is kept, and holds until then; hippo undo reverts it. With --by, a memory ends when
the one that supersedes it begins.`,
		Example: "  hippo fact end Ana works_at Acme --at 2024-06-30 --reason 'she left'\n" +
			"  hippo fact end 9d4f3c1a --by 5be02c77",
		Args: func(c *cobra.Command, args []string) error { return endArgs(args, asked.By, c.Flags().Changed("at")) },
		RunE: func(c *cobra.Command, args []string) error {
			until := s.now()
			if err := setTime(s, &until, asked.At); err != nil {
				return err
			}
			return inNamed(c.Context(), s, func(m *client.Client) error {
				if len(args) == 1 {
					return endInsight(c.Context(), s, m, args[0], asked.By, until)
				}
				return endRelation(c.Context(), s, m, args, until)
			})
		},
	}
	addArgs(c.Flags(), asked.Args())
	addReason(s, c.Flags())
	return c
}

func endArgs(args []string, by string, at bool) error {
	switch {
	case len(args) != 1 && len(args) != 3:
		return usagef("needed: %s, or one id; put names with spaces in quotes", factArgs)
	case by != "" && len(args) == 3:
		return usagef("--by needs one id; a relation of a single kind ends when hippo fact add adds another one")
	case by != "" && at:
		return usagef("--at and --by exclude each other: with --by it ends when the other begins")
	}
	return nil
}

// endRelation ends the relation that args name.
func endRelation(ctx context.Context, s *shell, m *client.Client, args []string, until time.Time) error {
	ids, err := resolveNamed(ctx, m, []string{args[0], args[2]})
	if err != nil {
		return err
	}
	ended, err := m.EndRelations(ctx, api.EndRelations{Relations: []hippo.Relation{{From: ids[0], Kind: args[1], To: ids[1]}}, At: until})
	if err != nil {
		return err
	}
	return printFact(ctx, s, m, "Ended", ended)
}

// endInsight ends what an insight states, at a time or by another insight.
func endInsight(ctx context.Context, s *shell, m *client.Client, ref, by string, until time.Time) error {
	ids, err := resolve(ctx, m, []string{ref}, api.PreferLive)
	if err != nil {
		return err
	}
	found, err := memoriesOf(ctx, m, ids...)
	if err != nil {
		return err
	}
	switch x := found[0]; {
	case x.IsEntity():
		return hippo.Fieldf("ID", "must be that of a memory, and %s is an entity: hippo entity remove", shortID(s, x.ID))
	case by == "" && !x.ValidUntil.IsZero() && x.ValidUntil.Before(until):
		return fmt.Errorf("%w: it ended at %s already; hippo modify changes that with --valid-until", hippo.ErrConflict, validity(x.ValidUntil))
	case by == "":
		found[0], err = m.Modify(ctx, api.Modify{ID: x.ID, Change: api.Change{ValidUntil: &until}})
	default:
		found, err = supersededBy(ctx, m, x.ID, by)
	}
	if err != nil {
		return err
	}
	s.count = 1
	facts := wire.FactsOf(&api.EntityPage{Former: found[:1]}, s.now())
	if s.json {
		return s.printJSON(facts)
	}
	_, err = fmt.Fprintf(s.out, "Ended %s %s\n", shortID(s, ids[0]), factLine(&facts.Facts[0]))
	return err
}

// supersededBy makes an insight supersede another one, and returns the other one.
func supersededBy(ctx context.Context, m *client.Client, id hippo.ID, by string) ([]*hippo.Memory, error) {
	newer, err := resolve(ctx, m, []string{by}, api.PreferLive)
	if err != nil {
		return nil, err
	}
	if _, err := m.Modify(ctx, api.Modify{ID: newer[0], Change: api.Change{Supersedes: &[]hippo.ID{id}}}); err != nil {
		return nil, err
	}
	return memoriesOf(ctx, m, id)
}

func newFactRemoveCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "remove " + factArgs,
		Short: "Delete a fact as if it had never been recorded; hippo undo reverts it",
		Args:  entityArgs(factArgs, 3),
		RunE: func(c *cobra.Command, args []string) error {
			return inNamed(c.Context(), s, func(m *client.Client) error {
				ids, err := resolveNamed(c.Context(), m, []string{args[0], args[2]})
				if err != nil {
					return err
				}
				r := hippo.Relation{From: ids[0], Kind: args[1], To: ids[1]}
				if err := m.Unrelate(c.Context(), r); err != nil {
					return err
				}
				facts, err := namedFacts(c.Context(), s, m, []hippo.Relation{r}, s.now())
				if err != nil {
					return err
				}
				for i := range facts.Facts {
					facts.Facts[i].Holds = false // it is gone, and has no bounds that say so
				}
				return printChanged(s, "Removed", facts)
			})
		},
	}
	addReason(s, c.Flags())
	return c
}

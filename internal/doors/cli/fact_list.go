package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// factList is what a list of facts asks for.
type factList struct {
	subject string
	verb.ListFacts
	at    hippo.Moment
	count int
}

func newFactListCommand(s *shell) *cobra.Command {
	q := factList{ListFacts: verb.ListFacts{Page: verb.Page{Usual: 100}}}
	var at momentFlags
	c := &cobra.Command{
		Use:   "list [SUBJECT]",
		Short: "List the facts about an entity, or about all entities",
		Long: `List the relations of an entity and the memories that state something about it; without SUBJECT, the relations of all entities. For
each entity the 100 strongest relations and the 500 newest memories that mention it are read.`,
		Example: "  hippo fact list Ana\n  hippo fact list Ana --former\n  hippo fact list --kind works_at --as-of 2025-12-31",
		Args:    maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			q.subject = strings.Join(args, "")
			if len(args) == 1 && q.subject == "" {
				return hippo.Fieldf("subject", "must not be empty")
			}
			var err error
			if q.count, err = q.Count(); err != nil {
				return err
			}
			if err := at.set(s, &q.at); err != nil {
				return err
			}
			return inNamed(c.Context(), s, func(m *client.Client) error {
				facts, err := q.read(c.Context(), s, m)
				if err != nil {
					return err
				}
				return printFacts(s, facts)
			})
		},
	}
	addArgs(c.Flags(), q.Args())
	at.add(c)
	return c
}

// read returns the facts.
func (q *factList) read(ctx context.Context, s *shell, m *client.Client) (facts *wire.Facts, err error) {
	if q.subject == "" {
		facts, err = q.ofAll(ctx, s, m)
	} else {
		var p *api.EntityPage
		if p, err = m.ShowEntity(ctx, api.ShowEntity{Entity: q.subject, At: q.at, Facts: true}); err == nil {
			facts = wire.FactsOf(p, s.now())
		}
	}
	if err != nil {
		return nil, err
	}
	facts.Facts = slices.DeleteFunc(facts.Facts, func(f wire.Fact) bool {
		return !q.Former && !f.Holds || q.Kinds != nil && !slices.Contains(q.Kinds, f.Kind)
	})
	return facts, nil
}

// ofAll returns the relations of a page of entities.
func (q *factList) ofAll(ctx context.Context, s *shell, m *client.Client) (*wire.Facts, error) {
	l, err := m.ListEntities(ctx, api.ListEntities{Offset: q.Offset, Count: q.count, KnownAt: q.at.KnownAt})
	if err != nil {
		return nil, err
	}
	if len(l.Entities) < l.Total {
		fmt.Fprintf(s.errw, "hippo: of %d of %d entities (--count, --offset)\n", len(l.Entities), l.Total)
	}
	ids := make([]hippo.ID, len(l.Entities))
	for i, e := range l.Entities {
		ids[i] = e.ID
	}
	var rs []hippo.Relation
	if len(ids) > 0 {
		if rs, err = m.Relations(ctx, api.Relations{IDs: ids, Kinds: q.Kinds, At: hippo.Moment{KnownAt: q.at.KnownAt}}); err != nil {
			return nil, err
		}
	}
	rs = slices.DeleteFunc(rs, func(r hippo.Relation) bool { return r.Kind == hippo.CoRecalled })
	facts, err := namedFacts(ctx, s, m, rs, cmp.Or(q.at.ValidAt, s.now()))
	if err == nil {
		facts.Degraded = l.Degraded
	}
	return facts, err
}

func printFacts(s *shell, facts *wire.Facts) error {
	s.count = len(facts.Facts)
	if s.json {
		return s.printJSON(facts)
	}
	for _, note := range facts.Degraded {
		s.warn("%s", note)
	}
	if len(facts.Facts) == 0 {
		_, err := fmt.Fprintln(s.out, "Nothing here. hippo fact add "+factArgs+" says that something holds.")
		return err
	}
	return printFactTable(s, facts.Facts)
}

// printFactTable prints facts in a table. Relations have no ID: the column is there for the insights among them.
func printFactTable(s *shell, facts []wire.Fact) error {
	var insights []hippo.ID
	for i := range facts {
		if id := facts[i].UUID; id != nil {
			insights = append(insights, *id)
		}
	}
	ids := shortIDs(s, insights...)
	row := func(w io.Writer, holds, id, fact string) {
		if len(insights) > 0 {
			holds += "\t" + id
		}
		fmt.Fprintf(w, "%s\t%s\n", holds, fact)
	}
	return s.table(func(w io.Writer) {
		row(w, "HOLDS", "ID", "FACT")
		for i := range facts {
			f, id := &facts[i], ""
			if f.UUID != nil {
				id = ids.Of(*f.UUID)
			}
			row(w, holding(f.ValidFrom, f.ValidUntil, f.State), id, preview(f.Text(), previewLength))
		}
	})
}

package wire

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Facts is a list of facts, as JSON.
type Facts struct {
	Facts []Fact `json:"facts"`
	// Degraded says what the history lacks of what was known at a time.
	Degraded []string `json:"degraded,omitempty"`
}

// Fact is one of two, as JSON: a relation between what Subject and Object name, or what an insight states. The bounds of its
// validity are RFC 3339 in UTC.
type Fact struct {
	Subject string    `json:"subject,omitempty"`
	Kind    string    `json:"kind,omitempty"`
	Object  string    `json:"object,omitempty"`
	From    *hippo.ID `json:"from,omitempty"`
	To      *hippo.ID `json:"to,omitempty"`
	Weight  float64   `json:"weight,omitempty"`

	UUID         *hippo.ID `json:"uuid,omitempty"`
	Content      string    `json:"content,omitempty"`
	SupersededBy *hippo.ID `json:"superseded_by,omitempty"`

	FactValidity
}

// FactValidity says when a fact holds.
type FactValidity struct {
	ValidFrom  time.Time `json:"valid_from,omitzero"`
	ValidUntil time.Time `json:"valid_until,omitzero"`
	// Holds: at the time as of which it was read.
	Holds bool `json:"holds"`
	// State is absent for what holds now.
	State hippo.State `json:"state,omitempty"`
}

// FactsOf returns the relations and the facts of a page, for a reader of now: relations by the name of their subject, of each
// those that hold first, by kind and the time from which they hold; then insights in the order of the page, those that hold first.
func FactsOf(p *api.EntityPage, now time.Time) *Facts {
	out := &Facts{Facts: []Fact{}, Degraded: p.Degraded}
	names := namesOf(p)
	add := func(rs []hippo.Relation, holds bool) {
		for i := range rs {
			r := &rs[i]
			out.Facts = append(out.Facts, Fact{
				Subject: names(r.From), Kind: r.Kind, Object: names(r.To), From: &r.From, To: &r.To, Weight: r.Weight,
				FactValidity: FactValidity{r.ValidFrom, r.ValidUntil, holds, RelationState(r, now)},
			})
		}
	}
	add(p.Relations, true)
	add(p.FormerRelations, false)
	slices.SortStableFunc(out.Facts, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), a.ValidFrom.Compare(b.ValidFrom), cmp.Compare(a.Object, b.Object))
	})
	engine.HoldingFirst(out.Facts, func(f Fact) bool { return f.Holds })
	slices.SortStableFunc(out.Facts, func(a, b Fact) int { return cmp.Compare(a.Subject, b.Subject) })
	for i, list := range [][]*hippo.Memory{p.Facts, p.Former} {
		for _, m := range list {
			out.Facts = append(out.Facts, factOf(m, i == 0, now))
		}
	}
	return out
}

// AnsweredFacts returns the facts of an answer, for a reader of now; nil if there are none.
func AnsweredFacts(list []hippo.Fact, now time.Time) (out []Fact) {
	for i := range list {
		out = append(out, answered(&list[i], now))
	}
	return out
}

// answered returns a fact that holds at the time that a query asks for.
func answered(f *hippo.Fact, now time.Time) Fact {
	return Fact{
		Subject: f.Subject, Kind: f.Kind, Object: f.Object, From: &f.From, To: &f.To, Weight: f.Weight,
		FactValidity: FactValidity{f.ValidFrom, f.ValidUntil, true, RelationState(&f.Relation, now)},
	}
}

// factOf returns what an insight states.
func factOf(m *hippo.Memory, holds bool, now time.Time) Fact {
	f := Fact{UUID: &m.ID, Content: m.Content, FactValidity: FactValidity{m.ValidFrom, m.ValidUntil, holds, StateOf(m, now)}}
	if !m.SupersededBy.IsZero() {
		f.SupersededBy = &m.SupersededBy
	}
	return f
}

// namesOf returns how relations of a page name their ends: an entity by its name, an insight by the beginning of its content.
func namesOf(p *api.EntityPage) func(hippo.ID) string {
	const length = 60 // characters
	names := make(map[hippo.ID]string, len(p.Others)+1)
	if p.Entity != nil {
		names[p.Entity.ID] = p.Entity.Name
	}
	for _, m := range p.Others {
		if names[m.ID] = Clip(m.Content, length); m.IsEntity() {
			e := hippo.ParseEntity(m.Content)
			names[m.ID] = e.Name
		}
	}
	return func(id hippo.ID) string { return cmp.Or(names[id], id.Short()) }
}

// Text returns the fact on a line, without its time: "Ana works_at Acme", or the content of the insight.
func (f *Fact) Text() string {
	if f.UUID != nil {
		return f.Content
	}
	return strings.Join([]string{f.Subject, f.Kind, f.Object}, " ")
}

package verb

import (
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// EndFact ends a relation, or what a memory states.
type EndFact struct {
	at Time
	// By is the memory that takes its place; empty: none.
	By string
}

// Args are the arguments that fill an EndFact.
func (e *EndFact) Args() []Arg {
	return []Arg{
		{Name: "at", About: "when it ceases to hold (default: now)", To: &e.at},
		{Name: "by", About: "the memory (ID) that supersedes it", To: &e.By},
	}
}

// At returns when it ends, for a time in the zone of its days, which is the default. The error is a [*hippo.FieldError].
func (e *EndFact) At(now time.Time) (time.Time, error) { return endAt(e.at, now) }

// ListFacts asks for the facts about an entity, or about all.
type ListFacts struct {
	Kinds  []string
	Former bool
	Page
	When Moment
}

// Args are the arguments that fill a ListFacts.
func (l *ListFacts) Args() []Arg {
	args := []Arg{
		{Name: "kind", Also: "relation", About: "only relations of this kind (default: any, and memories)", To: &l.Kinds},
		{Name: "former", About: "include what no longer holds", To: &l.Former},
	}
	for _, a := range l.Page.Args() {
		a.About = "without SUBJECT: " + a.About + " entities"
		args = append(args, a)
	}
	return append(args, l.When.Args()...)
}

// ChangeRelation declares a relation, ends it, or deletes it.
type ChangeRelation struct {
	Relation
	end    Time
	Remove bool
}

// Args are the arguments that fill a ChangeRelation.
func (c *ChangeRelation) Args() []Arg {
	return append(c.Relation.Args(),
		Arg{Name: "end", About: "end the existing relation at this time: now, yesterday, 2026-03-01", To: &c.end},
		Arg{Name: "remove", About: "delete the relation as if it had never been recorded", To: &c.Remove})
}

// End returns when it ends, for a time in the zone of its days, which is the default. The error is a [*hippo.FieldError].
func (c *ChangeRelation) End(now time.Time) (time.Time, error) { return endAt(c.end, now) }

// endAt returns a time at which something ends: now, if none was given.
func endAt(given Time, now time.Time) (time.Time, error) {
	at := now
	if given.Text != "" && strings.TrimSpace(given.Text) == "" { // somebody typed it
		return at, hippo.Fieldf(given.Name, "must be a time, got %q", given.Text)
	}
	return at, Read(now, given.Into(&at))
}

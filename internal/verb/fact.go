package verb

// EndFact ends a relation, or what a memory states.
type EndFact struct {
	At Time
	// By is the memory that takes its place; empty: none.
	By string
}

// Args are the arguments that fill an EndFact.
func (e *EndFact) Args() []Arg {
	return []Arg{
		{Name: "at", About: "when it ceases to hold (default: now)", To: &e.At},
		{Name: "by", About: "the memory (ID) that supersedes it", To: &e.By},
	}
}

// ChangeRelation declares a relation, ends it, or deletes it.
type ChangeRelation struct {
	Relation
	End    Time
	Remove bool
}

// Args are the arguments that fill a ChangeRelation.
func (c *ChangeRelation) Args() []Arg {
	return append(c.Relation.Args(),
		Arg{Name: "end", About: "end the existing relation at this time: now, yesterday, 2026-03-01", To: &c.End},
		Arg{Name: "remove", About: "delete the relation as if it had never been recorded", To: &c.Remove})
}

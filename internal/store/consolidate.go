package store

import (
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Tidying is what a consolidation changes. It was decided without a lock, on the memories in Seen.
type Tidying struct {
	// Seen are the memories as they were then, by ID.
	Seen map[hippo.ID]*hippo.Memory
	// Drop are relations to remove, Link some to add.
	Drop, Link []hippo.Relation
	Summaries  []Summary
	// Archive are memories to archive.
	Archive []hippo.ID
}

// Summary is a new memory that summarises others.
type Summary struct {
	Memory *hippo.Memory
	// Relations lead to the members; From is set here.
	Relations []hippo.Relation
	// Supersedes is the summary that it replaces; zero: none.
	Supersedes hippo.ID
}

// Tidied counts what a [Tidying] has changed.
type Tidied struct {
	// Operation is zero if nothing was changed, or no history is kept.
	Operation                           hippo.ID
	Dropped, Linked, Recorded, Archived int
	// Skipped are the memories and relations that were changed meanwhile, and so stay as they are.
	Skipped int
}

// Tidy applies a consolidation in one transaction, as one operation that [Undo] undoes. What was changed
// since it was decided stays as it is: a memory that was changed or used is not archived, and one with
// another text, or that is gone, is neither linked nor summarised.
func Tidy(ctx context.Context, s Scoped, t *Tidying) (out Tidied, err error) {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return out, err
	}
	for i := range t.Summaries {
		m := t.Summaries[i].Memory
		if err := s.Place(m); err != nil {
			return out, err
		}
		if err := stampNew(m, s.store.now().UTC()); err != nil {
			return out, err
		}
		if err := m.Validate(); err != nil {
			return out, err
		}
	}
	op, err := newOperation(s, hippo.VerbConsolidate)
	if err != nil {
		return out, err
	}
	err = write(ctx, s.store, driver.Durable, func(tx driver.Tx) error {
		x := &tidier{Tidying: t, in: s, tx: tx, changes: make(map[hippo.ID]*change)}
		if err := x.apply(); err != nil {
			return err
		}
		out = x.Tidied
		list := x.list()
		if len(list) > 0 && s.store.retention.Versions > 0 {
			out.Operation = op.ID
		}
		return putKept(s.store, tx, op, list)
	})
	return out, wrap("consolidate", err)
}

// tidier applies a [Tidying] in a transaction.
type tidier struct {
	*Tidying
	Tidied
	in      Scoped
	tx      driver.Tx
	now     map[hippo.ID]*hippo.Memory
	changes map[hippo.ID]*change
}

func (x *tidier) apply() error {
	if err := x.read(); err != nil {
		return err
	}
	for _, id := range x.Archive {
		x.archive(id)
	}
	for i := range x.Summaries {
		if err := x.summarise(&x.Summaries[i]); err != nil {
			return err
		}
	}
	for _, r := range x.Link {
		if !x.same(r.From) || !x.same(r.To) {
			x.Skipped++
			continue
		}
		added, err := addRelation(x.tx, r)
		if err != nil {
			return err
		}
		if added {
			x.related(x.now[r.From], hippo.RelationChange{Relation: r, Added: true})
			x.Linked++
		}
	}
	for _, r := range x.Drop {
		m := x.now[r.From]
		if m == nil || x.now[r.To] == nil {
			x.Skipped++
			continue
		}
		dropped, err := dropRelation(x.tx, r)
		if err != nil {
			return err
		}
		if dropped {
			x.related(m, hippo.RelationChange{Relation: r})
			x.Dropped++
		}
	}
	return nil
}

// read reads the memories that take part.
func (x *tidier) read() error {
	ids := slices.Clone(x.Archive)
	for _, list := range [][]hippo.Relation{x.Drop, x.Link} {
		for i := range list {
			ids = append(ids, list[i].From, list[i].To)
		}
	}
	for i := range x.Summaries {
		if old := x.Summaries[i].Supersedes; !old.IsZero() {
			ids = append(ids, old)
		}
		for _, r := range x.Summaries[i].Relations {
			ids = append(ids, r.To)
		}
		ids = append(ids, x.Summaries[i].Memory.ID)
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	ms, err := x.tx.Get(slices.Compact(ids)...)
	if driver.Readable(err) != nil {
		return err
	}
	ms = visibleMemories(x.in, ms)
	x.now = make(map[hippo.ID]*hippo.Memory, len(ms))
	for _, m := range ms {
		x.now[m.ID] = m
	}
	return nil
}

// same reports whether a memory says what it said when it was seen, and may be found.
func (x *tidier) same(id hippo.ID) bool {
	m, seen := x.now[id], x.Seen[id]
	return m != nil && seen != nil && m.ContentHash == seen.ContentHash && m.Project == seen.Project && !m.Forgotten() && m.SupersededBy == seen.SupersededBy
}

func (x *tidier) archive(id hippo.ID) {
	m, seen := x.now[id], x.Seen[id]
	if m == nil || seen == nil || m.Revision != seen.Revision {
		x.Skipped++
		return
	}
	c := x.change(m)
	c.after = m.Clone()
	c.after.ArchivedAt = x.in.store.now().UTC().Truncate(time.Microsecond)
	c.after.UpdatedAt = c.after.ArchivedAt
	c.before, c.unchanged = m, false
	x.now[id] = c.after
	x.Archived++
}

// summarise records a summary, unless one of its members is not as it was seen, or another process has recorded it.
func (x *tidier) summarise(s *Summary) error {
	if x.now[s.Memory.ID] != nil {
		x.Skipped++
		return nil
	}
	for _, r := range s.Relations {
		if !x.same(r.To) {
			x.Skipped++
			return nil
		}
	}
	cal, err := x.tx.Calendar()
	if err != nil {
		return err
	}
	m := s.Memory.Clone()
	m.Importance.SetDay, m.Accesses = cal.Day, []hippo.Access{{Day: cal.Day, Count: 1}}
	if !s.Supersedes.IsZero() {
		if !x.same(s.Supersedes) {
			x.Skipped++
			return nil
		}
		replaced, err := replaceMemories(x.in.store, x.tx, x.in, m, []hippo.ID{s.Supersedes}, nil)
		if err != nil {
			return err
		}
		for i := range replaced {
			x.changes[replaced[i].after.ID] = &replaced[i]
		}
	}
	// The relations need the memory.
	if err := x.tx.Put(m); err != nil {
		return err
	}
	c := &change{after: m}
	for _, r := range s.Relations {
		r.From = m.ID
		added, err := addRelation(x.tx, r)
		if err != nil {
			return err
		}
		if added {
			c.relations = append(c.relations, hippo.RelationChange{Relation: r, Added: true})
		}
	}
	x.changes[m.ID] = c
	x.Recorded++
	return nil
}

// change returns what is changed of a memory that is there.
func (x *tidier) change(m *hippo.Memory) *change {
	c := x.changes[m.ID]
	if c == nil {
		c = &change{after: m, unchanged: true}
		x.changes[m.ID] = c
	}
	return c
}

// related notes that a relation from a memory was changed, unless it leads to another project: who may read one of
// them only would see the other end in the history.
func (x *tidier) related(m *hippo.Memory, r hippo.RelationChange) {
	if to := x.now[r.Relation.To]; to == nil || to.Project != m.Project {
		return
	}
	c := x.change(m)
	c.relations = append(c.relations, r)
}

// list returns the changes by ID.
func (x *tidier) list() []change {
	out := make([]change, 0, len(x.changes))
	for _, c := range x.changes {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b change) int { return a.after.ID.Compare(b.after.ID) })
	return out
}

// addRelation stores a relation unless one of its periods overlaps with it, and reports whether it did.
func addRelation(tx driver.Tx, r hippo.Relation) (added bool, err error) {
	list, err := tx.RelationsFrom(r.From, r.To, r.Kind)
	if err != nil || slices.ContainsFunc(list, func(p hippo.Relation) bool { return p.Overlaps(&r) }) {
		return false, err
	}
	err = tx.Relate(r, func(old, r hippo.Relation) hippo.Relation {
		if added = old.Weight == 0; added {
			return r
		}
		return old
	})
	return added, err
}

// dropRelation removes a relation that is stored as it is given, and reports whether it did.
func dropRelation(tx driver.Tx, r hippo.Relation) (dropped bool, err error) {
	err = tx.Relate(r, func(old, r hippo.Relation) hippo.Relation {
		if dropped = old.Weight == r.Weight && old.LastReinforced.Equal(r.LastReinforced) && old.ValidUntil.Equal(r.ValidUntil); dropped {
			return hippo.Relation{}
		}
		return old
	})
	return dropped, err
}

// inverse returns what undoes changes of relations.
func inverse(list []hippo.RelationChange) []hippo.RelationChange {
	out := slices.Clone(list)
	slices.Reverse(out) // what was removed first makes room for what was added then
	for i := range out {
		out[i].Added = !out[i].Added
	}
	return out
}

// changeRelations adds and removes the relations of an undo. What was changed or removed since stays as it is, and so does what
// leads out of the scope; they are taken out of the list. The former are returned.
func changeRelations(s Scoped, tx driver.Tx, list []change) (stay []hippo.Relation, err error) {
	visible, err := visibleTargets(s, tx, list)
	if err != nil {
		return nil, err
	}
	for i := range list {
		done := make([]hippo.RelationChange, 0, len(list[i].relations))
		later := make(map[driver.RelationKey]bool) // changed since: what was there before does not come back
		for _, r := range list[i].relations {
			key := driver.EndsOf(&r.Relation)
			if !visible[r.Relation.To] || r.Added && later[key] {
				continue
			}
			change := dropRelation
			if r.Added {
				change = addRelation
			}
			changed, err := change(tx, r.Relation)
			if err != nil {
				return nil, err
			}
			if changed {
				done = append(done, r)
			} else {
				stay = append(stay, r.Relation)
				later[key] = true
			}
		}
		list[i].relations = slices.Clip(done)
	}
	return stay, nil
}

// visibleTargets returns which of the memories that relations lead to are in the scope.
func visibleTargets(s Scoped, tx driver.Tx, list []change) (map[hippo.ID]bool, error) {
	var ids []hippo.ID
	for i := range list {
		for _, r := range list[i].relations {
			ids = append(ids, r.Relation.To)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	ms, err := tx.Get(slices.Compact(ids)...)
	if driver.Readable(err) != nil {
		return nil, err
	}
	visible := make(map[hippo.ID]bool, len(ms))
	for _, m := range visibleMemories(s, ms) {
		visible[m.ID] = true
	}
	return visible, nil
}

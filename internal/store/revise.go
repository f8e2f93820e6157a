package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Revision is a change of memories and of relations between them that belongs together. It was decided without a lock.
type Revision struct {
	// Record are new memories.
	Record []*hippo.Memory
	// Change are memories that are there, with what to do to each. An error stops the whole.
	Change []Changed
	// Drop are relations to remove, as they are stored, Link some to add, unless there is one with the same ends and kind. Both
	// ends are of one project, so that the history may keep them.
	Drop, Link []hippo.Relation
	// Known, if it is not nil, is what was known of the relations of a memory when Drop and Link were decided.
	Known *KnownRelations
}

// KnownRelations are the relations of a memory that a caller has seen.
type KnownRelations struct {
	ID        hippo.ID
	Relations []hippo.Relation
}

// Changed is a memory and what to do to it. Do may run more than once.
type Changed struct {
	ID hippo.ID
	Do func(*hippo.Memory, hippo.Day) error
}

// Revise applies a revision in one transaction, all or nothing, as one operation that [Undo] undoes whole, and returns the
// changed memories as stored. Unknown memories are a [*hippo.UnknownError]; a relation that is not as given, or of which an end
// is not there, is [hippo.ErrConflict], and so is one that is not among the known ones.
func Revise(ctx context.Context, s Scoped, r *Revision) (out []*hippo.Memory, err error) {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	for _, m := range r.Record {
		if err := s.Place(m); err != nil {
			return nil, err
		}
		if err := stampNew(m, s.store.now().UTC()); err != nil {
			return nil, err
		}
		if err := m.Validate(); err != nil {
			return nil, err
		}
	}
	op, err := newOperation(s, hippo.VerbModify)
	if err != nil {
		return nil, err
	}
	var hidden successors
	err = write(ctx, s.store, driver.Durable, func(tx driver.Tx) error {
		if err := holds(s, tx); err != nil {
			return err
		}
		x := &reviser{in: s, tx: tx, memories: make(map[hippo.ID]*change)}
		if err := x.apply(r); err != nil {
			return err
		}
		out = nil
		for _, c := range r.Change {
			out = append(out, x.memories[c.ID].after)
		}
		hidden, err = hiddenSuccessors(s, out, txGet(tx))
		if err != nil {
			return err
		}
		return putKept(s.store, tx, op, x.changes())
	})
	if err != nil {
		return nil, wrap("revise", err)
	}
	hidden.mask(out...)
	return out, nil
}

// reviser applies a [Revision] in a transaction.
type reviser struct {
	in       Scoped
	tx       driver.Tx
	memories map[hippo.ID]*change // that take part
}

func (x *reviser) apply(r *Revision) error {
	if err := x.known(r.Known); err != nil {
		return err
	}
	if err := x.record(r.Record); err != nil {
		return err
	}
	for _, c := range r.Change {
		if err := x.change(c); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		of    []hippo.Relation
		do    func(driver.Tx, hippo.Relation) (bool, error)
		added bool
	}{{r.Drop, dropRelation, false}, {r.Link, addRelation, true}} {
		for _, one := range list.of {
			if err := x.relate(one, list.do, list.added); err != nil {
				return err
			}
		}
	}
	return nil
}

// known returns [hippo.ErrConflict] if somebody has declared a relation since that the caller has not seen. What only
// learning has added does not count. Cost: that of reading all relations.
func (x *reviser) known(k *KnownRelations) error {
	if k == nil {
		return nil
	}
	seen := make(map[driver.RelationKey]bool, len(k.Relations))
	for i := range k.Relations {
		seen[driver.KeyOf(&k.Relations[i])] = true
	}
	all, err := x.tx.RelationsFrom(hippo.ID{}, hippo.ID{}, "")
	if err != nil {
		return err
	}
	var others []hippo.ID
	for i := range all {
		if r := &all[i]; (r.From == k.ID || r.To == k.ID) && r.Kind != hippo.CoRecalled && !seen[driver.KeyOf(r)] {
			others = append(others, r.Other(k.ID))
		}
	}
	ms, err := x.tx.Get(others...)
	if driver.Readable(err) != nil {
		return err
	}
	for _, m := range visibleMemories(x.in, ms) { // a relation to another one is hidden
		if !m.Forgotten() {
			return fmt.Errorf("%w: a relation between %s and %s was declared meanwhile: try again", hippo.ErrConflict, k.ID.Short(), m.ID.Short())
		}
	}
	return nil
}

func (x *reviser) record(ms []*hippo.Memory) error {
	if len(ms) == 0 {
		return nil
	}
	cal, err := advanceDay(x.in.store, x.tx)
	if err != nil {
		return err
	}
	for _, m := range ms {
		m.Importance.SetDay = cal.Day
		m.Accesses = []hippo.Access{{Day: cal.Day, Count: 1}}
		x.memories[m.ID] = &change{after: m}
	}
	if err := unused(x.tx, ms...); err != nil {
		return err
	}
	return x.tx.Put(ms...) // relations need it
}

func (x *reviser) change(c Changed) error {
	ms, err := getAllVisible(x.in, x.tx, []hippo.ID{c.ID})
	if err != nil {
		return err
	}
	cal, err := x.tx.Calendar()
	if err != nil {
		return err
	}
	before := ms[0].Clone()
	differs, err := changeMemory(x.in.store, ms[0], cal.Day, c.Do)
	if err != nil {
		return err
	}
	x.memories[c.ID] = &change{after: ms[0], unchanged: true}
	if differs {
		x.memories[c.ID] = &change{before: before, after: ms[0]}
	}
	return nil
}

// relate changes a relation and notes it with the memory that it leads from.
func (x *reviser) relate(r hippo.Relation, do func(driver.Tx, hippo.Relation) (bool, error), added bool) error {
	from, err := x.end(r.From)
	if err != nil {
		return err
	}
	to, err := x.end(r.To)
	if err != nil {
		return err
	}
	if from.after.Project != to.after.Project {
		return fmt.Errorf("%w: the relation %s leads to another project", hippo.ErrConflict, r.Kind)
	}
	done, err := do(x.tx, r)
	switch {
	case err != nil:
		return err
	case done:
		from.relations = append(from.relations, hippo.RelationChange{Relation: r, Added: added})
	case !added:
		return fmt.Errorf("%w: the relation %s from %s to %s was changed meanwhile", hippo.ErrConflict, r.Kind, r.From.Short(), r.To.Short())
	}
	return nil
}

// end returns the memory at an end of a relation.
func (x *reviser) end(id hippo.ID) (*change, error) {
	if c := x.memories[id]; c != nil {
		return c, nil
	}
	ms, err := getAllVisible(x.in, x.tx, []hippo.ID{id})
	if err != nil {
		return nil, err
	}
	x.memories[id] = &change{after: ms[0], unchanged: true}
	return x.memories[id], nil
}

// changes returns what was changed, by ID.
func (x *reviser) changes() []change {
	var out []change
	for _, c := range x.memories {
		if !c.unchanged || len(c.relations) > 0 {
			out = append(out, *c)
		}
	}
	slices.SortFunc(out, func(a, b change) int { return a.after.ID.Compare(b.after.ID) })
	return out
}

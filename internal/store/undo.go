package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Undo gives the memories of the scope that an operation changed their former values, all or none,
// in an operation of its own, which can be undone in turn. What the operation recorded is forgotten.
// Accesses stay. It returns the memories as stored, by ID, but for SupersededBy, see [Scoped.Get].
//
// Errors: [hippo.ErrNotFound] if the scope sees nothing of such an operation; [hippo.ErrConflict]
// if one of the memories was changed since: the error names it, and the later operation if it is
// known. Relations that were changed since stay as they are; if nothing else is left to undo, that is
// also a conflict, which names one of them.
//
// It also changes others by fn in the same operation: those that are there and that the undone one has not changed.
func Undo(ctx context.Context, s Scoped, id hippo.ID, others []hippo.ID, fn func(*hippo.Memory)) ([]*hippo.Memory, error) {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	s.op.Undoes = id
	op, err := newOperation(s, hippo.VerbUndo)
	if err != nil {
		return nil, err
	}
	var ms []*hippo.Memory
	var hidden successors
	err = write(ctx, s.store, driver.Durable, func(tx driver.Tx) (err error) {
		if err := holds(s, tx); err != nil {
			return err
		}
		if ms, err = undoAll(s, tx, &undoing{op, id, others, fn}); err != nil {
			return err
		}
		for _, m := range ms {
			if err := notCircular(s, tx, m); err != nil {
				return err
			}
		}
		hidden, err = hiddenSuccessors(s, ms, txGet(tx))
		return err
	})
	if err != nil {
		return nil, wrap("undo", err)
	}
	hidden.mask(ms...)
	slices.SortFunc(ms, func(a, b *hippo.Memory) int { return a.ID.Compare(b.ID) })
	return ms, nil
}

// undoBatch is how many memories an undo changes at a time.
const undoBatch = 500

// undoing is an operation that undoes another one, and changes others.
type undoing struct {
	op     hippo.Operation
	undoes hippo.ID
	others []hippo.ID
	fn     func(*hippo.Memory)
}

// changeOthers changes the others, but for those that the undone operation has changed.
func (u *undoing) changeOthers(s Scoped, tx driver.Tx, vs []hippo.Version, before map[string]int) error {
	others := slices.DeleteFunc(slices.Clone(u.others), func(id hippo.ID) bool {
		return slices.ContainsFunc(vs, func(v hippo.Version) bool { return v.ID == id })
	})
	if len(others) == 0 {
		return nil
	}
	list, err := changeOthers(s, tx, others, u.fn)
	if err != nil {
		return err
	}
	return putKeptAfter(s.store, tx, u.op, list, before)
}

// undoAll undoes an operation in a transaction, some memories at a time, and returns them as stored.
func undoAll(s Scoped, tx driver.Tx, u *undoing) (ms []*hippo.Memory, err error) {
	id := u.undoes
	vs, err := tx.Versions(driver.VersionQuery{Operation: id, Scope: &s.scope})
	if err != nil {
		return nil, err
	}
	if len(vs) == 0 {
		return nil, fmt.Errorf("%w: no operation with id %v", hippo.ErrNotFound, id)
	}
	if err := complete(vs); err != nil {
		return nil, err
	}
	if err := inOrder(s, tx, vs); err != nil {
		return nil, err
	}
	ms = make([]*hippo.Memory, 0, len(vs))
	before := make(map[string]int)
	var stay []hippo.Relation
	left := false
	for some := range slices.Chunk(vs, undoBatch) {
		list, err := undone(s, tx, some)
		if err != nil {
			return nil, err
		}
		as, err := changeRelations(s, tx, list)
		if err != nil {
			return nil, err
		}
		stay = append(stay, as...)
		if err := putKeptAfter(s.store, tx, u.op, list, before); err != nil {
			return nil, err
		}
		for _, c := range list {
			left = left || !c.unchanged || len(c.relations) > 0
			before[c.after.Project]++
			ms = append(ms, c.after)
		}
	}
	if !left {
		if err := nothingLeft(stay); err != nil {
			return nil, err
		}
	}
	return ms, u.changeOthers(s, tx, vs, before)
}

// inOrder brings versions into the order in which their memories were stored last: in that of their IDs, which may be random,
// each write would touch another page of a file.
func inOrder(s Scoped, tx driver.Tx, vs []hippo.Version) error {
	if len(vs) <= undoBatch {
		return nil
	}
	stored := make(map[hippo.ID]hippo.Revision, len(vs))
	for some := range slices.Chunk(vs, undoBatch) {
		ids := make([]hippo.ID, len(some))
		for i := range some {
			ids[i] = some[i].ID
		}
		ms, err := getAllVisible(s, tx, ids)
		if err != nil {
			return err
		}
		for _, m := range ms {
			stored[m.ID] = m.Revision
		}
	}
	slices.SortFunc(vs, func(a, b hippo.Version) int { return cmp.Compare(stored[a.ID], stored[b.ID]) })
	return nil
}

// undone returns what the undo of an operation changes of some memories. vs are their versions.
func undone(s Scoped, tx driver.Tx, vs []hippo.Version) ([]change, error) {
	ids := make([]hippo.ID, len(vs))
	for i := range vs {
		ids[i] = vs[i].ID
	}
	ms, err := getAllVisible(s, tx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]change, len(ms))
	at := s.store.now().UTC().Truncate(time.Microsecond)
	for i, m := range ms {
		list[i].relations = inverse(vs[i].Relations)
		if vs[i].Unchanged {
			list[i].after, list[i].unchanged = m, true
			continue
		}
		if err := unchangedSince(s, tx, m, &vs[i]); err != nil {
			return nil, err
		}
		list[i].before, list[i].after = m, putBack(m, &vs[i], at)
		if err := list[i].after.Validate(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// nothingLeft returns [hippo.ErrConflict] about the relations that stay as they are, if there are any.
func nothingLeft(stay []hippo.Relation) error {
	if len(stay) == 0 {
		return nil
	}
	slices.SortFunc(stay, func(a, b hippo.Relation) int { return a.Compare(&b) })
	r, others := &stay[0], ""
	if n := len(slices.CompactFunc(stay, func(a, b hippo.Relation) bool { return a.Compare(&b) == 0 })) - 1; n > 0 {
		others = fmt.Sprintf(", and so were %d others", n)
	}
	return fmt.Errorf("%w: nothing is left to undo: the relation %s from %s to %s was changed since%s",
		hippo.ErrConflict, r.Kind, r.From.Short(), r.To.Short(), others)
}

// complete returns [hippo.ErrConflict] unless all versions of an operation are there, in each of the
// projects that the caller sees.
func complete(vs []hippo.Version) error {
	found := make(map[string]int)
	for i := range vs {
		found[vs[i].Project]++
	}
	for i := range vs {
		if v := &vs[i]; found[v.Project] < v.Of {
			return fmt.Errorf("%w: %d of the %d memories that operation %v changed were changed so often since that their former versions are no longer kept",
				hippo.ErrConflict, v.Of-found[v.Project], v.Of, v.Operation.ID.Short())
		}
	}
	return nil
}

// unchangedSince returns [hippo.ErrConflict] if a memory is not as the operation of v left it. What was changed since and
// changed back is as it was.
func unchangedSince(s Scoped, tx driver.Tx, m *hippo.Memory, v *hippo.Version) error {
	now, err := fingerprint(m)
	if err != nil || now == v.After {
		return err
	}
	if scored, err := fingerprintOf(former(m)); err != nil || scored == v.After { // of a version before surprise was left out
		return err
	}
	all, err := tx.Versions(driver.VersionQuery{Memories: []hippo.ID{m.ID}, Scope: &s.scope}) // the last one first
	if err != nil {
		return err
	}
	if o := effective(v, all); o != nil {
		return fmt.Errorf("%w: memory %v was changed since, by operation %v (%s, %s): undo that one first",
			hippo.ErrConflict, m.ID.Short(), o.ID.Short(), o.Verb, o.At.Format(time.RFC3339))
	}
	return fmt.Errorf("%w: memory %v was changed since, by something that keeps no history: change it by hand", hippo.ErrConflict, m.ID.Short())
}

// effective returns the last operation after that of v which was not undone; nil if there is none.
func effective(v *hippo.Version, all []hippo.Version) *hippo.Operation {
	undone := make(map[hippo.ID]bool)
	for i := range all {
		o := &all[i].Operation
		switch {
		case o.ID == v.Operation.ID:
			return nil
		case all[i].Unchanged:
		case undone[o.ID]:
		case !o.Undoes.IsZero() && o.Undoes != v.Operation.ID:
			undone[o.Undoes] = true
		default:
			return o
		}
	}
	return nil
}

// putBack returns a memory with its values before an operation. One that the operation recorded is
// forgotten.
func putBack(m *hippo.Memory, v *hippo.Version, at time.Time) *hippo.Memory {
	c := m.Clone()
	if v.Before == nil {
		c.ForgottenAt = at
	} else {
		c = v.Before.Clone()
		c.Accesses, c.Version, c.Revision, c.Surprise = slices.Clone(m.Accesses), m.Version, m.Revision, m.Surprise
		if textChanged(m, c) {
			c.Version++
		}
	}
	c.UpdatedAt = at
	normalise(c)
	return c
}

// notCircular returns [hippo.ErrConflict] if the successors of a memory lead back to it, because
// others were superseded since.
func notCircular(s Scoped, tx driver.Tx, m *hippo.Memory) error {
	at := m
	for range maxChain {
		next, err := visibleSuccessor(tx, s, at)
		if err != nil || next == nil {
			return err
		}
		if at = next; at.ID == m.ID {
			return fmt.Errorf("%w: memory %v would supersede itself, because what superseded it is superseded by it since", hippo.ErrConflict, m.ID.Short())
		}
	}
	return nil
}

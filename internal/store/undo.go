package store

import (
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
// known. Relations that were changed since stay as they are; if nothing else is left to undo, it is
// a conflict, too, which names one of them.
func Undo(ctx context.Context, s Scoped, id hippo.ID) ([]*hippo.Memory, error) {
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
	err = driver.Write(ctx, s.store.backend, driver.Durable, func(tx driver.Tx) error {
		list, err := undone(s, tx, id)
		if err != nil {
			return err
		}
		stay, err := changeRelations(s, tx, list)
		if err != nil {
			return err
		}
		if err := someLeft(list, stay); err != nil {
			return err
		}
		if err := putKept(s.store, tx, op, list); err != nil {
			return err
		}
		ms = make([]*hippo.Memory, len(list))
		for i := range list {
			ms[i] = list[i].after
			if err := notCircular(s, tx, ms[i]); err != nil {
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
	return ms, nil
}

// undone returns what the undo of an operation changes.
func undone(s Scoped, tx driver.Tx, id hippo.ID) ([]change, error) {
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
	ids := make([]hippo.ID, len(vs))
	for i := range vs {
		ids[i] = vs[i].ID
	}
	ms, err := getAllVisible(s, tx, ids)
	if err != nil {
		return nil, err
	}
	all, err := versionsByID(s, tx, ids)
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
		if err := unchangedSince(m, &vs[i], all[m.ID]); err != nil {
			return nil, err
		}
		list[i].before, list[i].after = m, putBack(m, &vs[i], at)
		if err := list[i].after.Validate(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// someLeft returns [hippo.ErrConflict] if an undo changes nothing, because its relations stay as they are.
func someLeft(list []change, stay []hippo.Relation) error {
	if slices.ContainsFunc(list, func(c change) bool { return !c.unchanged || len(c.relations) > 0 }) || len(stay) == 0 {
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

// versionsByID returns the versions of each memory, the last one first.
func versionsByID(s Scoped, tx driver.Tx, ids []hippo.ID) (map[hippo.ID][]hippo.Version, error) {
	vs, err := tx.Versions(driver.VersionQuery{Memories: ids, Scope: &s.scope})
	byID := make(map[hippo.ID][]hippo.Version, len(ids))
	for _, v := range vs {
		byID[v.ID] = append(byID[v.ID], v)
	}
	return byID, err
}

// unchangedSince returns [hippo.ErrConflict] if a memory is not as the operation of v left it. all are
// its versions, the last one first. What was changed since and changed back is as it was.
func unchangedSince(m *hippo.Memory, v *hippo.Version, all []hippo.Version) error {
	now, err := fingerprint(m)
	if err != nil || now == v.After {
		return err
	}
	if scored, err := fingerprintOf(former(m)); err != nil || scored == v.After { // of a version before surprise was left out
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

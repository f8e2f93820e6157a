package store

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// addInstead is [Store.Add] of one memory that supersedes others, in one transaction. Each of
// those gets m as its SupersededBy and ends when m begins: at its ValidFrom, which, if it is
// unset, becomes its EventTime or else CreatedAt. One that ended earlier keeps its end. It
// returns the others as stored.
//
// Unknown IDs are a [*hippo.UnknownError]; one that is superseded already is
// [hippo.ErrConflict] and the error names what to supersede instead, if the caller may see it, and so is one that is forgotten;
// nothing is changed then. A
// ValidFrom that is given and lies before that of a memory to be superseded is
// [hippo.ErrInvalid].
func addInstead(ctx context.Context, s *Store, in Scoped, m *hippo.Memory, old []hippo.ID) ([]*hippo.Memory, error) {
	if err := stampNew(m, s.now().UTC()); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	op, err := newOperation(in, hippo.VerbSupersede)
	if err != nil {
		return nil, err
	}
	given := m.ValidFrom
	var replaced []*hippo.Memory
	err = write(ctx, s, driver.Durable, func(tx driver.Tx) error {
		cal, err := advanceDay(s, tx)
		if err != nil {
			return err
		}
		m.Importance.SetDay = cal.Day
		m.Accesses = []hippo.Access{{Day: cal.Day, Count: 1}}
		m.ValidFrom = given // the transaction may run again
		if err := unused(tx, m); err != nil {
			return err
		}
		changed, err := replaceMemories(s, tx, in, m, old, nil)
		if err != nil {
			return err
		}
		replaced = make([]*hippo.Memory, len(changed))
		for i := range changed {
			replaced[i] = changed[i].after
		}
		return putKept(s, tx, op, append([]change{{after: m}}, changed...))
	})
	if err != nil {
		return nil, wrap("add", err)
	}
	return replaced, nil
}

// supersedeMemories makes a stored memory supersede others, as [Store.addInstead] does for a new one,
// after fn has changed it and them. It returns the memory as stored. fn may run more than once.
func supersedeMemories(ctx context.Context, s *Store, in Scoped, id hippo.ID, old []hippo.ID, fn func(*hippo.Memory, hippo.Day) error) (*hippo.Memory, error) {
	op, err := newOperation(in, hippo.VerbSupersede)
	if err != nil {
		return nil, err
	}
	var m *hippo.Memory
	var hidden successors
	err = write(ctx, s, driver.Durable, func(tx driver.Tx) error {
		if err := holds(in, tx); err != nil {
			return err
		}
		ms, err := getAllVisible(in, tx, []hippo.ID{id})
		if err != nil {
			return err
		}
		cal, err := tx.Calendar()
		if err != nil {
			return err
		}
		m = ms[0]
		before := m.Clone()
		if _, err := changeMemory(s, m, cal.Day, fn); err != nil {
			return err
		}
		replaced, err := replaceMemories(s, tx, in, m, old, func(o *hippo.Memory) error { return fn(o, cal.Day) })
		if err != nil {
			return err
		}
		if hidden, err = hiddenSuccessors(in, ms, txGet(tx)); err != nil {
			return err
		}
		return putKept(s, tx, op, append([]change{{before: before, after: m}}, replaced...))
	})
	if err != nil {
		return nil, wrap("supersede", err)
	}
	hidden.mask(m)
	return m, nil
}

// replaceMemories sets when m begins, and marks what it replaces, after fn has changed that; nil: nothing is to change. It stores nothing.
func replaceMemories(s *Store, tx driver.Tx, in Scoped, m *hippo.Memory, old []hippo.ID, fn func(*hippo.Memory) error) ([]change, error) {
	ms, err := getAllVisible(in, tx, old)
	if err != nil {
		return nil, err
	}
	if len(ms) > 0 {
		if err := unforgotten(m); err != nil {
			return nil, err
		}
	}
	for i, o := range ms {
		if err := replaceable(tx, in, m, o); err != nil {
			return nil, err
		}
		if !m.ValidFrom.IsZero() && !o.ValidFrom.IsZero() && !o.ValidFrom.Before(m.ValidFrom) {
			return nil, hippo.Fieldf("valid_from", "must be after %s, since when %v holds, which is to be superseded",
				o.ValidFrom.Format(time.RFC3339Nano), ms[i].ID)
		}
	}
	if m.ValidFrom.IsZero() {
		m.ValidFrom = beginning(m, ms)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	changed := make([]change, len(ms))
	for i, o := range ms {
		if changed[i], err = replaced(s, m, o, fn); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// replaced marks a memory that m replaces, after fn has changed it.
func replaced(s *Store, m, o *hippo.Memory, fn func(*hippo.Memory) error) (change, error) {
	before := o.Clone()
	if fn != nil {
		if err := fn(o); err != nil {
			return change{}, err
		}
	}
	o.SupersededBy = m.ID
	if o.ValidUntil.IsZero() || m.ValidFrom.Before(o.ValidUntil) {
		o.ValidUntil = m.ValidFrom
	}
	o.UpdatedAt = s.now().UTC()
	normalise(o)
	if textChanged(before, o) {
		o.Version++
	}
	return change{before: before, after: o}, o.Validate()
}

// beginning returns the default of ValidFrom: EventTime or CreatedAt, and after the beginning
// of every memory that it replaces.
func beginning(m *hippo.Memory, old []*hippo.Memory) time.Time {
	t := m.When()
	for _, o := range old {
		if !t.After(o.ValidFrom) {
			t = o.ValidFrom.Add(time.Microsecond) // the unit of stored times
		}
	}
	return t
}

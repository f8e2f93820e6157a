package store

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// successors is a set of IDs in SupersededBy that a caller must not see: outside of the scope, or
// of no memory. A caller cannot tell the two apart.
type successors map[hippo.ID]bool

// mask clears SupersededBy where it names one of the set. The memories must not be stored then.
func (s successors) mask(ms ...*hippo.Memory) {
	for _, m := range ms {
		if s[m.SupersededBy] {
			m.SupersededBy = hippo.ID{}
		}
	}
}

// getByID reads memories of all scopes, from a store or in a transaction.
type getByID func(ids []hippo.ID) ([]*hippo.Memory, error)

func txGet(tx driver.Tx) getByID {
	return func(ids []hippo.ID) ([]*hippo.Memory, error) { return tx.Get(ids...) }
}

// hiddenSuccessors returns the successors of memories of the scope that are not in the scope.
// Cost: nothing if no memory is superseded by one that is not in ms, else one read.
func hiddenSuccessors(s Scoped, ms []*hippo.Memory, get getByID) (successors, error) {
	here := make(map[hippo.ID]bool, len(ms))
	for _, m := range ms {
		here[m.ID] = true
	}
	var hidden successors
	var ids []hippo.ID
	for _, m := range ms {
		if by := m.SupersededBy; !by.IsZero() && !here[by] && !hidden[by] {
			if hidden == nil {
				hidden = make(successors)
			}
			hidden[by] = true
			ids = append(ids, by)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := get(ids)
	if err = driver.Readable(err); err != nil {
		return nil, err
	}
	for _, m := range visibleMemories(s, found) {
		delete(hidden, m.ID)
	}
	return hidden, nil
}

// maskSuccessors clears in ms what the caller must not see of successors.
func maskSuccessors(ctx context.Context, s Scoped, ms []*hippo.Memory) error {
	hidden, err := hiddenSuccessors(s, ms, func(ids []hippo.ID) ([]*hippo.Memory, error) { return s.store.Get(ctx, ids) })
	hidden.mask(ms...)
	return err
}

// maskExported is [maskSuccessors] of a memory that is exported: an administrator of the whole
// namespace gets what is stored, so that no part of it is lost.
func maskExported(ctx context.Context, s Scoped, m *hippo.Memory) error {
	if s.scope.Projects == nil && s.scope.Allows(hippo.RightAdmin) {
		return nil
	}
	return maskSuccessors(ctx, s, []*hippo.Memory{m})
}

// maxChain is the maximum length of a chain of successors that is followed.
const maxChain = 1000

// replaceable reports why m cannot take the place of o.
func replaceable(tx driver.Tx, in Scoped, m, o *hippo.Memory) error {
	if o.ID == m.ID {
		return hippo.Fieldf("supersedes", "must not name the memory itself: %v", o.ID)
	}
	if err := unforgotten(o); err != nil {
		return err
	}
	if o.SupersededBy == m.ID {
		return nil
	}
	if err := overwritable(tx, in, o); err != nil {
		return err
	}
	last, err := newest(tx, in, o)
	if err != nil {
		return err
	}
	if last != o.ID {
		return fmt.Errorf("supersedes: %v is superseded already; supersede %v instead: %w", o.ID, last, hippo.ErrConflict)
	}
	return notAbove(tx, in, m, o)
}

// unforgotten returns [hippo.ErrConflict] if a memory that takes part in a succession is forgotten: what it replaced would be gone as well,
// and nobody finds what replaces it.
func unforgotten(m *hippo.Memory) error {
	if !m.Forgotten() {
		return nil
	}
	return fmt.Errorf("supersedes: %v is forgotten; restore it first: %w", m.ID, hippo.ErrConflict)
}

// overwritable returns [hippo.ErrConflict] if the successor of o may be that of a caller with other
// projects. It does not depend on whether that memory exists. A caller with all projects sees every
// successor in the namespace: others were purged, or are what an import said.
func overwritable(tx driver.Tx, in Scoped, o *hippo.Memory) error {
	if o.SupersededBy.IsZero() || in.scope.Projects == nil {
		return nil
	}
	next, err := visibleSuccessor(tx, in, o)
	if err != nil || next != nil {
		return err
	}
	return fmt.Errorf("supersedes: %v is superseded already: %w", o.ID, hippo.ErrConflict)
}

// visibleSuccessor returns what supersedes m; nil if nothing does that is in the scope.
func visibleSuccessor(tx driver.Tx, s Scoped, m *hippo.Memory) (*hippo.Memory, error) {
	if m.SupersededBy.IsZero() {
		return nil, nil
	}
	ms, err := tx.Get(m.SupersededBy)
	if err != nil && (driver.Readable(err) != nil || s.scope.Allows(hippo.RightAdmin)) {
		return nil, err
	}
	if ms = visibleMemories(s, ms); len(ms) == 0 {
		return nil, nil
	}
	return ms[0], nil
}

// newest returns the end of the chain of successors of o: o itself if it has none, or if the
// chain leads back to it.
func newest(tx driver.Tx, in Scoped, o *hippo.Memory) (hippo.ID, error) {
	at := o
	for range maxChain {
		next, err := visibleSuccessor(tx, in, at)
		if err != nil || next == nil {
			return at.ID, err
		}
		if at = next; at.ID == o.ID {
			break
		}
	}
	return at.ID, nil
}

// notAbove reports that o replaces m, directly or not, so that m cannot replace o.
func notAbove(tx driver.Tx, in Scoped, m, o *hippo.Memory) error {
	at := m
	for range maxChain {
		if at.SupersededBy == o.ID {
			return fmt.Errorf("supersedes: %v supersedes %v already: %w", o.ID, m.ID, hippo.ErrConflict)
		}
		next, err := visibleSuccessor(tx, in, at)
		if err != nil || next == nil {
			return err
		}
		at = next
	}
	return nil
}

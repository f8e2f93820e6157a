package store

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// precondition is what a write was decided on without a lock.
type precondition struct {
	since hippo.Revision
	hold  func(changed []*hippo.Memory) error
}

// Checked returns s whose [Scoped.Add], [Scoped.Update] and [Revise] first call hold, in their transaction, with the memories of
// the scope that were changed after a revision, forgotten ones included. What was decided on the state of that revision can be
// compared with what others have done since. An error stops the write. hold may run more than once.
func Checked(s Scoped, since hippo.Revision, hold func(changed []*hippo.Memory) error) Scoped {
	s.before = &precondition{since, hold}
	return s
}

// holds returns why what the write was decided on does not hold any more.
func holds(s Scoped, tx driver.Tx) error {
	if s.before == nil {
		return nil
	}
	changed, err := tx.Changed(s.before.since)
	if err != nil {
		return err
	}
	return s.before.hold(visibleMemories(s, changed))
}

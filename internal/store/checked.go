package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"

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

// ErrDone says that there is an operation with the ID that a write was given: an earlier attempt has carried it out. [Scoped.Update],
// [Scoped.Supersede], [Revise], [EndRelations] and [Undo] change nothing then.
var ErrDone = errors.New("an earlier attempt has carried this out")

// DoneBefore returns what an earlier attempt of a write with the ID of its operation, see [As], keeps of the memories that it
// changed; nil if it changed none, or there is no such ID. A store that keeps no history cannot tell, which is [hippo.ErrUnavailable].
func DoneBefore(ctx context.Context, s Scoped) ([]hippo.Version, error) {
	if s.op.ID.IsZero() {
		return nil, nil
	}
	if s.store.retention.Versions <= 0 {
		return nil, fmt.Errorf("%w: whether the first attempt was carried out is not known, because the store keeps no history: look before you repeat it", hippo.ErrUnavailable)
	}
	vs, err := s.store.backend.Versions(ctx, driver.VersionQuery{Operation: s.op.ID, Scope: &s.scope})
	return vs, wrap("versions", driver.Readable(err))
}

// holds returns why what the write was decided on does not hold any more.
func holds(s Scoped, tx driver.Tx) error {
	if !s.op.ID.IsZero() {
		done, err := tx.Versions(driver.VersionQuery{Operation: s.op.ID, Scope: &s.scope})
		if err = driver.Readable(err); err != nil || len(done) > 0 {
			return cmp.Or(err, ErrDone)
		}
	}
	if s.before == nil {
		return nil
	}
	changed, err := tx.Changed(s.before.since)
	if err != nil {
		return err
	}
	return s.before.hold(visibleMemories(s, changed))
}

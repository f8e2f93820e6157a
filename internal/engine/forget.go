package engine

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
)

// Forget hides memories from every search. They are kept, and [Memories.Restore] brings them
// back. Forgetting a forgotten memory changes nothing. With an unknown ID nothing is changed.
func (m *Memories) Forget(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	return mark(ctx, m, ids, m.now())
}

// Restore undoes [Memories.Forget].
func (m *Memories) Restore(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	return mark(ctx, m, ids, time.Time{})
}

func mark(ctx context.Context, m *Memories, ids []hippo.ID, at time.Time) ([]*hippo.Memory, error) {
	ids, err := someIDs("IDs", ids)
	if err != nil {
		return nil, err
	}
	return update(ctx, m, ids, func(x *hippo.Memory, _ hippo.Day) error {
		if !x.Forgotten() || at.IsZero() {
			x.ForgottenAt = at
		}
		return nil
	})
}

// Purge removes memories for good, forgotten or not. With an unknown ID nothing is removed.
func (m *Memories) Purge(ctx context.Context, ids []hippo.ID) error {
	ids, err := someIDs("IDs", ids)
	if err != nil {
		return err
	}
	return m.scoped.Purge(ctx, ids)
}

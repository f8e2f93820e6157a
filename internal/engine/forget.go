package engine

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
)

// Forget hides memories from every search. They are kept and [Engine.Restore]
// brings them back. Forgetting a forgotten memory changes nothing. With an
// unknown ID nothing is changed.
func (e *Engine) Forget(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	return e.mark(ctx, ids, e.now())
}

// Restore undoes [Engine.Forget].
func (e *Engine) Restore(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	return e.mark(ctx, ids, time.Time{})
}

func (e *Engine) mark(ctx context.Context, ids []hippo.ID, at time.Time) ([]*hippo.Memory, error) {
	ids, err := requireIDs(ids)
	if err != nil {
		return nil, err
	}
	return e.update(ctx, ids, func(m *hippo.Memory, _ hippo.Day) error {
		if !m.Forgotten() || at.IsZero() {
			m.ForgottenAt = at
		}
		return nil
	})
}

// Purge removes memories for good, forgotten or not. With an unknown ID nothing
// is removed.
func (e *Engine) Purge(ctx context.Context, ids []hippo.ID) error {
	ids, err := requireIDs(ids)
	if err != nil {
		return err
	}
	return e.store.Purge(ctx, ids)
}

func requireIDs(ids []hippo.ID) ([]hippo.ID, error) {
	ids = distinct(ids)
	if len(ids) == 0 || len(ids) > hippo.MaxIDs {
		return nil, hippo.Fieldf("IDs", "must have 1 to %d elements, got %d", hippo.MaxIDs, len(ids))
	}
	return ids, nil
}

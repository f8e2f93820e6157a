package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// Forget hides memories from every search. They are kept, and [Memories.Restore] brings them
// back. Forgetting a forgotten memory changes nothing. With an unknown ID nothing is changed.
func (m *Memories) Forget(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	return perform(ctx, m, ids, forget)
}

func forget(ctx context.Context, m *Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	return mark(ctx, m, hippo.VerbForget, ids, m.now())
}

// Restore brings back memories that are forgotten or archived.
func (m *Memories) Restore(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	return perform(ctx, m, ids, restore)
}

func restore(ctx context.Context, m *Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	return mark(ctx, m, hippo.VerbRestore, ids, time.Time{})
}

func mark(ctx context.Context, m *Memories, verb hippo.Verb, ids []hippo.ID, at time.Time) ([]*hippo.Memory, error) {
	ids, err := someIDs("IDs", ids)
	if err != nil {
		return nil, err
	}
	return update(ctx, m, verb, ids, func(x *hippo.Memory, _ hippo.Day) error {
		if !x.Forgotten() || at.IsZero() {
			x.ForgottenAt = at
		}
		if at.IsZero() {
			x.ArchivedAt = at
		}
		return nil
	})
}

// Purge removes memories for good, forgotten or not. With an unknown ID nothing is removed.
func (m *Memories) Purge(ctx context.Context, ids []hippo.ID) error {
	_, err := perform(ctx, m, ids, purge)
	return err
}

func purge(ctx context.Context, m *Memories, ids []hippo.ID) (none, error) {
	ids, err := someIDs("IDs", ids)
	if err != nil {
		return none{}, err
	}
	err = m.scoped.Purge(ctx, ids)
	unknown, ok := errors.AsType[*hippo.UnknownError](err)
	if !ok || !m.retried {
		return none{}, err
	}
	rest := slices.DeleteFunc(ids, func(id hippo.ID) bool { return slices.Contains(unknown.IDs, id) })
	if len(rest) == 0 {
		return none{}, nil
	}
	return none{}, m.scoped.Purge(ctx, rest)
}

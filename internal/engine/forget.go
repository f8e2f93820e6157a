package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Forget hides memories from every search. They are kept, and [Memories.Restore] brings them
// back. What they supersede holds again. Forgetting a forgotten memory changes nothing. With an
// unknown ID nothing is changed.
func (m *Memories) Forget(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	return perform(ctx, identified(m), ids, "forget", forget)
}

func forget(ctx context.Context, m *Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	ids, err := someIDs("IDs", ids)
	if err != nil {
		return nil, err
	}
	if err := m.scoped.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	h, err := successionsOf(ctx, m, ids)
	if err != nil {
		return nil, err
	}
	at := m.now()
	return mark(ctx, m, hippo.VerbForget, ids, h.former, func(x *hippo.Memory, named bool) {
		if named && !x.Forgotten() {
			x.ForgottenAt = at
		}
		h.release(x)
	})
}

// Restore brings back memories that are forgotten or archived. They supersede again what they superseded when they were
// forgotten.
func (m *Memories) Restore(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	return perform(ctx, identified(m), ids, "restore", restore)
}

func restore(ctx context.Context, m *Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	ids, err := someIDs("IDs", ids)
	if err != nil {
		return nil, err
	}
	if err := m.scoped.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	released, err := releasedBy(ctx, m, ids)
	if err != nil {
		return nil, err
	}
	return mark(ctx, m, hippo.VerbRestore, ids, slices.Collect(maps.Keys(released)), func(x *hippo.Memory, named bool) {
		if named {
			x.ForgottenAt, x.ArchivedAt = time.Time{}, time.Time{}
			delete(x.Metadata, driver.LinksKey)
		}
		if r, ok := released[x.ID]; ok {
			r.Bind(x)
		}
	})
}

// mark changes memories, and others in the same operation. It returns the former.
func mark(ctx context.Context, m *Memories, verb hippo.Verb, ids, others []hippo.ID, fn func(x *hippo.Memory, named bool)) ([]*hippo.Memory, error) {
	if done, err := appliedTo(ctx, m, ids...); err != nil || done != nil {
		return done, err
	}
	others = slices.DeleteFunc(others, func(id hippo.ID) bool { return slices.Contains(ids, id) })
	out, err := update(ctx, m, verb, slices.Concat(ids, others), func(x *hippo.Memory, _ hippo.Day) error {
		fn(x, slices.Contains(ids, x.ID))
		return nil
	})
	return slices.DeleteFunc(out, func(x *hippo.Memory) bool { return !slices.Contains(ids, x.ID) }), err
}

// Purge removes memories for good, forgotten or not. What they supersede holds again. With an unknown ID nothing is removed.
func (m *Memories) Purge(ctx context.Context, ids []hippo.ID) error {
	_, err := perform(ctx, m, ids, "purge", purge)
	return err
}

func purge(ctx context.Context, m *Memories, ids []hippo.ID) (none, error) {
	ids, err := someIDs("IDs", ids)
	if err != nil {
		return none{}, err
	}
	if err := m.scoped.Allow(hippo.RightPurge); err != nil {
		return none{}, err
	}
	h, err := successionsOf(ctx, m, ids)
	if err != nil {
		return none{}, err
	}
	err = purgeOnly(ctx, m, ids, h)
	unknown, ok := errors.AsType[*hippo.UnknownError](err)
	if !ok || !m.retried {
		return none{}, err
	}
	rest := slices.DeleteFunc(ids, func(id hippo.ID) bool { return slices.Contains(unknown.IDs, id) })
	if len(rest) == 0 {
		return none{}, nil
	}
	return none{}, purgeOnly(ctx, m, rest, h)
}

// purgeOnly purges memories and gives back what they supersede, in one transaction.
func purgeOnly(ctx context.Context, m *Memories, ids []hippo.ID, h *successions) error {
	left := slices.DeleteFunc(slices.Clone(h.former), func(id hippo.ID) bool { return slices.Contains(ids, id) })
	if len(left) == 0 {
		return m.scoped.Purge(ctx, ids)
	}
	op := as(m, hippo.VerbModify)
	op.Reason = "what superseded it was purged"
	return store.PurgeAnd(ctx, store.As(m.scoped, op), ids, left, h.release)
}

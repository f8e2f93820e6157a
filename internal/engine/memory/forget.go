package memory

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Forget hides memories from every search. They are kept, and [Restore] brings them
// back. What they supersede holds again. Forgetting a forgotten memory changes nothing. With an
// unknown ID nothing is changed.
func Forget(ctx context.Context, m *engine.Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	return engine.Perform(ctx, engine.Identified(m), ids, "forget", ForgetHere)
}

// ForgetHere is [Forget] within a verb.
func ForgetHere(ctx context.Context, m *engine.Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	ids, err := SomeIDs("IDs", ids)
	if err != nil {
		return nil, err
	}
	if err := m.Scoped.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	h, err := SuccessionsOf(ctx, m, ids)
	if err != nil {
		return nil, err
	}
	at := m.Clock()
	return mark(ctx, m, hippo.VerbForget, ids, h.Former, func(x *hippo.Memory, named bool) {
		if named && !x.Forgotten() {
			x.ForgottenAt = at
		}
		h.Release(x)
	})
}

// Restore brings back memories that are forgotten or archived. They supersede again what they superseded when they were
// forgotten.
func Restore(ctx context.Context, m *engine.Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	return engine.Perform(ctx, engine.Identified(m), ids, "restore", restore)
}

func restore(ctx context.Context, m *engine.Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	ids, err := SomeIDs("IDs", ids)
	if err != nil {
		return nil, err
	}
	if err := m.Scoped.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	released, err := ReleasedBy(ctx, m, ids)
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
func mark(ctx context.Context, m *engine.Memories, verb hippo.Verb, ids, others []hippo.ID, fn func(x *hippo.Memory, named bool)) ([]*hippo.Memory, error) {
	if done, err := engine.AppliedTo(ctx, m, ids...); err != nil || done != nil {
		return done, err
	}
	others = slices.DeleteFunc(others, func(id hippo.ID) bool { return slices.Contains(ids, id) })
	out, err := engine.Update(ctx, m, verb, slices.Concat(ids, others), func(x *hippo.Memory, _ hippo.Day) error {
		fn(x, slices.Contains(ids, x.ID))
		return nil
	})
	return slices.DeleteFunc(out, func(x *hippo.Memory) bool { return !slices.Contains(ids, x.ID) }), err
}

// Purge removes memories for good, forgotten or not. What they supersede holds again. With an unknown ID nothing is removed.
func Purge(ctx context.Context, m *engine.Memories, ids []hippo.ID) error {
	_, err := engine.Perform(ctx, m, ids, "purge", purge)
	return err
}

func purge(ctx context.Context, m *engine.Memories, ids []hippo.ID) (engine.None, error) {
	ids, err := SomeIDs("IDs", ids)
	if err != nil {
		return engine.None{}, err
	}
	if err := m.Scoped.Allow(hippo.RightPurge); err != nil {
		return engine.None{}, err
	}
	h, err := SuccessionsOf(ctx, m, ids)
	if err != nil {
		return engine.None{}, err
	}
	err = purgeOnly(ctx, m, ids, h)
	unknown, ok := errors.AsType[*hippo.UnknownError](err)
	if !ok || !m.Retried {
		return engine.None{}, err
	}
	rest := slices.DeleteFunc(ids, func(id hippo.ID) bool { return slices.Contains(unknown.IDs, id) })
	if len(rest) == 0 {
		return engine.None{}, nil
	}
	return engine.None{}, purgeOnly(ctx, m, rest, h)
}

// purgeOnly purges memories and gives back what they supersede, in one transaction.
func purgeOnly(ctx context.Context, m *engine.Memories, ids []hippo.ID, h *Successions) error {
	left := slices.DeleteFunc(slices.Clone(h.Former), func(id hippo.ID) bool { return slices.Contains(ids, id) })
	if len(left) == 0 {
		return m.Scoped.Purge(ctx, ids)
	}
	op := engine.Operation(m, hippo.VerbModify)
	op.Reason = "what superseded it was purged"
	return store.PurgeAnd(ctx, store.As(m.Scoped, op), ids, left, h.Release)
}

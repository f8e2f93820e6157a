package engine

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hippo-memory/hippo"
)

// Change is a memory before and after a change, as [Memories.Get] returned it.
type Change struct{ Before, After *hippo.Memory }

// Revert undoes changes of different memories, all or none: every field that a change set gets
// its former value, and all others stay, accesses among them. If a field was changed again since,
// the error is [hippo.ErrConflict]. It returns the memories as stored.
func Revert(ctx context.Context, m *Memories, changes []Change) ([]*hippo.Memory, error) {
	versions, err := versionsOf(ctx, m, idsOf(changes))
	if err != nil {
		return nil, err
	}
	return perform(ctx, m, revertArgs{changes, versions}, revert)
}

// revertArgs are the arguments of [Revert].
type revertArgs struct {
	Changes  []Change
	Versions versions
}

func idsOf(changes []Change) []hippo.ID {
	ids := make([]hippo.ID, len(changes))
	for i := range changes {
		ids[i] = changes[i].After.ID
	}
	return ids
}

func revert(ctx context.Context, m *Memories, a revertArgs) ([]*hippo.Memory, error) {
	if done, err := applied(ctx, m, a.Versions); err != nil || done != nil {
		return done, err
	}
	byID := make(map[hippo.ID]*Change, len(a.Changes))
	for i := range a.Changes {
		byID[a.Changes[i].After.ID] = &a.Changes[i]
	}
	ids, err := someIDs("IDs", idsOf(a.Changes))
	if err != nil {
		return nil, err
	}
	return update(ctx, m, ids, func(x *hippo.Memory, _ hippo.Day) error { return byID[x.ID].revert(x) })
}

// revert gives the fields of x that the change set their former values.
func (c *Change) revert(x *hippo.Memory) error {
	b, a := c.Before, c.After
	same := putBack(&x.Content, b.Content, a.Content) && putBack(&x.Situation, b.Situation, a.Situation) &&
		putBack(&x.Tags, b.Tags, a.Tags) && putBack(&x.Type, b.Type, a.Type) && putBack(&x.Metadata, b.Metadata, a.Metadata) &&
		putBack(&x.Importance, b.Importance, a.Importance) && putBack(&x.Feedback, b.Feedback, a.Feedback) &&
		putBack(&x.Untied, b.Untied, a.Untied) && putBack(&x.Pinned, b.Pinned, a.Pinned) &&
		putBack(&x.ValidFrom, b.ValidFrom, a.ValidFrom) && putBack(&x.ValidUntil, b.ValidUntil, a.ValidUntil) &&
		putBack(&x.SupersededBy, b.SupersededBy, a.SupersededBy) && putBack(&x.ForgottenAt, b.ForgottenAt, a.ForgottenAt)
	if !same {
		return fmt.Errorf("%w: %v was changed again since; change it by hand", hippo.ErrConflict, x.ID)
	}
	return nil
}

// putBack sets a field to before if the change made it after. It reports false if the field has a
// third value.
func putBack[T any](field *T, before, after T) bool {
	switch {
	case reflect.DeepEqual(before, after):
		return true
	case !reflect.DeepEqual(*field, after):
		return false
	}
	*field = before
	return true
}

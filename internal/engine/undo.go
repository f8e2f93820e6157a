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
// its former value, and all others stay, accesses among them. If a field was changed again since, to
// a third value, the error is [hippo.ErrConflict]. It returns the memories as stored.
func Revert(ctx context.Context, m *Memories, changes []Change) ([]*hippo.Memory, error) {
	return perform(ctx, m, verbRevert, changes, revert)
}

func revert(ctx context.Context, m *Memories, changes []Change) ([]*hippo.Memory, error) {
	byID := make(map[hippo.ID]*Change, len(changes))
	ids := make([]hippo.ID, len(changes))
	for i := range changes {
		if changes[i].Before == nil || changes[i].After == nil {
			return nil, hippo.Fieldf("Changes", "must have the memory before and after each change")
		}
		ids[i] = changes[i].After.ID
		byID[ids[i]] = &changes[i]
	}
	ids, err := someIDs("IDs", ids)
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
		putBack(&x.Importance, b.Importance, a.Importance) && putBack(&x.Pinned, b.Pinned, a.Pinned) &&
		putBack(&x.ValidFrom, b.ValidFrom, a.ValidFrom) && putBack(&x.ValidUntil, b.ValidUntil, a.ValidUntil) &&
		putBack(&x.SupersededBy, b.SupersededBy, a.SupersededBy) && putBack(&x.ForgottenAt, b.ForgottenAt, a.ForgottenAt)
	if !same {
		return fmt.Errorf("%w: %v was changed again since; change it by hand", hippo.ErrConflict, x.ID)
	}
	return nil
}

// putBack sets a field to before if the change made it after, and it does not have that value again.
// It reports false if the field has a third value.
func putBack[T any](field *T, before, after T) bool {
	switch {
	case reflect.DeepEqual(before, after), reflect.DeepEqual(*field, before):
		return true
	case !reflect.DeepEqual(*field, after):
		return false
	}
	*field = before
	return true
}

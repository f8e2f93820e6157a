package engine

import (
	"context"

	"github.com/hippo-memory/hippo"
)

// ModifyAll is [Memories.Modify] for several memories, each of which is there once, in one transaction and as one operation:
// all of them are changed or none, and one undo takes all back. No change may supersede. It returns the memories as stored.
func ModifyAll(ctx context.Context, m *Memories, list []Modified) ([]*hippo.Memory, error) {
	all := make([]Modified, len(list))
	for i := range list {
		all[i] = Modified{list[i].ID, portable(ctx, m, list[i].Change)}
	}
	return perform(ctx, identified(m), all, "modify_all", modifyAll)
}

func modifyAll(ctx context.Context, m *Memories, list []Modified) ([]*hippo.Memory, error) {
	changes := make(map[hippo.ID]*Modification, len(list))
	ids := make([]hippo.ID, len(list))
	for i := range list {
		x := &list[i]
		if ids[i] = x.ID; changes[x.ID] != nil {
			return nil, hippo.Fieldf("Modifications", "must name each memory once, %s is there twice", x.ID)
		}
		if x.Change.Supersedes != nil {
			return nil, hippo.Fieldf("Modifications", "must not supersede: modify that memory alone")
		}
		if err := x.Change.validate(); err != nil {
			return nil, err
		}
		if err := x.Change.screened(m.secretsAllowed); err != nil {
			return nil, err
		}
		if err := x.Change.place(ctx, m); err != nil {
			return nil, err
		}
		changes[x.ID] = &x.Change
	}
	if len(ids) == 0 {
		return nil, hippo.Fieldf("Modifications", "must have at least one element")
	}
	if done, err := appliedTo(ctx, m, ids...); err != nil || done != nil {
		return done, err
	}
	change := func(x *hippo.Memory, day hippo.Day) error { return changes[x.ID].applyTo(m, x, day) }
	ms, err := updateAndGiveBack(ctx, m, hippo.VerbModify, list, change)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		noteVotes(m, changes[id].ballot(id))
	}
	return ms, nil
}

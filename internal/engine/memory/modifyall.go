package memory

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// ModifyAll is [Modify] for several memories, each of which is there once, in one transaction and as one operation:
// all of them are changed or none, and one undo takes all back. No change may supersede. It returns the memories as stored.
func ModifyAll(ctx context.Context, m *engine.Memories, list []api.Modify) ([]*hippo.Memory, error) {
	all := make([]api.Modify, len(list))
	for i := range list {
		all[i] = api.Modify{ID: list[i].ID, Change: portable(ctx, m, list[i].Change)}
	}
	return engine.Perform(ctx, engine.Identified(m), all, "modify_all", modifyAll)
}

func modifyAll(ctx context.Context, m *engine.Memories, list []api.Modify) ([]*hippo.Memory, error) {
	changes := make(map[hippo.ID]*api.Change, len(list))
	ids := make([]hippo.ID, len(list))
	for i := range list {
		x := &list[i]
		if ids[i] = x.ID; changes[x.ID] != nil {
			return nil, hippo.Fieldf("Modifications", "must name each memory once, %s is there twice", x.ID)
		}
		if x.Change.Supersedes != nil {
			return nil, hippo.Fieldf("Modifications", "must not supersede: modify that memory alone")
		}
		if err := x.Change.Validate(); err != nil {
			return nil, err
		}
		if err := screenedChange(&x.Change, m.SecretsAllowed); err != nil {
			return nil, err
		}
		if err := placeChange(ctx, m, &x.Change); err != nil {
			return nil, err
		}
		changes[x.ID] = &x.Change
	}
	if len(ids) == 0 {
		return nil, hippo.Fieldf("Modifications", "must have at least one element")
	}
	if done, err := engine.AppliedTo(ctx, m, ids...); err != nil || done != nil {
		return done, err
	}
	change := func(x *hippo.Memory, day hippo.Day) error { return applyIfVersion(changes[x.ID], m, x, day) }
	ms, err := updateAndGiveBack(ctx, m, hippo.VerbModify, list, change)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		noteVotes(m, ballotOf(changes[id], id))
	}
	return ms, nil
}

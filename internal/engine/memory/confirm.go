package memory

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

// The base importance that a confirmed memory has at least, and at most: an upvote raises it above the base only if that
// is not 0 and leaves room.
const minConfirmed, maxConfirmed = .2, .6

// Confirmation returns the modification that confirms a memory as it was read: another text has to be read first. What is of low trust is confirmed while its importance is
// above its base, see [briefing.Trusted]; a plain upvote would not lift one that has decayed.
func Confirmation(m *hippo.Memory) api.Change {
	base := min(max(m.Importance.Base, minConfirmed), maxConfirmed)
	return api.Change{Importance: &base, Vote: api.VoteUp, IfVersion: m.Version}
}

// Waiting returns the memories of all projects that sessions do not show until somebody confirms them, of these kinds of
// sources; with no kind, of all. Cost: a list of all memories.
func Waiting(ctx context.Context, m *engine.Memories, kinds ...hippo.SourceKind) ([]*hippo.Memory, error) {
	var out []*hippo.Memory
	q := api.List{Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}, Insights: true, Count: hippo.MaxCount}
	for {
		list, err := List(ctx, m, q)
		if err != nil {
			return nil, err
		}
		for _, x := range list.Memories {
			if (len(kinds) == 0 || slices.Contains(kinds, x.Source.Kind)) && x.Trust == hippo.TrustLow && !briefing.Trusted(x) {
				out = append(out, x)
			}
		}
		if q.Offset += len(list.Memories); len(list.Memories) == 0 || q.Offset >= list.Total {
			return out, nil
		}
	}
}

// Confirm confirms memories, at most [hippo.MaxIDs] as one operation.
func Confirm(ctx context.Context, m *engine.Memories, ms []*hippo.Memory) error {
	for some := range slices.Chunk(ms, hippo.MaxIDs) {
		list := make([]api.Modify, len(some))
		for i, x := range some {
			list[i] = api.Modify{ID: x.ID, Change: Confirmation(x)}
		}
		if _, err := ModifyAll(ctx, m, list); err != nil {
			return err
		}
	}
	return nil
}

package engine

import (
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// maxRelations is how many relations of one memory [Memories.Relations] returns.
const maxRelations = 100

// Relate declares relations, each in place of the one with its From, To and Kind; all or none,
// durably. Kind [hippo.CoRecalled] is learned, not declared. Unknown memories are a
// [*hippo.UnknownError].
func (m *Memories) Relate(ctx context.Context, rs []hippo.Relation) error {
	if err := someRelations(rs); err != nil {
		return err
	}
	for _, r := range rs {
		if r.Kind == hippo.CoRecalled {
			return hippo.Fieldf("Kind", "must not be %s, which is learned", hippo.CoRecalled)
		}
	}
	return m.scoped.Relate(ctx, rs)
}

// Unrelate removes relations by From, To and Kind, learned ones too. Those that are not there
// are [hippo.ErrNotFound], after the others were removed.
func (m *Memories) Unrelate(ctx context.Context, rs []hippo.Relation) error {
	if err := someRelations(rs); err != nil {
		return err
	}
	rs = slices.Clone(rs)
	for i, r := range rs {
		if r.Kind == hippo.CoRecalled {
			rs[i] = hippo.CoRecall(r.From, r.To)
		}
	}
	if err := m.Flush(ctx); err != nil { // what was learned already may be meant
		return err
	}
	return m.scoped.Unrelate(ctx, rs)
}

func someRelations(rs []hippo.Relation) error {
	if len(rs) == 0 || len(rs) > hippo.MaxIDs {
		return hippo.Fieldf("Relations", "must have 1 to %d elements, got %d", hippo.MaxIDs, len(rs))
	}
	return nil
}

// Relations returns the relations at either end of memories, at most 100 of each, the
// strongest; those that do not hold now too, those of forgotten memories not. Weights are those
// of now. They are ordered by From, To and Kind. Unknown IDs are a [*hippo.UnknownError].
func (m *Memories) Relations(ctx context.Context, ids []hippo.ID) ([]hippo.Relation, error) {
	if _, err := m.Get(ctx, ids); err != nil {
		return nil, err
	}
	rs, err := m.scoped.Relations(ctx, distinct(ids), time.Time{}, maxRelations)
	return weighed(&m.weights.Relations, rs, m.now()), err
}

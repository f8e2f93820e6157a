package engine

import (
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// maxRelations is how many relations of one memory [Relations.Of] returns.
const maxRelations = 100

// Relations declares, removes and reads relations within the scope of a caller.
type Relations struct{ memories *Memories }

// Relations returns the relations within the scope.
func (m *Memories) Relations() Relations { return Relations{m} }

// Declare declares relations, each in place of the one with its From, To and Kind; all or none,
// durably. Kind [hippo.CoRecalled] is learned, not declared. Unknown memories are a
// [*hippo.UnknownError].
func (r Relations) Declare(ctx context.Context, list []hippo.Relation) error {
	if err := someRelations(list); err != nil {
		return err
	}
	for _, x := range list {
		if x.Kind == hippo.CoRecalled {
			return hippo.Fieldf("Kind", "must not be %s, which is learned", hippo.CoRecalled)
		}
	}
	for i, x := range list {
		if err := screenedKind(i, x.Kind); err != nil {
			return err
		}
	}
	return r.memories.scoped.Relate(ctx, list)
}

// Remove removes relations by From, To and Kind, learned ones too. Those that are not there
// are [hippo.ErrNotFound], after the others were removed.
func (r Relations) Remove(ctx context.Context, list []hippo.Relation) error {
	if err := someRelations(list); err != nil {
		return err
	}
	list = slices.Clone(list)
	for i, x := range list {
		if x.Kind == hippo.CoRecalled {
			list[i] = hippo.CoRecall(x.From, x.To)
		}
	}
	if err := r.memories.Flush(ctx); err != nil { // what was learned already may be meant
		return err
	}
	return r.memories.scoped.Unrelate(ctx, list)
}

func someRelations(rs []hippo.Relation) error {
	if len(rs) == 0 || len(rs) > hippo.MaxIDs {
		return hippo.Fieldf("Relations", "must have 1 to %d elements, got %d", hippo.MaxIDs, len(rs))
	}
	return nil
}

// Of returns the relations at either end of memories, at most 100 of each, the strongest; those
// that do not hold now too, those of forgotten memories not. Weights are those of now. They are
// ordered by From, To and Kind. Unknown IDs are a [*hippo.UnknownError].
func (r Relations) Of(ctx context.Context, ids []hippo.ID) ([]hippo.Relation, error) {
	m := r.memories
	if _, err := m.Get(ctx, ids); err != nil {
		return nil, err
	}
	list, err := m.scoped.Relations(ctx, distinct(ids), time.Time{}, maxRelations)
	return weighed(&m.weights.Relations, list, m.now()), err
}

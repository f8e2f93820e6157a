package engine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// maxRelations is how many relations of one memory [Relations.Of] returns.
const maxRelations = 100

// Relations declares, removes and reads relations within the scope of a caller.
type Relations struct{ memories *Memories }

// Relations returns the relations within the scope.
func (m *Memories) Relations() Relations { return Relations{m} }

// Declare declares relations, each in place of those with its From, To and Kind that hold at the same time; all or none, durably. Those of
// [hippo.SingleKinds] end the older one of the same memory; what that leaves in conflict is in the result, and stays as it is.
// Kind [hippo.CoRecalled] is learned, not declared. Unknown memories are a [*hippo.UnknownError].
func (r Relations) Declare(ctx context.Context, list []hippo.Relation) (*api.Related, error) {
	return perform(ctx, r.memories, list, "relate", declare)
}

func declare(ctx context.Context, m *Memories, list []hippo.Relation) (*api.Related, error) {
	if err := someRelations(list); err != nil {
		return nil, err
	}
	for i, x := range list {
		if x.Kind == hippo.CoRecalled {
			return nil, hippo.Fieldf("kind", "must not be %s, which is learned", hippo.CoRecalled)
		}
		if err := screenedKind(i, x.Kind); err != nil {
			return nil, err
		}
	}
	single := hippo.SingleKinds()
	return store.As(m.scoped, as(m, hippo.VerbRelate)).Relate(ctx, list, func(kind string) bool { return slices.Contains(single, kind) })
}

// End ends relations, all or none, durably, and returns them as stored. It is an operation, which can be undone. One that is
// not there is [hippo.ErrNotFound], one that ended before [hippo.ErrConflict], one that begins later [hippo.ErrInvalid].
func (r Relations) End(ctx context.Context, e api.EndRelations) ([]hippo.Relation, error) {
	if e.At.IsZero() {
		e.At = r.memories.now()
	}
	return perform(ctx, identified(r.memories), e, "end_relations", endRelations)
}

func endRelations(ctx context.Context, m *Memories, e api.EndRelations) ([]hippo.Relation, error) {
	if err := someRelations(e.Relations); err != nil {
		return nil, err
	}
	for _, x := range e.Relations {
		if x.Kind == hippo.CoRecalled {
			return nil, hippo.Fieldf("kind", "must not be %s, which is learned: remove it", hippo.CoRecalled)
		}
	}
	done, err := applied(ctx, m)
	if err != nil || len(done) > 0 {
		return ended(done), err
	}
	return store.EndRelations(ctx, store.As(m.scoped, as(m, hippo.VerbRelate)), e.Relations, e.At)
}

// ended returns the relations that an operation has ended, as it stored them.
func ended(done []hippo.Version) (out []hippo.Relation) {
	for _, v := range done {
		for _, c := range v.Relations {
			if c.Added {
				out = append(out, c.Relation)
			}
		}
	}
	return out
}

// Remove removes relations by From, To and Kind, and by ValidFrom if it is set, else all periods; learned ones too. Those that are not there
// are [hippo.ErrNotFound], after the others were removed.
func (r Relations) Remove(ctx context.Context, list []hippo.Relation) error {
	_, err := perform(ctx, r.memories, list, "unrelate", remove)
	return err
}

func remove(ctx context.Context, m *Memories, list []hippo.Relation) (none, error) {
	if err := someRelations(list); err != nil {
		return none{}, err
	}
	list = slices.Clone(list)
	for i, x := range list {
		if x.Kind == hippo.CoRecalled {
			list[i] = hippo.CoRecall(x.From, x.To)
		}
	}
	if err := m.Flush(ctx); err != nil { // what was learned already may be meant
		return none{}, err
	}
	err := store.As(m.scoped, as(m, hippo.VerbRelate)).Unrelate(ctx, list)
	if m.retried && errors.Is(err, hippo.ErrNotFound) {
		err = nil // removed by the first attempt
	}
	return none{}, err
}

func someRelations(rs []hippo.Relation) error {
	if len(rs) == 0 || len(rs) > hippo.MaxIDs {
		return hippo.Fieldf("Relations", "must have 1 to %d elements, got %d", hippo.MaxIDs, len(rs))
	}
	return nil
}

// Of returns the relations at either end of memories, at most 100 of each, the strongest; those
// that do not hold now too, those of forgotten memories not. Weights are those of now. They are
// ordered by From, To and Kind, those that hold first. Unknown IDs are a [*hippo.UnknownError].
func (r Relations) Of(ctx context.Context, ids []hippo.ID) ([]hippo.Relation, error) {
	return perform(ctx, r.memories, api.Relations{IDs: ids}, "relations", relationsOf)
}

// List is [Relations.Of] with a query.
func (r Relations) List(ctx context.Context, q api.Relations) ([]hippo.Relation, error) {
	return perform(ctx, r.memories, q, "relations", relationsOf)
}

func relationsOf(ctx context.Context, m *Memories, q api.Relations) ([]hippo.Relation, error) {
	if known := q.At.KnownAt; isPast(m, q.At) {
		q.At.KnownAt = time.Time{}
		out, _, err := inPast(ctx, m, known, func(p *Memories) ([]hippo.Relation, error) { return relationsOf(ctx, p, q) })
		return out, err
	}
	if _, err := get(ctx, m, q.IDs); err != nil {
		return nil, err
	}
	limit := maxRelations
	if q.Kinds != nil {
		limit = math.MaxInt32 // the strongest may be of other kinds
	}
	list, err := m.scoped.Relations(ctx, distinct(q.IDs), q.At.ValidAt, limit)
	if q.Kinds != nil {
		list = strongest(slices.DeleteFunc(list, func(x hippo.Relation) bool { return !slices.Contains(q.Kinds, x.Kind) }), q.IDs)
	}
	return holdingFirst(weighed(&m.weights.Relations, list, m.now()), cmp.Or(q.At.ValidAt, m.now())), err
}

// strongest keeps the [maxRelations] strongest relations of each memory. The list is in the order of [hippo.Relation.Compare].
func strongest(list []hippo.Relation, ids []hippo.ID) []hippo.Relation {
	var g driver.Graph
	for _, r := range list {
		g.Set(r)
	}
	var kept driver.Graph
	for _, id := range ids {
		of := g.At(id)
		slices.SortFunc(of, func(a, b hippo.Relation) int { return driver.Stronger(&a, &b) })
		for _, r := range of[:min(len(of), maxRelations)] {
			kept.Set(r)
		}
	}
	return kept.All()
}

package knowledge

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// MaxRelations is how many relations of one memory [RelationsOf] returns.
const MaxRelations = 100

// Relate declares relations, each in place of those with its From, To and Kind that hold at the same time; all or none, durably. Those of
// [hippo.SingleKinds] end the older one of the same memory; the result lists the conflicts that remain, which nothing resolves.
// Kind [hippo.CoRecalled] is learned, not declared. Unknown memories are a [*hippo.UnknownError].
func Relate(ctx context.Context, m *engine.Memories, list []hippo.Relation) (*api.Related, error) {
	return engine.Perform(ctx, m, list, "relate", declare)
}

func declare(ctx context.Context, m *engine.Memories, list []hippo.Relation) (*api.Related, error) {
	if err := someRelations(list); err != nil {
		return nil, err
	}
	for i, x := range list {
		if x.Kind == hippo.CoRecalled {
			return nil, hippo.Fieldf("kind", "must not be %s, which is learned", hippo.CoRecalled)
		}
		if err := memory.ScreenedKind(i, x.Kind); err != nil {
			return nil, err
		}
	}
	single := hippo.SingleKinds()
	return store.As(m.Scoped, engine.Operation(m, hippo.VerbRelate)).Relate(ctx, list, func(kind string) bool { return slices.Contains(single, kind) })
}

// EndRelations ends relations, all or none, durably, and returns them as stored. It is an operation, which can be undone. One that is
// not there is [hippo.ErrNotFound], one that ended before [hippo.ErrConflict], one that begins later [hippo.ErrInvalid].
func EndRelations(ctx context.Context, m *engine.Memories, e api.EndRelations) ([]hippo.Relation, error) {
	if e.At.IsZero() {
		e.At = m.Clock()
	}
	return engine.Perform(ctx, engine.Identified(m), e, "end_relations", endRelations)
}

func endRelations(ctx context.Context, m *engine.Memories, e api.EndRelations) ([]hippo.Relation, error) {
	if err := someRelations(e.Relations); err != nil {
		return nil, err
	}
	for _, x := range e.Relations {
		if x.Kind == hippo.CoRecalled {
			return nil, hippo.Fieldf("kind", "must not be %s, which is learned: remove it", hippo.CoRecalled)
		}
	}
	done, err := engine.Applied(ctx, m)
	if err != nil || len(done) > 0 {
		return ended(done), err
	}
	return store.EndRelations(ctx, store.As(m.Scoped, engine.Operation(m, hippo.VerbRelate)), e.Relations, e.At)
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

// Unrelate removes relations by From, To and Kind, and by ValidFrom if it is set, else all periods; learned ones too. Those that are not there
// are [hippo.ErrNotFound], after the others were removed.
func Unrelate(ctx context.Context, m *engine.Memories, list []hippo.Relation) error {
	_, err := engine.Perform(ctx, m, list, "unrelate", remove)
	return err
}

func remove(ctx context.Context, m *engine.Memories, list []hippo.Relation) (engine.None, error) {
	if err := someRelations(list); err != nil {
		return engine.None{}, err
	}
	list = slices.Clone(list)
	for i, x := range list {
		if x.Kind == hippo.CoRecalled {
			list[i] = hippo.CoRecall(x.From, x.To)
		}
	}
	if err := m.Flush(ctx); err != nil { // what was learned already may be meant
		return engine.None{}, err
	}
	err := store.As(m.Scoped, engine.Operation(m, hippo.VerbRelate)).Unrelate(ctx, list)
	if m.Retried && errors.Is(err, hippo.ErrNotFound) {
		err = nil // removed by the first attempt
	}
	return engine.None{}, err
}

func someRelations(rs []hippo.Relation) error {
	if len(rs) == 0 || len(rs) > hippo.MaxIDs {
		return hippo.Fieldf("Relations", "must have 1 to %d elements, got %d", hippo.MaxIDs, len(rs))
	}
	return nil
}

// RelationsOf returns the relations at either end of memories, at most 100 of each, the strongest; those
// that do not hold now too, those of forgotten memories not. Weights are those of now. They are
// ordered by From, To and Kind, those that hold first. Unknown IDs are a [*hippo.UnknownError].
func RelationsOf(ctx context.Context, m *engine.Memories, ids []hippo.ID) ([]hippo.Relation, error) {
	return engine.Perform(ctx, m, api.Relations{IDs: ids}, "relations", relationsOf)
}

// ListRelations is [RelationsOf] with a query.
func ListRelations(ctx context.Context, m *engine.Memories, q api.Relations) ([]hippo.Relation, error) {
	return engine.Perform(ctx, m, q, "relations", relationsOf)
}

func relationsOf(ctx context.Context, m *engine.Memories, q api.Relations) ([]hippo.Relation, error) {
	if known := q.At.KnownAt; engine.IsPast(m, q.At) {
		q.At.KnownAt = time.Time{}
		out, _, err := engine.InPast(ctx, m, known, func(p *engine.Memories) ([]hippo.Relation, error) { return relationsOf(ctx, p, q) })
		return out, err
	}
	if _, err := memory.GetHere(ctx, m, q.IDs); err != nil {
		return nil, err
	}
	limit := MaxRelations
	if q.Kinds != nil {
		limit = math.MaxInt32 // the strongest may be of other kinds
	}
	list, err := m.Scoped.Relations(ctx, engine.Distinct(q.IDs), q.At.ValidAt, limit)
	if q.Kinds != nil {
		list = strongest(slices.DeleteFunc(list, func(x hippo.Relation) bool { return !slices.Contains(q.Kinds, x.Kind) }), q.IDs)
	}
	at := cmp.Or(q.At.ValidAt, m.Clock())
	return engine.HoldingFirst(engine.Weighed(&m.Weights.Relations, list, m.Clock()), func(r hippo.Relation) bool { return r.ValidAt(at) }), err
}

// strongest keeps the [MaxRelations] strongest relations of each memory. The list is in the order of [hippo.Relation.Compare].
func strongest(list []hippo.Relation, ids []hippo.ID) []hippo.Relation {
	var g driver.Graph
	for _, r := range list {
		g.Set(r)
	}
	var kept driver.Graph
	for _, id := range ids {
		of := g.At(id)
		slices.SortFunc(of, func(a, b hippo.Relation) int { return driver.Stronger(&a, &b) })
		for _, r := range of[:min(len(of), MaxRelations)] {
			kept.Set(r)
		}
	}
	return kept.All()
}

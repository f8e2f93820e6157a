package engine

import (
	"context"
	"iter"
	"time"

	"github.com/hippo-memory/hippo"
)

// maxRelations is how many relations of one memory [Engine.Relations] returns.
const maxRelations = 100

// Relate declares relations, each in place of the one with its From, To and Kind; all
// or none, durably. Kind [hippo.CoRecalled] is learned, not declared. Unknown memories
// are a [*hippo.UnknownError].
func (e *Engine) Relate(ctx context.Context, rs []hippo.Relation) error {
	if err := someRelations(rs); err != nil {
		return err
	}
	for _, r := range rs {
		if r.Kind == hippo.CoRecalled {
			return hippo.Fieldf("kind", "must not be %s, which is learned", hippo.CoRecalled)
		}
	}
	return e.store.Relate(ctx, rs)
}

// Unrelate removes relations by From, To and Kind, learned ones too. Those that are not
// there are [hippo.ErrNotFound], after the others were removed.
func (e *Engine) Unrelate(ctx context.Context, rs []hippo.Relation) error {
	if err := someRelations(rs); err != nil {
		return err
	}
	for i, r := range rs {
		if r.Kind == hippo.CoRecalled {
			rs[i] = hippo.CoRecall(r.From, r.To)
		}
	}
	if err := e.Flush(ctx); err != nil { // what was learned already may be meant
		return err
	}
	return e.store.Unrelate(ctx, rs)
}

func someRelations(rs []hippo.Relation) error {
	if len(rs) == 0 || len(rs) > hippo.MaxIDs {
		return hippo.Fieldf("relations", "must have 1 to %d elements, got %d", hippo.MaxIDs, len(rs))
	}
	return nil
}

// Relations returns the relations at either end of memories, at most 100 of each, the
// strongest; those that do not hold now too, those of forgotten memories not. Weights
// are those of now. They are ordered by From, To and Kind. Unknown IDs are a
// [*hippo.UnknownError].
func (e *Engine) Relations(ctx context.Context, ids []hippo.ID) ([]hippo.Relation, error) {
	if _, err := e.Get(ctx, ids); err != nil {
		return nil, err
	}
	rs, err := e.store.Relations(ctx, hippo.LocalScope(""), distinct(ids), time.Time{}, maxRelations)
	return e.weigh(rs, e.now()), err
}

// ExportRelations yields every relation as it is stored, by From, To and Kind.
func (e *Engine) ExportRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return e.store.AllRelations(ctx)
}

// ImportRelations adds relations as another store held them. Those that are here
// already stay as they are, those of unknown memories are left out.
func (e *Engine) ImportRelations(ctx context.Context, rs []hippo.Relation) (added int, err error) {
	for len(rs) > 0 {
		part := rs[:min(len(rs), importBatch)]
		rs = rs[len(part):]
		n, err := e.store.ImportRelations(ctx, part)
		if added += n; err != nil {
			return added, err
		}
	}
	return added, nil
}

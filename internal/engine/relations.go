package engine

import (
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
)

// relationReader implements [recall.Relations].
type relationReader struct {
	store *store.Store
	rule  *rank.Relations
	now   func() time.Time
}

// Relations implements [recall.Relations]. At the zero time, relations of all times are
// returned with their weights of now. A store without relations is not read.
func (r relationReader) Relations(ctx context.Context, scope hippo.Scope, ids []hippo.ID, at time.Time, limit int) ([]hippo.Relation, error) {
	if !r.store.HasRelations() {
		return nil, nil
	}
	rs, err := r.store.In(scope).Relations(ctx, ids, at, limit)
	if at.IsZero() {
		at = r.now()
	}
	return Weighed(r.rule, rs, at), err
}

// HoldingFirst puts what holds before the rest, and keeps the order otherwise.
func HoldingFirst[T any](list []T, holds func(T) bool) []T {
	slices.SortStableFunc(list, func(a, b T) int { return rank.LapsedLast(holds(a), holds(b)) })
	return list
}

// Weighed sets the weights to those of a time.
func Weighed(rule *rank.Relations, rs []hippo.Relation, at time.Time) []hippo.Relation {
	for i := range rs {
		rs[i].Weight = rule.WeightAt(&rs[i], at)
	}
	return rs
}

package overlay

import (
	"context"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Operations implements [driver.History]. Cost: that of all operations of the back end, if
// any were written through the Store.
func (s *Store) Operations(ctx context.Context, q driver.OperationQuery) ([]api.Operation, error) {
	v := current(s)
	if len(v.history) == 0 {
		return s.below.Operations(ctx, q)
	}
	all := driver.OperationQuery{Limit: math.MaxInt32}
	ops, err := s.below.Operations(ctx, all)
	if err != nil {
		return nil, err
	}
	var ids []hippo.ID
	for i := range ops {
		ids = append(ids, ops[i].Memories...)
	}
	past, memory, err := v.past(ctx, s.below, ids)
	if err != nil {
		return nil, err
	}
	return past.Operations(&q, memory), nil
}

// graves is the part of a [Store] that knows what is gone from the back end.
type graves struct{ below driver.Backend }

// Problems implements [driver.Backend].
func (g graves) Problems(ctx context.Context) ([]api.StoreProblem, error) {
	return g.below.Problems(ctx)
}

// Purged implements [driver.History]: what was purged in the back end, whatever was put through the Store since.
func (g graves) Purged(ctx context.Context, ids []hippo.ID) ([]hippo.ID, error) {
	return g.below.Purged(ctx, ids)
}

// Versions implements [driver.History].
func (s *Store) Versions(ctx context.Context, q driver.VersionQuery) ([]hippo.Version, error) {
	v := current(s)
	return v.versions(ctx, s.below, q)
}

// versions returns former versions as the view has them.
func (v *view) versions(ctx context.Context, below driver.Backend, q driver.VersionQuery) ([]hippo.Version, error) {
	if len(v.history) == 0 {
		return below.Versions(ctx, q)
	}
	ids := q.Memories
	if ids == nil {
		vs, err := below.Versions(ctx, driver.VersionQuery{Operation: q.Operation})
		if driver.Readable(err) != nil {
			return nil, err
		}
		for i := range vs {
			ids = append(ids, vs[i].ID)
		}
	}
	past, memory, err := v.past(ctx, below, ids)
	if err != nil {
		return nil, err
	}
	return past.Versions(&q, memory), nil
}

// past returns the history of some memories and of those that the view has changed, and the
// memories by ID.
func (v *view) past(ctx context.Context, below driver.Backend, ids []hippo.ID) (*driver.Archive, func(hippo.ID) *hippo.Memory, error) {
	ids = slices.Clone(ids)
	for id := range v.rows {
		ids = append(ids, id)
	}
	stored, err := below.Versions(ctx, driver.VersionQuery{Memories: ids})
	if driver.Readable(err) != nil {
		return nil, nil, err
	}
	past := &driver.Archive{}
	for i := len(stored) - 1; i >= 0; i-- { // the last kept is the first
		x := &stored[i]
		past.Keep(x.Operation, hippo.Retention{Versions: math.MaxInt32, Days: math.MaxInt32}, *x)
	}
	v.history.Apply(past)
	ms, err := v.get(ctx, below, ids)
	if driver.Readable(err) != nil {
		return nil, nil, err
	}
	memories := make(map[hippo.ID]*hippo.Memory, len(ms))
	for _, m := range ms {
		memories[m.ID] = m
	}
	return past, func(id hippo.ID) *hippo.Memory { return memories[id] }, nil
}

// Keep implements [driver.Tx].
func (t *tx) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	t.history.Keep(op, r, vs...)
	return nil
}

// DropHistory implements [driver.Tx].
func (t *tx) DropHistory(ids ...hippo.ID) error {
	t.history.Clear(ids...)
	return nil
}

// Versions implements [driver.Tx].
func (t *tx) Versions(q driver.VersionQuery) ([]hippo.Version, error) {
	return t.versions(t.ctx, t.store.below, q)
}

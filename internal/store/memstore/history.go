package memstore

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Operations implements [driver.History].
func (s *Store) Operations(ctx context.Context, q driver.OperationQuery) ([]api.Operation, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.past.Operations(&q, memoryOf(s)), nil
}

// Versions implements [driver.History].
func (s *Store) Versions(ctx context.Context, q driver.VersionQuery) ([]hippo.Version, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.past.Versions(&q, memoryOf(s)), nil
}

// graves is the part of a [Store] that knows what was purged.
type graves struct{ store *Store }

// Purged implements [driver.History].
func (g graves) Purged(ctx context.Context, ids []hippo.ID) ([]hippo.ID, error) {
	s := g.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var out []hippo.ID
	for _, id := range ids {
		if r, known := s.rows[id]; known && r.memory == nil && !r.removed {
			out = append(out, id)
		}
	}
	return out, nil
}

// memoryOf returns the function that finds a memory, which needs s.mu.
func memoryOf(s *Store) func(hippo.ID) *hippo.Memory {
	return func(id hippo.ID) *hippo.Memory { return s.rows[id].memory }
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
	past := t.store.past.Clone()
	t.history.Apply(past)
	return past.Versions(&q, func(id hippo.ID) *hippo.Memory { return t.row(id).memory }), nil
}

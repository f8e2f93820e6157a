package memstore

import (
	"context"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Relations implements [driver.Relations].
func (s *Store) Relations(ctx context.Context, q driver.RelationQuery) ([]hippo.Relation, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.graph.Strongest(&q, memoryOf(s)), nil
}

// AllRelations implements [driver.Relations].
func (s *Store) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		s.mu.RLock()
		all, err := s.graph.All(), s.usable(ctx)
		s.mu.RUnlock()
		for _, r := range all {
			if err != nil {
				break
			}
			if !yield(r, nil) {
				return
			}
			err = check(ctx, s)
		}
		if err != nil {
			yield(hippo.Relation{}, err)
		}
	}
}

// Relate implements [driver.Relations].
func (s *Store) Relate(ctx context.Context, _ driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return update(ctx, s, func() error {
		for _, r := range rs {
			if s.rows[r.From].memory == nil || s.rows[r.To].memory == nil {
				continue
			}
			if next, changed := s.graph.Change(r, fn); changed {
				s.graph.Set(next)
			}
		}
		return nil
	})
}

// dropRelationsOf removes those of one memory. It needs s.mu.
func dropRelationsOf(s *Store, id hippo.ID) {
	for _, r := range s.graph.At(id) {
		r.Weight = 0
		s.graph.Set(r)
	}
}

package memstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Vectors implements [driver.Vectors].
func (s *Store) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	found := make([]driver.Vector, 0, len(ids))
	for _, id := range ids {
		if v, ok := s.models[model][id]; ok {
			found = append(found, clone(v))
		}
	}
	return found, nil
}

func clone(v driver.Vector) driver.Vector {
	v.Values, v.More = slices.Clone(v.Values), slices.Clone(v.More)
	return v
}

// PutVectors implements [driver.Vectors].
func (s *Store) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := driver.CheckVectors(model, vs); err != nil {
		return err
	}
	return update(ctx, s, func() error {
		rows := s.models[model]
		if has := dimension(rows); has > 0 && len(vs) > 0 {
			if err := driver.CheckDimension(model, has, len(vs[0].Values)); err != nil {
				return err
			}
		}
		for _, v := range vs {
			if s.rows[v.ID].memory == nil {
				continue
			}
			if rows == nil {
				rows = make(map[hippo.ID]driver.Vector)
				s.models[model] = rows
			}
			rows[v.ID] = clone(v)
		}
		return nil
	})
}

// VectorModels implements [driver.Vectors].
func (s *Store) VectorModels(ctx context.Context) ([]driver.VectorModel, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var list []driver.VectorModel
	for name, rows := range s.models {
		list = append(list, driver.VectorModel{Name: name, Dimension: dimension(rows), Count: len(rows)})
	}
	slices.SortFunc(list, func(a, b driver.VectorModel) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// dimension returns the length of the vectors of a model; 0 if it has none.
func dimension(rows map[hippo.ID]driver.Vector) int {
	for _, v := range rows {
		return len(v.Values)
	}
	return 0
}

// update runs fn exclusively.
func update(ctx context.Context, s *Store, fn func() error) error {
	if err := beginWrite(ctx, s); err != nil {
		return err
	}
	defer endWrite(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	return fn()
}

// dropVectorsOf removes what all models have of one memory. It needs s.mu.
func dropVectorsOf(s *Store, id hippo.ID) {
	for model, rows := range s.models {
		if delete(rows, id); len(rows) == 0 {
			delete(s.models, model)
		}
	}
}

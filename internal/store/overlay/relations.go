package overlay

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Relate implements [driver.Relations].
func (s *Store) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return s.Write(ctx, d, func(tx driver.Tx) error {
		for _, r := range rs {
			if err := tx.Relate(r, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

// Relations implements [driver.Relations].
func (s *Store) Relations(ctx context.Context, q driver.RelationQuery) ([]hippo.Relation, error) {
	v := current(s)
	if len(v.rows) == 0 && len(v.relations) == 0 {
		return s.below.Relations(ctx, q)
	}
	var g driver.Graph
	asked, err := v.get(ctx, s.below, q.IDs)
	if err = driver.Readable(err); err != nil {
		return nil, err
	}
	for _, m := range asked {
		list, err := v.of(ctx, s.below, m, false)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			g.Set(r)
		}
	}
	ids := make([]hippo.ID, 0, 2*g.Len())
	for _, r := range g.All() {
		ids = append(ids, r.From, r.To)
	}
	ms, err := v.get(ctx, s.below, ids)
	if err = driver.Readable(err); err != nil {
		return nil, err
	}
	memories := make(map[hippo.ID]*hippo.Memory, len(ms))
	for _, m := range ms {
		memories[m.ID] = m
	}
	return g.Strongest(&q, func(id hippo.ID) *hippo.Memory { return memories[id] }), nil
}

// of returns all relations of a memory, hidden ones too, as the view has them, in no order. Cost: those of
// the memory, or a pass over all relations where a memory is or was forgotten, as the back end hides
// its relations.
func (v *view) of(ctx context.Context, below driver.Backend, m *hippo.Memory, hidden bool) ([]hippo.Relation, error) {
	var g driver.Graph
	keep := func(r hippo.Relation) {
		if (r.From == m.ID || r.To == m.ID) && !v.rows[r.From].cut && !v.rows[r.To].cut {
			g.Set(r)
		}
	}
	if hidden || v.restored {
		for r, err := range below.AllRelations(ctx) {
			if err != nil {
				return nil, err
			}
			keep(r)
		}
	} else {
		scope := hippo.Scope{Namespace: m.Namespace, Rights: hippo.AllRights}
		stored, err := below.Relations(ctx, driver.RelationQuery{Scope: scope, IDs: []hippo.ID{m.ID}, Limit: math.MaxInt32})
		if err != nil {
			return nil, err
		}
		for _, r := range stored {
			keep(r)
		}
	}
	for k, r := range v.relations {
		if k.From == m.ID || k.To == m.ID {
			g.Set(r)
		}
	}
	return g.All(), nil
}

// AllRelations implements [driver.Relations].
func (s *Store) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		v := current(s)
		all, err := v.all(ctx, s.below)
		if err != nil {
			yield(hippo.Relation{}, err)
			return
		}
		for _, r := range all {
			if !yield(r, ctx.Err()) {
				return
			}
		}
	}
}

// all returns every relation, as the view has them.
func (v *view) all(ctx context.Context, below driver.Backend) ([]hippo.Relation, error) {
	var g driver.Graph
	for r, err := range below.AllRelations(ctx) {
		if err != nil {
			return nil, err
		}
		if !v.rows[r.From].cut && !v.rows[r.To].cut {
			g.Set(r)
		}
	}
	for _, r := range v.relations {
		g.Set(r)
	}
	return g.All(), nil
}

// Vectors implements [driver.Vectors].
func (s *Store) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	return s.below.Vectors(ctx, model, ids)
}

// PutVectors implements [driver.Vectors]. It is not supported.
func (s *Store) PutVectors(context.Context, string, []driver.Vector) error {
	return fmt.Errorf("%w: vectors are not held back", hippo.ErrUnsupported)
}

// VectorModels implements [driver.Vectors].
func (s *Store) VectorModels(ctx context.Context) ([]driver.VectorModel, error) {
	return s.below.VectorModels(ctx)
}

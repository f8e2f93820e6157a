package sharedstore

import (
	"context"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// relations is the part of a [Store] that keeps relations. It implements [driver.Relations].
type relations struct {
	inner  *sqlitestore.Store
	writer *sqlitex.Writer[*tx]
}

// Relations implements [driver.Relations].
func (s *relations) Relations(ctx context.Context, q driver.RelationQuery) ([]hippo.Relation, error) {
	return s.inner.Relations(ctx, q)
}

// AllRelations implements [driver.Relations].
func (s *relations) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return s.inner.AllRelations(ctx)
}

// Relate implements [driver.Relations].
func (s *relations) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return s.writer.Write(ctx, d, func(t *tx) error {
		for _, r := range rs {
			if err := t.Relate(r, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

// vectors is the part of a [Store] that keeps vectors. It implements [driver.Vectors].
type vectors struct {
	inner  *sqlitestore.Store
	writer *sqlitex.Writer[*tx]
}

// Vectors implements [driver.Vectors].
func (s *vectors) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	return s.inner.Vectors(ctx, model, ids)
}

// PutVectors implements [driver.Vectors].
func (s *vectors) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := driver.CheckVectors(model, vs); err != nil {
		return err
	}
	return s.writer.Write(ctx, driver.Lazy, func(t *tx) error { return t.PutVectors(model, vs) })
}

// VectorModels implements [driver.Vectors].
func (s *vectors) VectorModels(ctx context.Context) ([]driver.VectorModel, error) {
	return s.inner.VectorModels(ctx)
}

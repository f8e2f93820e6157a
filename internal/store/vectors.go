package store

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Vectors are the embedding vectors of a [Store], by model.
type Vectors struct{ backend driver.Vectors }

// Vectors returns the embedding vectors of the store.
func (s *Store) Vectors() Vectors { return Vectors{s.backend} }

// Get returns the vectors that a model computed for these memories, in the order of ids;
// missing ones are left out. [driver.Vector.Text] identifies the text that was embedded,
// which may be an earlier one. The caller owns the result.
func (s Vectors) Get(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	vs, err := s.backend.Vectors(ctx, model, ids)
	return vs, wrap("vectors", err)
}

// Put stores vectors that a model computed, all or none, and replaces those that the model
// has of the same memories; see [driver.Vectors] for the limits. Vectors of memories that do
// not exist are ignored. It changes no revision. The write survives a crash of the process,
// not of the machine.
func (s Vectors) Put(ctx context.Context, model string, vs []driver.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	return wrap("put vectors", s.backend.PutVectors(ctx, model, vs))
}

// Models lists the models with vectors in the store, by name.
func (s Vectors) Models(ctx context.Context) ([]driver.VectorModel, error) {
	ms, err := s.backend.VectorModels(ctx)
	return ms, wrap("vector models", err)
}

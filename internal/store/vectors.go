package store

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Vectors returns what a model made of these memories, in the order of ids;
// missing ones are left out. Whether a vector is of the text that the memory has
// now, its Text says. The caller owns the result.
func (s *Store) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	vs, err := s.backend.Vectors(ctx, model, ids)
	return vs, wrap("vectors", err)
}

// PutVectors keeps what a model made of memories, all or none, in place of what it
// made of them before; see [driver.Vectors] for the limits. Memories that are gone
// are passed over. It changes no revision. The write survives a crash of the
// process, not of the machine.
func (s *Store) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	return wrap("put vectors", s.backend.PutVectors(ctx, model, vs))
}

// VectorModels lists the models that have vectors here, by name.
func (s *Store) VectorModels(ctx context.Context) ([]driver.VectorModel, error) {
	ms, err := s.backend.VectorModels(ctx)
	return ms, wrap("vector models", err)
}

// DropVectors removes all that a model made; nothing happens for one that is
// unknown.
func (s *Store) DropVectors(ctx context.Context, model string) error {
	return wrap("drop vectors", s.backend.DropVectors(ctx, model))
}

package dirstore

import (
	"context"
	"fmt"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Get implements [driver.Backend]. An ID given twice is answered twice, with
// separate copies.
func (s *Store) Get(ctx context.Context, ids []hippo.ID) (ms []*hippo.Memory, err error) {
	err = s.read(ctx, func() error {
		ms, err = s.mirror.Get(ctx, ids)
		return err
	})
	return ms, err
}

// Head implements [driver.Backend].
func (s *Store) Head(ctx context.Context) (h driver.Head, err error) {
	err = s.read(ctx, func() error {
		h, err = s.mirror.Head(ctx)
		return err
	})
	return h, err
}

// Changes implements [driver.Backend]. It yields the state at the moment of the
// first step; what is written later is left for the next call.
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		if err := s.current(ctx); err != nil {
			yield(driver.Change{}, err)
			return
		}
		for c, err := range s.mirror.Changes(ctx, since) {
			if s.usable(ctx) != nil {
				err = s.usable(ctx)
			} else if err != nil && s.lost(err) {
				err = fmt.Errorf("%w: the copy of the memories was lost: try again: %w", hippo.ErrUnavailable, err)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// writable reports why nothing can be written.
func (s *Store) writable(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly != nil {
		return s.readOnly
	}
	return s.current(ctx)
}

// Write implements [driver.Backend]. Waiting writes are committed together.
// A memory that cannot be encoded makes Put fail with [hippo.ErrInvalid].
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if err := s.writable(ctx); err != nil {
		return err
	}
	return s.write(ctx, d, func(t *tx) error { return fn(t) })
}

// write runs fn in a transaction. If the copy cannot be committed after the files were
// changed, the write succeeded all the same: they are compared before the next call.
func (s *Store) write(ctx context.Context, d driver.Durability, fn func(*tx) error) error {
	var last *tx
	err := s.writer.Write(ctx, d, func(t *tx) error {
		last = t
		return fn(t)
	})
	if err != nil && last != nil && last.stored() {
		s.log.Warn("the copy of the memories cannot be written; the files were", "file", s.path, "error", err)
		s.lost(err)
		return nil
	}
	return s.written(err)
}

// Vectors implements [driver.Vectors].
func (s *Store) Vectors(ctx context.Context, model string, ids []hippo.ID) (vs []driver.Vector, err error) {
	err = s.read(ctx, func() error {
		vs, err = s.mirror.Vectors(ctx, model, ids)
		return err
	})
	return vs, err
}

// VectorModels implements [driver.Vectors].
func (s *Store) VectorModels(ctx context.Context) (list []driver.VectorModel, err error) {
	err = s.read(ctx, func() error {
		list, err = s.mirror.VectorModels(ctx)
		return err
	})
	return list, err
}

// PutVectors implements [driver.Vectors].
func (s *Store) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := s.writable(ctx); err != nil {
		return err
	}
	return s.written(s.mirror.PutVectors(ctx, model, vs))
}

// DropVectors implements [driver.Vectors].
func (s *Store) DropVectors(ctx context.Context, model string) error {
	if err := s.writable(ctx); err != nil {
		return err
	}
	return s.written(s.mirror.DropVectors(ctx, model))
}

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
	err = s.sync.read(ctx, func() error {
		if ms, err = s.replica.store.Get(ctx, ids); err == nil {
			err = checkTexts(ms)
		}
		return err
	})
	return ms, err
}

// Head implements [driver.Backend].
func (s *Store) Head(ctx context.Context) (h driver.Head, err error) {
	err = s.sync.read(ctx, func() error {
		h, err = s.replica.store.Head(ctx)
		return err
	})
	return h, err
}

// Changes implements [driver.Backend]. It yields the state at the moment of the
// first step; what is written later is left for the next call.
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return replicated(ctx, s, s.replica.store.Changes(ctx, since))
}

// Uses implements [driver.Backend].
func (s *Store) Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	return replicated(ctx, s, s.replica.store.Uses(ctx, since))
}

// replicated yields what the replica has, once it is up to date.
func replicated[T any](ctx context.Context, s *Store, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		if err := s.sync.readable(ctx); err != nil {
			yield(zero, err)
			return
		}
		for one, err := range all {
			if ended := s.life.check(ctx); ended != nil {
				err = ended
			} else if err != nil && s.replica.lost(err) {
				err = fmt.Errorf("%w: the replica of the memories was lost: try again: %w", hippo.ErrUnavailable, err)
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

// Write implements [driver.Backend]. Waiting writes are committed together.
// A memory that cannot be encoded makes Put fail with [hippo.ErrInvalid].
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if err := s.sync.writable(ctx); err != nil {
		return err
	}
	return transact(ctx, s, d, func(t *tx) error { return fn(t) })
}

// transact runs fn in a transaction of the writer. If the replica is damaged and no file was replaced yet, the replica is rebuilt
// and fn called again. If the replica cannot be committed after the files were replaced, the write has succeeded: the files are
// compared before the next call.
func transact(ctx context.Context, s *Store, d driver.Durability, fn func(*tx) error) error {
	var last *tx
	err := s.sync.write(ctx, func() error {
		last = nil
		return s.writer.Write(ctx, d, func(t *tx) error {
			last = t
			return fn(t)
		})
	}, func() bool { return last == nil || !last.group.replaced })
	if err != nil && last != nil && last.stored() {
		s.sync.log.Warn("the replica of the memories cannot be written, the files were", "file", s.replica.path, "error", err)
		return nil
	}
	return err
}

// Vectors implements [driver.Vectors].
func (s *Store) Vectors(ctx context.Context, model string, ids []hippo.ID) (vs []driver.Vector, err error) {
	err = s.sync.read(ctx, func() error {
		vs, err = s.replica.store.Vectors(ctx, model, ids)
		return err
	})
	return vs, err
}

// VectorModels implements [driver.Vectors].
func (s *Store) VectorModels(ctx context.Context) (list []driver.VectorModel, err error) {
	err = s.sync.read(ctx, func() error {
		list, err = s.replica.store.VectorModels(ctx)
		return err
	})
	return list, err
}

// PutVectors implements [driver.Vectors].
func (s *Store) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := s.sync.writable(ctx); err != nil {
		return err
	}
	return s.sync.write(ctx, func() error { return s.replica.store.PutVectors(ctx, model, vs) }, func() bool { return true })
}

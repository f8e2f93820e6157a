package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Reflection is a change of a store that reflects a part of others, and of which nobody else writes.
type Reflection struct {
	// Put are memories as they shall be, Purge those to delete for good, of those that are there.
	Put   []*hippo.Memory
	Purge []hippo.ID
}

// reflectBatch is how many memories a transaction changes.
const reflectBatch = 500

// Reflect applies a reflection. The history knows nothing of it.
func Reflect(ctx context.Context, s *Store, r *Reflection) error {
	for some := range slices.Chunk(r.Put, reflectBatch) {
		err := write(ctx, s, driver.Durable, func(tx driver.Tx) error {
			cal, err := advanceDay(s, tx)
			if err != nil {
				return err
			}
			for i, m := range some {
				if m.Importance.SetDay == 0 {
					m.Importance.SetDay, m.Accesses = cal.Day, []hippo.Access{{Day: cal.Day, Count: 1}}
				}
				normalise(m)
				if err := m.Validate(); err != nil {
					return at(err, i, len(some))
				}
			}
			return tx.Put(some...)
		})
		if err != nil {
			return wrap("reflect", err)
		}
	}
	if len(r.Purge) == 0 {
		return nil
	}
	return wrap("reflect", write(ctx, s, driver.Durable, func(tx driver.Tx) error { return tx.Purge(r.Purge...) }))
}

// Received is what a store takes over from others.
type Received struct {
	// By says who, Reason why, for the history, and Verb what; empty: [hippo.VerbSync].
	By     hippo.Source
	Reason string
	Verb   hippo.Verb
	// Record are new memories with their IDs and times. Those that were deleted for good here are left out. Logged: the history has an
	// operation for them as well.
	Record []*hippo.Memory
	Logged bool
	// Change are memories that are there. One that is gone meanwhile is left out.
	Change []Changed
	// Purge are memories to delete for good, of those that are there.
	Purge []hippo.ID
}

// Receive applies what was received as operations of the verb sync that can be undone, and returns the memories that look different now.
func Receive(ctx context.Context, s *Store, r *Received) (changed []hippo.ID, err error) {
	in := As(s.In(hippo.LocalScope("")), hippo.Operation{Verb: cmp.Or(r.Verb, hippo.VerbSync), By: r.By, Reason: r.Reason})
	for some := range slices.Chunk(r.Record, reflectBatch) {
		ids, err := receiveNew(ctx, in, some, r.Logged)
		if err != nil {
			return changed, err
		}
		changed = append(changed, ids...)
	}
	for some := range slices.Chunk(r.Change, reflectBatch) {
		ids, err := receiveChanges(ctx, in, some)
		if err != nil {
			return changed, err
		}
		changed = append(changed, ids...)
	}
	if len(r.Purge) == 0 {
		return changed, nil
	}
	err = write(ctx, s, driver.Durable, func(tx driver.Tx) error { return tx.Purge(r.Purge...) })
	return append(changed, r.Purge...), wrap("receive", err)
}

// receiveNew stores new memories, and returns those that were not deleted for good here before.
func receiveNew(ctx context.Context, in Scoped, ms []*hippo.Memory, logged bool) (out []hippo.ID, err error) {
	s := in.store
	gone, err := s.backend.Purged(ctx, hippo.IDsOf(ms...))
	if err != nil {
		return nil, wrap("receive", err)
	}
	op, err := newOperation(in, hippo.VerbSync)
	if err != nil {
		return nil, err
	}
	err = write(ctx, s, driver.Durable, func(tx driver.Tx) error {
		purged := make(map[hippo.ID]bool)
		for _, id := range gone {
			purged[id] = true
		}
		final, err := PurgedForGood(tx, hippo.IDsOf(ms...)...)
		if err != nil {
			return err
		}
		for _, id := range final {
			purged[id] = true
		}
		cal, err := advanceDay(s, tx)
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(slices.Clone(ms), func(m *hippo.Memory) bool { return purged[m.ID] })
		for i, m := range fresh {
			m.Importance.SetDay, m.Accesses = cal.Day, []hippo.Access{{Day: cal.Day, Count: 1}}
			normalise(m)
			if err := m.Validate(); err != nil {
				return at(err, i, len(fresh))
			}
		}
		if err := unused(tx, fresh...); err != nil {
			return err
		}
		out = nil
		changes := make([]change, len(fresh))
		for i, m := range fresh {
			out, changes[i] = append(out, m.ID), change{after: m}
		}
		if logged {
			return putKept(s, tx, op, changes)
		}
		return tx.Put(fresh...)
	})
	return out, wrap("receive", err)
}

// receiveChanges changes memories, and returns those that differ.
func receiveChanges(ctx context.Context, in Scoped, list []Changed) (out []hippo.ID, err error) {
	op, err := newOperation(in, hippo.VerbSync)
	if err != nil {
		return nil, err
	}
	do := make(map[hippo.ID]Changed, len(list))
	ids := make([]hippo.ID, len(list))
	for i, c := range list {
		do[c.ID], ids[i] = c, c.ID
	}
	err = write(ctx, in.store, driver.Durable, func(tx driver.Tx) error {
		ms, err := tx.Get(ids...)
		if driver.Readable(err) != nil {
			return err
		}
		cal, err := tx.Calendar()
		if err != nil {
			return err
		}
		out = nil
		var changes []change
		for _, m := range visibleMemories(in, ms) {
			before := m.Clone()
			differs, err := changeMemory(in.store, m, cal.Day, do[m.ID].Do)
			if err != nil {
				return fmt.Errorf("memory %v: %w", m.ID, err)
			}
			if differs {
				changes, out = append(changes, change{before: before, after: m}), append(out, m.ID)
			}
		}
		return putKept(in.store, tx, op, changes)
	})
	return out, wrap("receive", err)
}

// PurgedOf returns those of some memories that were deleted for good, here or in a store that this one exchanges its changes with.
func PurgedOf(ctx context.Context, s *Store, ids []hippo.ID) (map[hippo.ID]bool, error) {
	purged := make(map[hippo.ID]bool)
	gone, err := s.backend.Purged(ctx, ids)
	if err != nil {
		return nil, wrap("purged", err)
	}
	for _, id := range gone {
		purged[id] = true
	}
	return purged, wrap("purged", write(ctx, s, driver.Lazy, func(tx driver.Tx) error {
		final, err := PurgedForGood(tx, ids...)
		for _, id := range final {
			purged[id] = true
		}
		return err
	}))
}

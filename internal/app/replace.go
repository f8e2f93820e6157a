package app

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// replacement replaces the data of a back end by that of another one.
type replacement struct {
	from *leftOut
	to   driver.Backend
	now  func() time.Time
	// bringBack: the user asked for what was purged as well.
	bringBack bool
	// first, if not nil, is called at the beginning of the transaction with the IDs of memories that from does not have, and returns those that
	// came since they were looked for.
	first func(tx driver.Tx, stale []hippo.ID) (changed []hippo.ID, err error)
	// forgotten counts the memories that from does not have and that became forgotten, because the store syncs.
	forgotten int
	// final counts the memories that from has and that stay purged, because that holds on all replicas.
	final int
}

// run replaces memories, relations, history and the active day in one transaction, then vectors. What was purged in a store that syncs is
// left out.
func (r *replacement) run(ctx context.Context) error {
	h, err := r.from.Head(ctx)
	if err != nil {
		return err
	}
	kept, stale, err := compareIDs(ctx, r.from, r.to)
	if err != nil {
		return err
	}
	var ids []hippo.ID
	s := store.New(r.to, &store.Options{Now: r.now})
	err = store.Replace(ctx, s, func(tx *store.Replacing) error {
		purged, err := store.PurgedForGood(tx, slices.AppendSeq(slices.Collect(maps.Keys(kept)), maps.Keys(r.from.ids))...)
		if err != nil {
			return err
		}
		if r.final = len(purged); r.bringBack && r.final > 0 {
			return store.PurgeHolds(r.final)
		}
		r.from.leave(purged)
		ids = slices.SortedFunc(maps.Keys(kept), hippo.ID.Compare)
		ids = slices.DeleteFunc(ids, func(id hippo.ID) bool { return !kept[id] || r.from.ids[id] })
		return r.write(ctx, tx, h.Calendar, ids, kept, stale)
	})
	if err != nil {
		return err
	}
	return copyVectors(ctx, r.from, r.to, ids)
}

// write replaces all but vectors. ids are the memories to put.
func (r *replacement) write(ctx context.Context, tx *store.Replacing, day driver.Calendar, ids []hippo.ID, kept map[hippo.ID]bool, stale []hippo.ID) error {
	gone := stale
	if r.first != nil {
		changed, err := r.first(tx, stale)
		if err != nil {
			return err
		}
		gone = slices.Concat(stale, slices.DeleteFunc(changed, func(id hippo.ID) bool { _, ok := kept[id]; return ok }))
	}
	forgotten, err := tx.Remove(gone...)
	if r.forgotten = len(forgotten); err != nil {
		return err
	}
	want, err := allRelations(ctx, r.from)
	if err != nil {
		return err
	}
	if err := errors.Join(advance(tx, day), putAll(ctx, r.from, tx)); err != nil {
		return err
	}
	mine := func(r *hippo.Relation) bool { return !forgotten[r.From] && !forgotten[r.To] }
	return errors.Join(replaceRelations(tx, want, mine), replaceHistory(ctx, r.from, tx, ids))
}

// advance sets the active day, which does not go back.
func advance(tx driver.Tx, c driver.Calendar) error {
	now, err := tx.Calendar()
	if c.Zone = cmp.Or(now.Zone, c.Zone); err == nil && now.Day < c.Day {
		err = tx.SetCalendar(c)
	}
	return err
}

// compareIDs returns the IDs of the memories of from and whether they can be read, and those of to that from does not have.
func compareIDs(ctx context.Context, from, to driver.Backend) (kept map[hippo.ID]bool, stale []hippo.ID, err error) {
	kept = make(map[hippo.ID]bool)
	for c, err := range from.Changes(ctx, 0) {
		if err != nil {
			return nil, nil, err
		}
		if c.Memory != nil || c.Unreadable != nil {
			kept[c.ID] = c.Memory != nil
		}
	}
	for c, err := range to.Changes(ctx, 0) {
		if err != nil {
			return nil, nil, err
		}
		if _, ok := kept[c.ID]; !ok && !c.ID.IsZero() {
			stale = append(stale, c.ID)
		}
	}
	return kept, stale, nil
}

// putAll stores the memories of from that differ from those of the transaction.
func putAll(ctx context.Context, from driver.Backend, tx driver.Tx) error {
	var batch []*hippo.Memory
	for c, err := range from.Changes(ctx, 0) {
		if err != nil {
			return err
		}
		if c.Memory == nil {
			continue
		}
		if batch = append(batch, c.Memory); len(batch) == copyBatch {
			if err := putChanged(tx, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return putChanged(tx, batch)
}

func putChanged(tx driver.Tx, ms []*hippo.Memory) error {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	there, err := tx.Get(ids...)
	if driver.Readable(err) != nil {
		return err
	}
	old := make(map[hippo.ID]*hippo.Memory, len(there))
	for _, m := range there {
		old[m.ID] = m
	}
	for _, m := range ms {
		if o := old[m.ID]; o != nil {
			m.Revision = o.Revision
			if reflect.DeepEqual(m, o) {
				continue
			}
		}
		if err := tx.Put(m); err != nil {
			return err
		}
	}
	return nil
}

// replaceHistory replaces the former versions of memories by those of from. Versions that cannot be read are left out.
func replaceHistory(ctx context.Context, from driver.Backend, tx driver.Tx, ids []hippo.ID) error {
	for some := range slices.Chunk(ids, copyBatch) {
		want, err := from.Versions(ctx, driver.VersionQuery{Memories: some})
		if driver.Readable(err) != nil {
			return err
		}
		if err := putHistory(tx, some, want); err != nil {
			return err
		}
	}
	return nil
}

// putHistory replaces the former versions of memories.
func putHistory(tx driver.Tx, ids []hippo.ID, want []hippo.Version) error {
	here, err := tx.Versions(driver.VersionQuery{Memories: ids})
	if driver.Readable(err) != nil {
		return err
	}
	if err == nil && len(want) == len(here) && (len(want) == 0 || reflect.DeepEqual(want, here)) {
		return nil
	}
	if err := tx.DropHistory(ids...); err != nil {
		return err
	}
	all := hippo.Retention{Versions: math.MaxInt32, Days: math.MaxInt32}
	for _, v := range slices.Backward(want) { // the last kept is the first
		if err := tx.Keep(v.Operation, all, v); err != nil {
			return err
		}
	}
	return nil
}

// allRelations returns all relations of a back end.
func allRelations(ctx context.Context, b driver.Backend) ([]hippo.Relation, error) {
	var all []hippo.Relation
	for r, err := range b.AllRelations(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// anyRelation holds for each relation.
func anyRelation(*hippo.Relation) bool { return true }

// replaceRelations replaces the relations for which mine holds by others.
func replaceRelations(tx driver.Tx, want []hippo.Relation, mine func(*hippo.Relation) bool) error {
	here, err := tx.RelationsFrom(hippo.ID{}, hippo.ID{}, "")
	if err != nil {
		return err
	}
	here = slices.DeleteFunc(here, func(r hippo.Relation) bool { return !mine(&r) })
	next := make(map[driver.RelationKey]hippo.Relation, len(want))
	for _, r := range want {
		next[driver.KeyOf(&r)] = r
	}
	for _, r := range here {
		if k := driver.KeyOf(&r); next[k] == r {
			delete(next, k)
		} else if next[k].Weight == 0 {
			next[k] = driver.WithKey(hippo.Relation{}, r)
		}
	}
	for _, r := range slices.SortedFunc(maps.Values(next), func(a, b hippo.Relation) int { return a.Compare(&b) }) {
		if err := tx.Relate(r, func(_, r hippo.Relation) hippo.Relation { return r }); err != nil {
			return err
		}
	}
	return nil
}

// copyVectors copies the vectors of memories, which would have to be computed again. Those
// of a model that has another dimension in to are left out.
func copyVectors(ctx context.Context, from, to driver.Backend, ids []hippo.ID) error {
	models, err := from.VectorModels(ctx)
	if err != nil {
		return err
	}
	for _, m := range models {
		for rest := ids; len(rest) > 0; {
			n := min(copyBatch, len(rest))
			vs, err := from.Vectors(ctx, m.Name, rest[:n])
			if err == nil && len(vs) > 0 {
				err = to.PutVectors(ctx, m.Name, vs)
			}
			if errors.Is(err, hippo.ErrInvalid) {
				break
			} else if err != nil {
				return err
			}
			rest = rest[n:]
		}
	}
	return nil
}

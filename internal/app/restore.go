package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// copyBatch is how many memories are copied at a time.
const copyBatch = 500

// RestoreReport is the outcome of [Restore].
type RestoreReport struct {
	// Memories is how many there are now, forgotten ones included.
	Memories int
	// Saved is the file that has what was there before; empty if there was nothing.
	Saved string
	// Problems are memories of the backup that cannot be read. What the store has of
	// them stays.
	Problems []driver.Problem
}

// Restore replaces all of a store, every namespace of it, by what a backup holds, after
// it saved what was there to another file beside the store. Running servers follow. The
// memories are replaced in one transaction, then their relations in another; a restore
// that was interrupted is completed by the next. The active day does not go back.
//
// A SQLite store that is too damaged to be written is renamed, and the backup takes its place.
// Errors: [hippo.ErrCorrupt] for a backup that is not sound, before anything is changed.
func Restore(ctx context.Context, c config.Store, path string, now time.Time, o *Options) (r RestoreReport, err error) {
	if o == nil {
		o = &Options{}
	}
	if c.Kind == "memory" {
		return r, fmt.Errorf("%w: a store in RAM cannot be restored", hippo.ErrUnsupported)
	}
	if sameFile(c.Path, path) {
		return r, fmt.Errorf("%w: %s is the store itself", hippo.ErrConflict, path)
	}
	dir, err := os.MkdirTemp("", "hippo-restore-*")
	if err != nil {
		return r, fmt.Errorf("%w: restore: %w", hippo.ErrUnavailable, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	from, err := r.openCopy(ctx, path, filepath.Join(dir, "backup.db"))
	if err != nil {
		return r, fmt.Errorf("backup %s: %w", path, err)
	}
	saved := c.Path + ".before-restore-" + now.UTC().Format("20060102T150405Z")
	to, _, err := openBackend(ctx, c, o)
	if err == nil {
		err = errors.Join(r.restore(ctx, to, from, saved+".db"), to.Close())
	}
	if c.Kind == "sqlite" && errors.Is(err, hippo.ErrCorrupt) {
		err = r.replaceDamaged(ctx, c.Path, from, saved+".damaged.db")
	}
	return r, errors.Join(err, from.Close())
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// openCopy opens a copy of a file, migrated to the schema of this program, and checks it.
func (r *RestoreReport) openCopy(ctx context.Context, path, file string) (*sqlitestore.Store, error) {
	if err := sqlitestore.CopyFile(ctx, path, file); err != nil {
		return nil, err
	}
	s, err := sqlitestore.Open(ctx, file, nil)
	if err != nil {
		return nil, err
	}
	ps, err := s.Check(ctx)
	if r.Problems = locate(ps, file, path); err == nil {
		err = s.Damaged(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// restore saves what a store has, and replaces it.
func (r *RestoreReport) restore(ctx context.Context, to driver.Backend, from *sqlitestore.Store, saved string) error {
	if _, err := problems(ctx, to); err != nil {
		return err
	}
	// A store that was found to be damaged refuses this.
	if err := to.Write(ctx, driver.Durable, func(driver.Tx) error { return nil }); err != nil {
		return err
	}
	h, err := to.Head(ctx)
	if err != nil {
		return err
	}
	if h.Revision > 0 {
		if _, err := backup(ctx, to, saved); err != nil {
			return err
		}
		r.Saved = saved
	}
	if err := replaceAll(ctx, from, to); err != nil {
		return err
	}
	h, err = to.Head(ctx)
	r.Memories = h.Memories
	return err
}

// replaceDamaged renames a damaged file, and puts the backup in its place. A link keeps the
// old file until the new one has its name, where the file system has links.
func (r *RestoreReport) replaceDamaged(ctx context.Context, path string, from *sqlitestore.Store, aside string) error {
	h, err := from.Head(ctx)
	if err != nil {
		return err
	}
	file := aside + ".new"
	if err := from.CopyTo(ctx, file); err != nil {
		return err
	}
	if os.Link(path, aside) != nil {
		if err := os.Rename(path, aside); err != nil {
			return fmt.Errorf("%w: restore: %w", hippo.ErrUnavailable, errors.Join(err, os.Remove(file)))
		}
	}
	r.Memories, r.Saved = h.Memories, aside
	return publish(file, path)
}

// replaceAll replaces the data of to by that of from.
func replaceAll(ctx context.Context, from, to driver.Backend) error {
	h, err := from.Head(ctx)
	if err != nil {
		return err
	}
	ids, stale, err := compareIDs(ctx, from, to)
	if err != nil {
		return err
	}
	err = to.Write(ctx, driver.Durable, func(tx driver.Tx) error {
		if err := tx.Purge(stale...); err != nil {
			return err
		}
		now, err := tx.Calendar()
		if err == nil && now.Day < h.Calendar.Day {
			err = tx.SetCalendar(h.Calendar)
		}
		if err != nil {
			return err
		}
		return putAll(ctx, from, tx)
	})
	if err == nil {
		err = replaceRelations(ctx, from, to)
	}
	if err == nil {
		err = copyVectors(ctx, from, to, ids)
	}
	return err
}

// compareIDs returns the IDs of the memories of from, and those of to that from does not
// have, not even unreadable.
func compareIDs(ctx context.Context, from, to driver.Backend) (ids, stale []hippo.ID, err error) {
	kept := make(map[hippo.ID]bool)
	for c, err := range from.Changes(ctx, 0) {
		if err != nil {
			return nil, nil, err
		}
		kept[c.ID] = c.Memory != nil || c.Unreadable != nil
		if c.Memory != nil {
			ids = append(ids, c.ID)
		}
	}
	for c, err := range to.Changes(ctx, 0) {
		if err != nil {
			return nil, nil, err
		}
		if !kept[c.ID] && !c.ID.IsZero() {
			stale = append(stale, c.ID)
		}
	}
	return ids, stale, nil
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

// replaceRelations replaces the relations of to by those of from.
func replaceRelations(ctx context.Context, from, to driver.Backend) error {
	want := make(map[driver.RelationKey]hippo.Relation)
	var all []hippo.Relation
	for r, err := range from.AllRelations(ctx) {
		if err != nil {
			return err
		}
		want[driver.KeyOf(&r)] = r
		all = append(all, r)
	}
	for r, err := range to.AllRelations(ctx) {
		if err != nil {
			return err
		}
		if _, ok := want[driver.KeyOf(&r)]; !ok {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return to.Relate(ctx, driver.Durable, all, func(_, r hippo.Relation) hippo.Relation { return want[driver.KeyOf(&r)] })
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

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// savedCopy is a copy of a store that a restore replaces. It gets its name when it is complete.
type savedCopy struct {
	dir   string // temporary, beside the path
	file  string // the copy; it does not exist if the store was empty
	path  string
	since hippo.Revision // the copy has what was there at this revision, and may have more
}

// startCopy copies what a store has, and checks the copy.
func startCopy(ctx context.Context, b driver.Backend, path string) (*savedCopy, error) {
	h, err := b.Head(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("%w: backup: %w", hippo.ErrUnavailable, err)
	}
	c := &savedCopy{dir: dir, file: filepath.Join(dir, "backup.db"), path: path, since: h.Revision}
	if h.Revision > 0 {
		var r BackupReport
		if err = r.write(ctx, b, dir, c.file); err == nil {
			err = r.verify(ctx, c.file, path)
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *savedCopy) close() error { return os.RemoveAll(c.dir) }

// complete adds to the copy what was changed since, as a transaction of the store sees it, and gives it its name. stale are the
// memories that will be purged. It returns those that were changed, and may be called again.
func (c *savedCopy) complete(ctx context.Context, tx driver.Tx, stale []hippo.ID) (changed []hippo.ID, err error) {
	ms, err := tx.Changed(c.since)
	if err != nil || len(ms) == 0 && c.since == 0 {
		return nil, err
	}
	for _, m := range ms {
		changed = append(changed, m.ID)
	}
	s, err := sqlitestore.Open(ctx, c.file, nil)
	if err != nil {
		return nil, err
	}
	err = add(ctx, s, tx, ms, stale)
	if err = errors.Join(err, s.Close()); err == nil && c.file != c.path {
		if err = publish(c.file, c.path); err == nil {
			c.file = c.path
		}
	}
	return changed, err
}

// add brings a copy to the state of a transaction of the store.
func add(ctx context.Context, s *sqlitestore.Store, tx driver.Tx, changed []*hippo.Memory, stale []hippo.ID) error {
	gone, err := missing(tx, stale)
	if err != nil {
		return err
	}
	ids := make([]hippo.ID, len(changed))
	for i, m := range changed {
		ids[i] = m.ID
	}
	versions, err := tx.Versions(driver.VersionQuery{Memories: ids})
	if driver.Readable(err) != nil {
		return err
	}
	relations, err := tx.RelationsFrom(hippo.ID{}, hippo.ID{}, "")
	if err != nil {
		return err
	}
	day, err := tx.Calendar()
	if err != nil {
		return err
	}
	return s.Write(ctx, driver.Durable, func(to driver.Tx) error {
		if err := errors.Join(to.Purge(gone...), advance(to, day), putChanged(to, changed)); err != nil {
			return err
		}
		return errors.Join(replaceRelations(to, relations, anyRelation), putHistory(to, ids, versions))
	})
}

// missing returns those of the IDs that a transaction does not see.
func missing(tx driver.Tx, ids []hippo.ID) (gone []hippo.ID, err error) {
	for some := range slices.Chunk(ids, copyBatch) {
		ms, err := tx.Get(some...)
		if driver.Readable(err) != nil {
			return nil, err
		}
		there := make(map[hippo.ID]bool)
		for _, m := range ms {
			there[m.ID] = true
		}
		for _, p := range driver.ProblemsOf(err) {
			there[p.ID] = true
		}
		gone = append(gone, slices.DeleteFunc(slices.Clone(some), func(id hippo.ID) bool { return there[id] })...)
	}
	return gone, nil
}

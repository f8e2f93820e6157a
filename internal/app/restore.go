package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// copyBatch is how many memories are copied at a time.
const copyBatch = 500

// RestoreReport is the outcome of [OpenedBackup.Restore].
type RestoreReport struct {
	// Memories is how many there are now, forgotten ones included, except for those that Forgotten counts.
	Memories int
	// Forgotten counts the memories that the backup lacks and that became forgotten instead of being removed, because the store syncs.
	Forgotten int
	// Purged counts the memories of the backup that were left out, because they were deleted permanently since.
	Purged int
	// Final counts those of Purged that cannot be brought back, because the store syncs or did so.
	Final int
	// Saved is the file that has what was there before; empty if there was nothing.
	Saved string
	// Problems are those of the backup.
	Problems []api.StoreProblem
}

// BackupError is the error of a file that cannot be restored. Nothing was changed.
type BackupError struct {
	Path string
	Err  error
}

func (e *BackupError) Error() string { return fmt.Sprintf("backup %s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *BackupError) Unwrap() error { return e.Err }

// OpenedBackup is a backup that was checked. It must be closed.
type OpenedBackup struct {
	// Problems are memories of the backup that cannot be read. What a store has of them
	// stays.
	Problems []api.StoreProblem
	// BringBack also restores what was deleted permanently since.
	BringBack bool

	path string
	dir  string // holds the copy
	copy *sqlitestore.Store
}

// OpenBackup opens a copy of a backup, migrated to the schema of this program, and checks all of
// it. The error is a [*BackupError] if the file does not exist, is no backup, or is damaged as a
// whole.
func OpenBackup(ctx context.Context, path string) (b *OpenedBackup, err error) {
	if info, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, &BackupError{path, fmt.Errorf("%w: there is no such file", hippo.ErrNotFound)}
	} else if err == nil && info.IsDir() {
		return nil, &BackupError{path, fmt.Errorf("%w: it is a directory, not a file that hippo backup wrote", hippo.ErrUnsupported)}
	}
	dir, err := os.MkdirTemp("", "hippo-restore-*")
	if err != nil {
		return nil, fmt.Errorf("%w: restore: %w", hippo.ErrUnavailable, err)
	}
	b = &OpenedBackup{path: path, dir: dir}
	if err := b.open(ctx, filepath.Join(dir, "backup.db")); err != nil {
		return nil, errors.Join(&BackupError{path, err}, os.RemoveAll(dir))
	}
	return b, nil
}

// open copies the backup to file and checks the copy.
func (b *OpenedBackup) open(ctx context.Context, file string) (err error) {
	if err := sqlitestore.CopyFile(ctx, b.path, file); err != nil {
		return err
	}
	if b.copy, err = sqlitestore.Open(ctx, file, nil); err != nil {
		return err
	}
	ps, err := b.copy.Check(ctx)
	if b.Problems = locate(ps, file, b.path); err == nil {
		err = b.copy.Damaged(ctx)
	}
	if err != nil {
		return errors.Join(err, b.copy.Close())
	}
	return nil
}

// Close removes the copy.
func (b *OpenedBackup) Close() error { return errors.Join(b.copy.Close(), os.RemoveAll(b.dir)) }

// Restore replaces all of a store, every namespace of it, by what the backup holds, after
// it saved what was there to another file beside the store. Running servers follow. All but vectors is
// replaced in one transaction, before which the saved file gets what others wrote meanwhile; a restore
// that was interrupted is completed by the next. The active day does not go back. What was deleted permanently since the backup is left out, unless
// BringBack is set. In a store that syncs, a restore is a change like others: other replicas follow it, and what they wrote without having seen
// it stays. What the backup lacks becomes forgotten there and here.
//
// A SQLite store that is too damaged to be written is renamed, and the backup takes its place.
func (b *OpenedBackup) Restore(ctx context.Context, c config.Store, now time.Time, o *Options) (r RestoreReport, err error) {
	if o == nil {
		o = &Options{}
	}
	r.Problems = b.Problems
	if c.Kind == "memory" {
		return r, fmt.Errorf("%w: a store in RAM cannot be restored", hippo.ErrUnsupported)
	}
	if sameFile(c.Path, b.path) {
		return r, fmt.Errorf("%w: %s is the store itself", hippo.ErrConflict, b.path)
	}
	saved := unusedName(c.Path + ".before-restore-" + now.UTC().Format("20060102T150405Z"))
	to, _, err := openBackend(ctx, c, o)
	if c.Kind == "shared" && errors.Is(err, hippo.ErrCorrupt) && isEmpty(c.Path) { // there is nothing of the other program to keep
		if err = os.Rename(c.Path, saved+".damaged.db"); err == nil {
			to, _, err = openBackend(ctx, c, o)
		}
	}
	clock := o.Now
	if clock == nil {
		clock = func() time.Time { return now }
	}
	if err == nil {
		err = errors.Join(r.restore(ctx, to, b, saved+".db", clock), to.Close())
	}
	if c.Kind == "sqlite" && errors.Is(err, hippo.ErrCorrupt) {
		err = r.replaceDamaged(ctx, c.Path, b.copy, saved+".damaged.db")
	}
	return r, err
}

// unusedName returns a name under which nothing was saved yet: two restores may come within a second.
func unusedName(base string) string {
	name := base
	for n := 2; exists(name+".db") || exists(name+".damaged.db"); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// restore saves what a store has, and replaces it. The copy is made while others write; what they changed meanwhile is added to it in
// the transaction that replaces it, so that no write is lost between the two.
func (r *RestoreReport) restore(ctx context.Context, to driver.Backend, b *OpenedBackup, saved string, now func() time.Time) (err error) {
	if _, err := problems(ctx, to); err != nil {
		return err
	}
	// A store that was found to be damaged refuses this.
	if err := to.Write(ctx, driver.Durable, func(driver.Tx) error { return nil }); err != nil {
		return err
	}
	c, err := startCopy(ctx, to, saved)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	left, err := b.without(ctx, to)
	if err != nil {
		return err
	}
	x := &replacement{from: left, to: to, now: now, bringBack: b.BringBack}
	x.first = func(tx driver.Tx, stale []hippo.ID) ([]hippo.ID, error) { return c.complete(ctx, tx, stale) }
	err = x.run(ctx)
	r.Purged, r.Final, r.Forgotten = len(left.ids), x.final, x.forgotten
	if exists(saved) {
		r.Saved = saved
	}
	if err != nil {
		return err
	}
	h, err := to.Head(ctx)
	r.Memories = h.Memories - r.Forgotten
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

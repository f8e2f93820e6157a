package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// lockPoll is how often a lock is tried that another process has.
const lockPoll = 10 * time.Millisecond

var errNoSnapshot = errors.New("there is no snapshot")

// arrival is a snapshot that was fetched and verified. It gets its place when it is on the disk; until then the lock of the file
// is held.
type arrival struct {
	temp, path string
	lock       *flock.Flock
}

// load takes the file into the empty index, or a snapshot of another machine. A file that does not fit is deleted.
func (u *upkeep) load(ctx context.Context, head driver.Head) {
	if u.opts.Path == "" {
		return
	}
	err := u.read(u.opts.Path, head)
	if err == nil {
		return
	}
	if !errors.Is(err, fs.ErrNotExist) {
		u.opts.Log.Info("index: rebuilding it", "path", u.opts.Path, "reason", err)
		if u.opts.writable() {
			u.file.forget()
		}
	}
	if !u.opts.shares() || head.Revision == 0 {
		return
	}
	if err := fetch(ctx, u, head); err != nil && !errors.Is(err, errNoSnapshot) {
		u.opts.Log.Info("index: building it, because no snapshot could be fetched", "path", u.opts.Path, "reason", err)
	}
}

// fetch loads the newest snapshot that fits, or the file that another process fetched meanwhile.
func fetch(ctx context.Context, u *upkeep, head driver.Head) error {
	ctx, cancel := context.WithTimeout(ctx, u.opts.Sharing.patience(head.Memories))
	defer cancel()
	type result struct {
		arrival *arrival
		err     error
	}
	done := make(chan result)
	go func() { // which a file system or a server that hangs may keep
		a, err := fetchFile(ctx, u.opts, head)
		select {
		case done <- result{a, err}:
		case <-ctx.Done():
			if a != nil {
				_ = a.drop() // the next one is fetched in its place
			}
		}
	}()
	var got result
	select {
	case got = <-done:
	case <-ctx.Done():
		return fmt.Errorf("a snapshot did not arrive in time: %w", ctx.Err())
	}
	switch {
	case got.err != nil:
		return got.err
	case got.arrival == nil: // another process has fetched it
		return u.read(u.opts.Path, head)
	}
	if err := u.read(got.arrival.temp, head); err != nil {
		return errors.Join(err, got.arrival.drop())
	}
	u.sender.keeps(u.current.Load().extent(u.opts.Instant))
	u.sender.settling.Go(func() { u.warn(got.arrival.settle()) })
	return nil
}

// fetchFile fetches the newest snapshot. Of the processes that need the file one fetches it; the others wait, and have no arrival
// then.
func fetchFile(ctx context.Context, o *Options, head driver.Head) (*arrival, error) {
	a := &arrival{o.Path + ".fetch", o.Path, flock.New(o.Path+".lock", flock.SetPermissions(0o600))}
	if ok, err := a.lock.TryLockContext(ctx, lockPoll); !ok {
		return nil, errors.Join(err, a.lock.Close())
	}
	if fits(o, head) {
		return nil, a.lock.Close()
	}
	err := a.fill(ctx, o, head)
	if err != nil {
		return nil, errors.Join(err, a.drop())
	}
	return a, nil
}

// fits reports whether the file exists and belongs to this index.
func fits(o *Options, head driver.Head) bool {
	f, err := os.Open(o.Path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it is only read
	_, r, _, err := readRoot(f)
	return err == nil && o.misfit(&r, head.Store, head.Revision) == nil
}

// fill fetches and verifies the newest snapshot.
func (a *arrival) fill(ctx context.Context, o *Options, head driver.Head) (err error) {
	s := o.Sharing.Snapshots
	revision, err := s.Newest(ctx, head.Store, o.form(), head.Revision)
	if err != nil {
		return err
	}
	if revision == 0 {
		return errNoSnapshot
	}
	f, err := os.OpenFile(a.temp, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := s.Fetch(ctx, head.Store, o.form(), revision, f); err != nil {
		return err
	}
	if err := unpack(f); err != nil {
		return err
	}
	_, r, _, err := readRoot(f)
	if err == nil && r.Revision != revision {
		err = fmt.Errorf("a snapshot of revision %d in place of %d: %w", r.Revision, revision, hippo.ErrCorrupt)
	}
	return errors.Join(err, o.misfit(&r, head.Store, head.Revision))
}

// settle puts a snapshot in the place of the file, once it is on the disk.
func (a *arrival) settle() error {
	err := syncFile(a.temp)
	if err == nil {
		err = os.Rename(a.temp, a.path)
	}
	if err != nil {
		return errors.Join(err, a.drop())
	}
	return errors.Join(atomicfile.SyncDir(filepath.Dir(a.path)), a.lock.Close())
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// drop removes a snapshot that gets no place.
func (a *arrival) drop() error {
	err := os.Remove(a.temp)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, a.lock.Close())
}

package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// acquire takes the lock that excludes all other handles, of every process. A
// process that dies releases it.
func (d *disk) acquire(ctx context.Context) (release func(), err error) {
	for {
		l := d.newLock()
		ok, err := l.TryLock()
		if err == nil && !ok {
			err = wait(ctx, l)
		}
		if err != nil {
			return nil, d.failed("lock", lockName, err)
		}
		if d.valid(l) {
			return func() { unlock(l) }, nil
		}
		unlock(l)
	}
}

// tryAcquire takes the lock if it is free.
func (d *disk) tryAcquire() (release func(), ok bool) {
	l := d.newLock()
	if ok, err := l.TryLock(); err != nil || !ok {
		return nil, false
	}
	return func() { unlock(l) }, true
}

func (d *disk) newLock() *flock.Flock {
	return flock.New(d.full(lockName), flock.SetPermissions(0o600))
}

// unlock closes the file, which releases the lock whatever the answer.
func unlock(l *flock.Flock) {
	_ = l.Unlock() // see above
}

// valid reports whether the file locked is still the one that others lock: .hippo
// may be deleted at any time.
func (d *disk) valid(l *flock.Flock) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := d.root.Stat(lockName)
	return err == nil && os.SameFile(held, there)
}

// wait blocks in the kernel, which wakes waiters at once, where polling would
// starve behind a busy writer.
func wait(ctx context.Context, l *flock.Flock) error {
	locked := make(chan error, 1)
	go func() { locked <- l.Lock() }()
	select {
	case err := <-locked:
		return err
	case <-ctx.Done():
		go func() {
			if <-locked == nil {
				unlock(l)
			}
		}()
		return ctx.Err()
	}
}

// makeState creates what has to be in .hippo.
func (d *disk) makeState() error {
	if err := d.root.Mkdir(stateDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return d.failed("create", stateDir, err)
	}
	if _, err := d.root.Lstat(ignoreName); err == nil {
		return nil
	}
	return d.failed("create", ignoreName, d.root.WriteFile(ignoreName, []byte("*\n"), 0o600))
}

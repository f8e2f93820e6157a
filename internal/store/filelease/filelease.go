// Package filelease implements [driver.Leases] for stores of files, by a locked file for each right. The system unlocks
// it when its process ends, however that ends.
package filelease

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

// layout is that of the time in a file, which always has the same length. The first byte of the file is left out: Windows
// forbids others to read what is locked.
const layout = "2006-01-02T15:04:05.000000Z"

// Leases are the rights of one handle of a store. It is safe for concurrent use.
type Leases struct {
	prefix string
	now    func() time.Time

	mu   sync.Mutex
	held map[string]*flock.Flock
}

// New returns the rights of a store. The file of a right is named prefix, the name of the right, and ".lease".
func New(prefix string, now func() time.Time) *Leases {
	return &Leases{prefix: prefix, now: now, held: make(map[string]*flock.Flock)}
}

func (l *Leases) path(name string) string { return l.prefix + name + ".lease" }

// Lease implements [driver.Leases].
func (l *Leases) Lease(ctx context.Context, name string, d time.Duration) (driver.Lease, error) {
	if err := ctx.Err(); err != nil {
		return driver.Lease{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d <= 0 {
		return l.state(name)
	}
	if l.held[name] == nil {
		lock := flock.New(l.path(name), flock.SetPermissions(0o600))
		if ok, err := lock.TryLock(); !ok {
			_ = lock.Close() // nothing was written through it
			until, readErr := read(l.path(name))
			return driver.Lease{Until: l.atLeastNow(until)}, failed(name, errors.Join(err, readErr))
		}
		l.held[name] = lock
	}
	before, err := read(l.path(name))
	if err == nil {
		err = write(l.path(name), l.now().Add(d))
	}
	return driver.Lease{Held: true, Until: before}, failed(name, err)
}

// state returns the state of a right, and makes no file for it.
func (l *Leases) state(name string) (driver.Lease, error) {
	until, err := read(l.path(name))
	if err != nil || l.held[name] != nil || until.IsZero() {
		return driver.Lease{Held: l.held[name] != nil, Until: until}, failed(name, err)
	}
	lock := flock.New(l.path(name), flock.SetPermissions(0o600))
	free, err := lock.TryLock()
	_ = lock.Close() // nothing was written through it
	switch {
	case err != nil:
		return driver.Lease{}, failed(name, err)
	case free:
		return driver.Lease{Until: earlier(until, l.now())}, nil
	default:
		return driver.Lease{Until: l.atLeastNow(until)}, nil
	}
}

// atLeastNow is when a right ends that another process has: not before that process ends, however long it takes.
func (l *Leases) atLeastNow(until time.Time) time.Time {
	if soon := l.now().Add(time.Second); until.Before(soon) {
		return soon
	}
	return until
}

// earlier returns the earlier one of two times.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Release implements [driver.Leases].
func (l *Leases) Release(_ context.Context, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := l.held[name]
	if lock == nil {
		return nil
	}
	delete(l.held, name)
	return failed(name, errors.Join(write(l.path(name), l.now()), lock.Close()))
}

// Close unlocks all files. The times in them stay.
func (l *Leases) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, lock := range l.held {
		_ = lock.Close() // the system unlocks it with the process
		delete(l.held, name)
	}
}

// read returns the time in a file; zero if there is none yet.
func read(path string) (time.Time, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return time.Time{}, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	text := make([]byte, len(layout))
	if n, _ := f.ReadAt(text, 1); n < len(layout) { // new, or half written
		return time.Time{}, nil
	}
	until, err := time.Parse(layout, string(text))
	if err != nil {
		return time.Time{}, nil //nolint:nilerr // somebody is writing it
	}
	return until, nil
}

// write sets the time in a file that this handle has locked.
func write(path string, until time.Time) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(until.UTC().Format(layout)), 1)
	return errors.Join(err, f.Close())
}

func failed(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lease %s: %w", name, err)
}

package codeindex

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
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

const (
	lockFile = "lock"
	// lockRetry is how often a lock is tried that another process holds.
	lockRetry = 50 * time.Millisecond
)

// takeLock takes the lock of the root, of which the caller closes the file. The error is [hippo.ErrNotFound] if the index
// was forgotten, or that of ctx.
func takeLock(ctx context.Context, t *Tree) (*flock.Flock, error) {
	path := filepath.Join(t.folder, lockFile)
	for {
		lock := flock.New(path)
		if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, errForgotten(t)
			}
			return nil, fmt.Errorf("code index: %w", err)
		}
		if held(lock, path) {
			if _, err := os.Stat(filepath.Join(t.folder, rootFile)); err == nil {
				return lock, nil
			}
			return nil, errors.Join(errForgotten(t), lock.Close())
		}
		// The index was forgotten meanwhile, and perhaps added again with another file.
		if err := lock.Close(); err != nil {
			return nil, fmt.Errorf("code index: %w", err)
		}
	}
}

// held reports whether the file that is locked is still the one at the path.
func held(lock *flock.Flock, path string) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(locked, there)
}

// errForgotten is the error of a root whose index was deleted.
func errForgotten(t *Tree) error {
	return fmt.Errorf("%w: the index of %s was forgotten; run hippo code index %s", hippo.ErrNotFound, t.Root.Path, termtext.Argument(t.Root.Path))
}

// heldElsewhere reports whether another process holds a lock of a tree, by its file.
func heldElsewhere(t *Tree, file string) bool {
	path := filepath.Join(t.folder, file)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	lock := flock.New(path)
	free, err := lock.TryRLock()
	_ = lock.Close() // it was only tried
	return err == nil && !free
}

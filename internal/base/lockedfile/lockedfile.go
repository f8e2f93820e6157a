// Package lockedfile keeps a small JSON file for each of many keys, such as the sessions of agents. One process at a time
// holds a file; those that were not used for long are removed.
package lockedfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

const (
	lockSuffix = ".lock"
	lockRetry  = 5 * time.Millisecond
	// maxPruned is how many files [Folder.Open] looks at when it creates one.
	maxPruned = 500
)

// Folder is a folder of such files.
type Folder struct {
	Dir string // it is created when it is needed
	// Age is how long a file is kept after its last use.
	Age time.Duration
}

// File is the file of one key. It is locked while it is open.
type File struct {
	path string
	lock *flock.Flock
}

// path returns the file of a key.
func (f Folder) path(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(f.Dir, hex.EncodeToString(sum[:12])+".json")
}

// Peek decodes the file of a key without waiting for its lock; false if there is none, or a damaged one.
func (f Folder) Peek(key string, v any) bool { return load(f.path(key), v) }

func load(path string, v any) bool {
	b, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(b, v) == nil
}

// Open locks the file of a key, and waits until ctx ends for others that hold it. If it is new, it prunes the folder.
func (f Folder) Open(ctx context.Context, key string, now time.Time) (*File, error) {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, err
	}
	path := f.path(key)
	lock, err := acquire(ctx, path+lockSuffix)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		f.prune(path, now)
	}
	return &File{path: path, lock: lock}, nil
}

// acquire locks a file that pruning in another process may remove meanwhile.
func acquire(ctx context.Context, path string) (*flock.Flock, error) {
	for {
		lock := flock.New(path, flock.SetPermissions(0o600))
		ok, err := lock.TryLockContext(ctx, lockRetry)
		if err != nil || !ok {
			return nil, fmt.Errorf("locked by another process: %w", errors.Join(err, context.Cause(ctx)))
		}
		held, err := lock.Stat()
		if now, statErr := os.Stat(path); err == nil && statErr == nil && os.SameFile(held, now) {
			return lock, nil
		}
		_ = lock.Close() // of a file that is gone
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// Load decodes the file; false if it is new or damaged.
func (f *File) Load(v any) bool { return load(f.path, v) }

// Save writes the file.
func (f *File) Save(v any, now time.Time) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.Write(f.path, b), os.Chtimes(f.path, now, now))
}

// Close unlocks the file.
func (f *File) Close() { _ = f.lock.Close() } // the system unlocks when the process ends

// prune removes files that were not used for long, of maxPruned files from the name of a new one on: its name is a
// hash, so that all files have their turn. A failure leaves files, no more.
func (f Folder) prune(path string, now time.Time) {
	files, err := os.ReadDir(f.Dir)
	if err != nil {
		return
	}
	from := max(0, slices.IndexFunc(files, func(e fs.DirEntry) bool { return e.Name() >= filepath.Base(path) }))
	for i := range min(len(files), maxPruned) {
		name := filepath.Join(f.Dir, files[(from+i)%len(files)].Name())
		if f.isOld(name, now) {
			f.remove(strings.TrimSuffix(name, lockSuffix), now)
		}
	}
}

// isOld reports whether a file was not written for long; false if it is not there.
func (f Folder) isOld(name string, now time.Time) bool {
	info, err := os.Stat(name)
	return err == nil && now.Sub(info.ModTime()) > f.Age
}

// remove removes a file with its lock, unless it is in use, or was used lately: the lock alone is not written again.
func (f Folder) remove(path string, now time.Time) {
	lock := flock.New(path+lockSuffix, flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || f.isOld(path, now) {
		_ = errors.Join(os.Remove(path), os.Remove(path+lockSuffix))
	}
	_ = lock.Close()
	if runtime.GOOS == "windows" {
		_ = os.Remove(path + lockSuffix) // it removes no file that is open
	}
}

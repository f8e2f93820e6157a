package embedding

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"sync"

	"github.com/gofrs/flock"
)

// lease is the right to embed the memories of a store in the background. One process has it at a
// time, so that no vector is computed twice; the others read the vectors that it has stored. The
// system takes it back from a process that ends, however it ends. It is safe for concurrent use.
type lease struct {
	path string // of the lock file; "": the store is of this process alone

	mu      sync.Mutex
	holders map[string]bool // models of this process that embed
	lock    *flock.Flock    // nil: this process does not have the lease
}

// rateSize is the length of the rates in the lock file, which are padded with spaces.
const rateSize = 512

// newLease returns the lease of a group of models. A path of "" means that there is no other process.
func newLease(path, group string) *lease {
	if path != "" && group != "" {
		sum := sha256.Sum256([]byte(group))
		path += "-" + hex.EncodeToString(sum[:4])
	}
	if path != "" {
		path += ".lock"
	}
	return &lease{path: path, holders: make(map[string]bool)}
}

// take reports whether the process has the lease, after it has tried to get it for a model. A lock
// that fails, as on some network file systems, hinders nobody: then vectors may be computed twice.
func (l *lease) take(model string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path != "" && l.lock == nil {
		lock := flock.New(l.path, flock.SetPermissions(0o600))
		if ok, err := lock.TryLock(); !ok {
			_ = lock.Close() // nothing was written through it
			return err != nil
		}
		l.lock = lock
	}
	l.holders[model] = true
	return true
}

// elsewhere reports whether another process has the lease.
func (l *lease) elsewhere() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" || l.lock != nil {
		return false
	}
	if _, err := os.Stat(l.path); err != nil { // asking would make the file
		return false
	}
	lock := flock.New(l.path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	_ = lock.Close() // nothing was written through it
	return !ok && err == nil
}

// release gives the lease back when no model of this process needs it.
func (l *lease) release(model string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.holders, model)
	if len(l.holders) == 0 && l.lock != nil {
		_ = l.lock.Close() // nothing was written through it
		l.lock = nil
	}
}

// publish writes how many memories a second a model embeds, for the status in other processes. It
// must have the lease. The first byte of the file is left out: Windows forbids others to read what
// is locked.
func (l *lease) publish(model string, rate float64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lock == nil {
		return nil
	}
	all := readRates(l.path)
	all[model] = rate
	text, err := json.Marshal(all)
	if err != nil || len(text) > rateSize {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	padded := make([]byte, rateSize)
	for i := copy(padded, text); i < rateSize; i++ {
		padded[i] = ' '
	}
	_, err = f.WriteAt(padded, 1)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// published returns how many memories a second a model embedded last, in any process; 0: unknown.
func (l *lease) published(model string) float64 {
	if l.path == "" {
		return 0
	}
	return readRates(l.path)[model]
}

// readRates returns an empty map if the file cannot be read: somebody may be writing it.
func readRates(path string) map[string]float64 {
	all := make(map[string]float64)
	f, err := os.Open(path)
	if err != nil {
		return all
	}
	defer f.Close() //nolint:errcheck // only read
	text := make([]byte, rateSize)
	if _, err := f.ReadAt(text, 1); err != nil || json.Unmarshal(text, &all) != nil {
		return make(map[string]float64)
	}
	return all
}

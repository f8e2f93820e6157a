package index

import (
	"sync"
	"sync/atomic"
)

// upkeep is the background work: merges and saves, one at a time.
type upkeep struct {
	*state
	opts *Options
	file indexFile // guarded by working
	// rebuilding is set while an empty index is filled.
	rebuilding atomic.Bool

	working    sync.Mutex // held by the work
	background background
	warned     sync.Once // that the file cannot be written
}

// background runs one function at a time.
type background struct {
	mu      sync.Mutex // guards what follows
	busy    bool
	again   bool // f is to run once more
	closed  bool
	running sync.WaitGroup
}

// start runs f in a goroutine, or once more if it runs. f is always the same function.
func (b *background) start(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.busy {
		b.again = true
		return
	}
	b.busy = true
	b.running.Go(func() {
		for f(); b.more(); {
			f()
		}
	})
}

// more reports whether f is to run once more; if not it is no longer busy.
func (b *background) more() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy = b.again && !b.closed
	b.again = false
	return b.busy
}

// close waits for the function that runs; no other begins.
func (b *background) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.running.Wait()
}

// warn ends a best effort: the index goes on in memory, and the next save tries again. What
// stands in the way is logged once.
func (u *upkeep) warn(err error) {
	if err != nil {
		u.warned.Do(func() { u.opts.Log.Warn("index: the file cannot be written", "error", err) })
	}
}

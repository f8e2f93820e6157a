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
	mu           sync.Mutex // guards busy and closed
	busy, closed bool
	running      sync.WaitGroup
}

// try runs f in a goroutine, unless another function runs.
func (b *background) try(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy || b.closed {
		return
	}
	b.busy = true
	b.running.Go(func() {
		f()
		b.mu.Lock()
		b.busy = false
		b.mu.Unlock()
	})
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

// Package ondemand runs background work in a goroutine that exists only while there is some.
package ondemand

import "sync"

// Worker runs one function at a time. The zero value is ready; it is safe for concurrent use.
type Worker struct {
	mu      sync.Mutex // guards what follows
	busy    bool
	again   bool // the function is to run once more
	closed  bool
	running sync.WaitGroup
}

// Start runs f in a goroutine, or once more if it runs. f is always the same function. After Close it does nothing.
func (w *Worker) Start(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.busy {
		w.again = true
		return
	}
	w.busy = true
	w.running.Go(func() {
		for f(); w.more(); {
			f()
		}
	})
}

// more reports whether the function is to run once more; if not, the Worker is no longer busy.
func (w *Worker) more() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = w.again && !w.closed
	w.again = false
	return w.busy
}

// Close waits for the function that runs; no other begins.
func (w *Worker) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.running.Wait()
}

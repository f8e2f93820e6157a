package engine

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// turns admits searches, in the order in which they came: those beyond eight times the number of processors
// wait before they embed anything. A search that has begun then takes about as long as it would alone,
// its models do not run out of time, and none is overtaken until it is the slowest of all.
//
// Where some wait, they are admitted together, when only a quarter of the others is left: they embed their queries
// and scan the vectors together, which costs less than one after the other, while those that are left are ranked.
type turns struct {
	most, low int

	mu      sync.Mutex
	under   int             // way
	waiting []chan struct{} // closed when admitted, the longest wait first
}

func newTurns() *turns {
	n := runtime.GOMAXPROCS(0)
	return &turns{most: 8 * n, low: 2 * n}
}

// Begin waits for the turn of a search. The error is that of ctx.
func (t *turns) Begin(ctx context.Context) error {
	admitted := t.enter()
	if admitted == nil {
		return nil
	}
	select {
	case <-admitted:
		return nil
	case <-ctx.Done():
		t.leave(admitted)
		return ctx.Err()
	}
}

// enter admits a search, or returns what is closed when it is admitted.
func (t *turns) enter() (admitted chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.under < t.most && len(t.waiting) == 0 {
		t.under++
		return nil
	}
	admitted = make(chan struct{})
	t.waiting = append(t.waiting, admitted)
	return admitted
}

// leave gives up the place of a search that waits, or has just been admitted.
func (t *turns) leave(admitted chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, admitted); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		return
	}
	t.admit()
}

// End ends the turn of a search.
func (t *turns) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.admit()
}

// admit takes note of a turn that ended, and admits those that wait if few are left.
func (t *turns) admit() {
	if t.under--; t.under > t.low {
		return
	}
	n := min(len(t.waiting), t.most-t.under)
	for _, w := range t.waiting[:n] {
		close(w)
	}
	t.waiting = slices.Delete(t.waiting, 0, n)
	t.under += n
}

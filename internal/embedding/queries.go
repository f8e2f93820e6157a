package embedding

import (
	"context"
	"sync"
)

// queries counts the queries that are being embedded, so that the background work can let them
// pass. The zero value is ready.
type queries struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when there are none any more; nil: there are none
}

func (q *queries) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n++; q.n == 1 {
		q.none = make(chan struct{})
	}
}

func (q *queries) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n--; q.n == 0 {
		close(q.none)
		q.none = nil
	}
}

// any reports whether there are some.
func (q *queries) any() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n > 0
}

// wait waits until there are none. The error is that of ctx.
func (q *queries) wait(ctx context.Context) error {
	q.mu.Lock()
	none := q.none
	q.mu.Unlock()
	if none == nil {
		return ctx.Err()
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

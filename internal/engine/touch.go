package engine

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
)

// touches writes the accesses of searches behind them: one goroutine, one batch
// for all searches of a moment.
type touches struct {
	store *store.Store
	index *index.Index
	log   *slog.Logger

	mu      sync.Mutex
	idle    *sync.Cond // pending is empty and nothing is being written
	pending map[hippo.Day]map[hippo.ID]int
	writing bool
	wake    chan struct{} // something is pending
	hurry   chan struct{} // somebody waits for it
	done    chan struct{}
}

// touchDelay is how long accesses are collected. They show at once in this
// process; a crash within the delay loses them, which costs a little rank.
const touchDelay = 500 * time.Millisecond

func newTouches(s *store.Store, x *index.Index, log *slog.Logger) *touches {
	t := &touches{
		store: s, index: x, log: log,
		pending: map[hippo.Day]map[hippo.ID]int{},
		wake:    make(chan struct{}, 1),
		hurry:   make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
	t.idle = sync.NewCond(&t.mu)
	go t.run()
	return t
}

// add counts one access of each of ids. It does not wait.
func (t *touches) add(day hippo.Day, ids []hippo.ID) {
	if len(ids) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending[day] == nil {
		t.pending[day] = make(map[hippo.ID]int, len(ids))
	}
	for _, id := range ids {
		t.pending[day][id]++
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *touches) run() {
	defer close(t.done)
	for range t.wake {
		select {
		case <-t.hurry:
		case <-time.After(touchDelay):
		}
		t.write()
	}
}

func (t *touches) write() {
	t.mu.Lock()
	batch := t.pending
	t.pending = map[hippo.Day]map[hippo.ID]int{}
	t.writing = true
	t.mu.Unlock()
	for _, day := range slices.Sorted(maps.Keys(batch)) {
		counts := batch[day]
		// Best effort: a lost access costs a little rank, never a memory.
		err := t.index.Settle(context.Background(), day, counts, func() ([]*hippo.Memory, error) {
			return t.store.Touch(context.Background(), day, counts)
		})
		if err != nil {
			t.log.Warn("accesses not stored", "memories", len(counts), "error", err)
		}
	}
	t.mu.Lock()
	t.writing = false
	t.idle.Broadcast()
	t.mu.Unlock()
}

// flush waits until nothing is pending.
func (t *touches) flush(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.idle.Broadcast()
	})
	defer stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.pending) > 0 || t.writing {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.rush()
		t.idle.Wait()
	}
	return nil
}

// rush ends the delay.
func (t *touches) rush() {
	select {
	case t.hurry <- struct{}{}:
	default:
	}
}

// close writes what is pending and ends the goroutine. No add may follow.
func (t *touches) close() {
	close(t.wake)
	t.rush()
	<-t.done
	t.write()
}

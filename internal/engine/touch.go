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
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// touches writes the accesses of searches behind them: one goroutine, one batch
// for all searches of a moment.
type touches struct {
	store *store.Store
	index *index.Index
	log   *slog.Logger
	rule  rank.Relations
	// pruned is the day on which what was learned was last gone through; the
	// goroutine's own.
	pruned hippo.Day

	mu      sync.Mutex
	idle    *sync.Cond // pending is empty and nothing is being written
	pending map[hippo.Day]map[hippo.ID]int
	pairs   map[hippo.Relation]bool // found together; none without a pending access
	writing bool
	wake    chan struct{} // something is pending
	hurry   chan struct{} // somebody waits for it
	quit    chan struct{} // closed at the end
	done    chan struct{}
}

// touchDelay is how long accesses are collected. They show at once in this
// process; a crash within the delay loses them, which costs a little rank.
const touchDelay = 500 * time.Millisecond

func newTouches(s *store.Store, x *index.Index, rule rank.Relations, log *slog.Logger) *touches {
	t := &touches{
		store: s, index: x, log: log, rule: rule,
		pending: map[hippo.Day]map[hippo.ID]int{},
		pairs:   map[hippo.Relation]bool{},
		wake:    make(chan struct{}, 1),
		hurry:   make(chan struct{}, 1),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	t.idle = sync.NewCond(&t.mu)
	go t.run()
	return t
}

// add counts one access of each of ids, and has pairs of them learn that they were
// found together. It does not wait.
func (t *touches) add(day hippo.Day, ids []hippo.ID, pairs []hippo.Relation) {
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
	for _, p := range pairs {
		t.pairs[p] = true
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *touches) run() {
	defer close(t.done)
	for {
		select {
		case <-t.wake:
		case <-t.quit:
			return
		}
		select {
		case <-t.hurry:
		case <-t.quit:
		case <-time.After(touchDelay):
		}
		t.write()
	}
}

func (t *touches) write() {
	t.mu.Lock()
	batch, pairs := t.pending, t.pairs
	t.pending, t.pairs = map[hippo.Day]map[hippo.ID]int{}, map[hippo.Relation]bool{}
	t.writing = true
	t.mu.Unlock()
	days := slices.Sorted(maps.Keys(batch))
	for _, day := range days {
		counts := batch[day]
		// Best effort: a lost access costs a little rank, never a memory.
		err := t.index.Settle(context.Background(), day, counts, func() ([]driver.Touched, error) {
			return t.store.Touch(context.Background(), day, counts)
		})
		if err != nil {
			t.log.Warn("accesses not stored", "memories", len(counts), "error", err)
		}
	}
	if len(pairs) > 0 {
		t.learn(days[len(days)-1], slices.SortedFunc(maps.Keys(pairs), func(a, b hippo.Relation) int { return a.Compare(&b) }))
	}
	t.mu.Lock()
	t.writing = false
	t.idle.Broadcast()
	t.mu.Unlock()
}

// learn stores that pairs were found together, and once a day drops what has faded.
func (t *touches) learn(day hippo.Day, pairs []hippo.Relation) {
	ctx := context.Background()
	err := t.store.CoRecall(ctx, pairs, func(old hippo.Relation, now time.Time) float64 { return t.rule.Learned(&old, now) })
	if err == nil && day > t.pruned {
		t.pruned = day
		err = t.store.PruneRelations(ctx, func(r hippo.Relation, now time.Time) bool { return t.rule.Faded(&r, now) })
	}
	if err != nil {
		t.log.Warn("what was found together is not learned", "pairs", len(pairs), "error", err)
	}
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
	close(t.quit)
	<-t.done
	t.write()
}

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

// accessWriter is the write-behind buffer of access counts: one goroutine stores the accesses
// of all searches of half a second together, with their co-recalled pairs.
type accessWriter struct {
	store *store.Store
	index *index.Index
	log   *slog.Logger
	rule  *rank.Relations

	mu       sync.Mutex
	idle     *sync.Cond // nothing is pending and nothing is being written
	pending  accessBatch
	writing  bool
	wake     chan struct{} // something is pending
	flushNow chan struct{} // a caller waits for a flush
	quit     chan struct{} // closed at the end
	done     chan struct{}
}

// accessBatch is what is written together.
type accessBatch struct {
	counts map[hippo.Day]map[hippo.ID]int
	pairs  map[hippo.Relation]bool // found together
}

// accessDelay is how long accesses are buffered. This process counts them at once; a crash
// within the delay loses them, which changes ranks slightly.
const accessDelay = 500 * time.Millisecond

func newAccessWriter(s *store.Store, x *index.Index, rule *rank.Relations, log *slog.Logger) *accessWriter {
	w := &accessWriter{
		store: s, index: x, log: log, rule: rule,
		wake: make(chan struct{}, 1), flushNow: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	w.idle = sync.NewCond(&w.mu)
	go w.run()
	return w
}

// add counts one access of each of ids, and the co-recall of pairs. It does not block.
func (w *accessWriter) add(day hippo.Day, ids []hippo.ID, pairs []hippo.Relation) {
	if len(ids) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.quit:
		return // nobody would write it
	default:
	}
	b := &w.pending
	if b.counts == nil {
		b.counts, b.pairs = make(map[hippo.Day]map[hippo.ID]int), make(map[hippo.Relation]bool)
	}
	if b.counts[day] == nil {
		b.counts[day] = make(map[hippo.ID]int, len(ids))
	}
	for _, id := range ids {
		b.counts[day][id]++
	}
	for _, p := range pairs {
		b.pairs[p] = true
	}
	signal(w.wake)
}

func (w *accessWriter) run() {
	defer close(w.done)
	for {
		select {
		case <-w.wake:
		case <-w.quit:
			return
		}
		select {
		case <-w.flushNow:
		case <-w.quit:
		case <-time.After(accessDelay):
		}
		w.write()
	}
}

func (w *accessWriter) write() {
	w.mu.Lock()
	b := w.pending
	w.pending, w.writing = accessBatch{}, true
	w.mu.Unlock()
	for _, day := range slices.Sorted(maps.Keys(b.counts)) {
		counts := b.counts[day]
		// Best effort: a lost access changes ranks slightly.
		err := w.index.Settle(context.Background(), day, counts, func() ([]driver.Touched, error) {
			return w.store.Touch(context.Background(), day, counts)
		})
		if err != nil {
			w.log.Warn("accesses not stored", "memories", len(counts), "error", err)
		}
	}
	w.storePairs(slices.SortedFunc(maps.Keys(b.pairs), func(a, b hippo.Relation) int { return a.Compare(&b) }))
	w.mu.Lock()
	w.writing = false
	w.idle.Broadcast()
	w.mu.Unlock()
}

// storePairs reinforces the relations of co-recalled pairs. The process that advanced the active
// day prunes faded ones.
func (w *accessWriter) storePairs(pairs []hippo.Relation) {
	ctx := context.Background()
	var err error
	if len(pairs) > 0 {
		err = w.store.CoRecall(ctx, pairs, func(old hippo.Relation, now time.Time) float64 { return w.rule.Learned(&old, now) })
	}
	if err == nil && w.store.TakeAdvanced() {
		err = w.store.PruneRelations(ctx, func(r hippo.Relation, now time.Time) bool { return w.rule.Faded(&r, now) })
	}
	if err != nil {
		w.log.Warn("what was found together is not learned", "pairs", len(pairs), "error", err)
	}
}

// flush waits until nothing is pending.
func (w *accessWriter) flush(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.idle.Broadcast()
	})
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.pending.counts != nil || w.writing {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		signal(w.flushNow)
		w.idle.Wait()
	}
	return nil
}

// close stores pending accesses and ends the goroutine. Later ones are lost.
func (w *accessWriter) close() {
	w.mu.Lock()
	close(w.quit)
	w.mu.Unlock()
	<-w.done
	w.write()
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

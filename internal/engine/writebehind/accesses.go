// Package writebehind writes what nobody waits for: how often memories were used, which of them were used together or opened
// as answers, and how surprising new ones are. [Accesses] and [Scorer] store together what half a second has brought, each in a
// goroutine that exists only then. What a crash loses within it changes ranks slightly.
package writebehind

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/ondemand"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
)

// Accesses is the buffer of access counts: it stores the accesses of all searches of half a second together, with what is
// learned of uses. It is safe for concurrent use.
type Accesses struct {
	store *store.Store
	index *index.Index
	log   *slog.Logger
	rule  *rank.Weights

	mu       sync.Mutex
	idle     *sync.Cond // nothing is pending and nothing is being written
	pending  accessBatch
	totals   accessTotals
	flushNow chan struct{} // a caller waits for a flush
	writerLife
}

// writerLife ends the writer, and then its writes.
type writerLife struct {
	writer ondemand.Worker
	quit   chan struct{}   // closed at the end
	ctx    context.Context // of the writes
	giveUp context.CancelFunc
}

// accessTotals count since the start.
type accessTotals struct {
	steps int // begins and ends of writes; odd while one runs
	lost  int // accesses that were given up
}

// Unstored returns how many accesses were given up, and how many memories have some that are not stored.
func (w *Accesses) Unstored() (lost, pending int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.totals.lost, w.pending.size()
}

// accessBatch is what is written together.
type accessBatch struct {
	counts map[hippo.Day]map[hippo.ID]int
	opened map[hippo.ID]hippo.Question
	pairs  pairs
}

// maxPending is the maximum number of counts, one for each memory and day, that wait for the next
// write after one that failed.
const maxPending = 100_000

// accessDelay is how long accesses are buffered. This process counts them at once; a crash
// within the delay loses them, which changes ranks slightly.
const accessDelay = 500 * time.Millisecond

// count adds n accesses.
func (b *accessBatch) count(day hippo.Day, id hippo.ID, n int) {
	if b.counts == nil {
		b.open()
	}
	if b.counts[day] == nil {
		b.counts[day] = make(map[hippo.ID]int)
	}
	b.counts[day][id] += n
}

// open makes a batch one in which something is pending.
func (b *accessBatch) open() {
	b.counts, b.opened = make(map[hippo.Day]map[hippo.ID]int), make(map[hippo.ID]hippo.Question)
}

// size returns the number of counts.
func (b *accessBatch) size() (n int) {
	for _, counts := range b.counts {
		n += len(counts)
	}
	return n
}

// NewAccesses returns an empty buffer. The index counts what is added at once, the store later. There is a goroutine while
// something is pending. A nil log is not allowed.
func NewAccesses(s *store.Store, x *index.Index, rule *rank.Weights, log *slog.Logger) *Accesses {
	w := &Accesses{
		store: s, index: x, log: log, rule: rule,
		flushNow: make(chan struct{}, 1),
	}
	w.quit = make(chan struct{})
	w.idle = sync.NewCond(&w.mu)
	w.ctx, w.giveUp = context.WithCancel(context.Background())
	return w
}

// Add counts one access of each of ids, and notes pairs that were returned together. It does not block.
func (w *Accesses) Add(day hippo.Day, ids []hippo.ID, pairs []hippo.Relation) {
	if len(ids) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended() {
		return
	}
	for _, id := range ids {
		w.pending.count(day, id, 1)
	}
	w.pending.pairs.returned(pairs)
	w.writer.Start(w.run)
}

// ended reports whether nobody would write what is added.
func (w *Accesses) ended() bool {
	select {
	case <-w.quit:
		return true
	default:
		return false
	}
}

// Used notes uses. It does not block.
func (w *Accesses) Used(uses []Use) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended() {
		return
	}
	if w.pending.pairs.use(&w.rule.Learning, uses); w.pending.pairs.size() == 0 {
		return
	}
	if w.pending.counts == nil {
		w.pending.open()
	}
	w.writer.Start(w.run)
}

// Unused drops uses of memories: a vote called them no answers.
func (w *Accesses) Unused(ids []hippo.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending.pairs.forget(ids)
}

// Opened notes that memories were opened as answers to questions. It does not block.
func (w *Accesses) Opened(asked map[hippo.ID]hippo.Question) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended() {
		return
	}
	if w.pending.counts == nil {
		w.pending.open()
	}
	if len(w.pending.opened) < maxPending {
		maps.Copy(w.pending.opened, asked)
	}
	w.writer.Start(w.run)
}

// run stores what has gathered after a while.
func (w *Accesses) run() {
	select {
	case <-w.flushNow:
	case <-w.quit:
	case <-time.After(accessDelay):
	}
	w.write()
}

// write stores what is pending. Counts that cannot be stored wait for the next write.
func (w *Accesses) write() {
	w.mu.Lock()
	b := w.pending
	w.pending = accessBatch{pairs: b.pairs.rest()}
	w.totals.steps++
	w.mu.Unlock()
	var failed accessBatch
	for _, day := range slices.Sorted(maps.Keys(b.counts)) {
		counts := b.counts[day]
		err := w.index.Settle(context.Background(), day, counts, func() error { return store.Touch(w.ctx, w.store, day, counts) })
		if err != nil {
			w.log.Warn("accesses are not stored yet", "memories", len(counts), "error", err)
			w.retain(&failed, day, counts)
		}
	}
	w.storeOpened(b.opened)
	w.storePairs(&b.pairs)
	w.mu.Lock()
	defer w.mu.Unlock()
	for day, counts := range failed.counts {
		for id, n := range counts {
			w.pending.count(day, id, n)
		}
	}
	w.totals.steps++
	w.idle.Broadcast()
}

// retain adds counts of a day that could not be stored to failed. They are dropped if they are too
// many together: lost accesses change ranks slightly.
func (w *Accesses) retain(failed *accessBatch, day hippo.Day, counts map[hippo.ID]int) {
	w.mu.Lock()
	waiting := w.pending.size()
	w.mu.Unlock()
	if waiting+failed.size()+len(counts) > maxPending {
		w.log.Warn("accesses are dropped", "memories", len(counts))
		w.mu.Lock()
		for _, n := range counts {
			w.totals.lost += n
		}
		w.mu.Unlock()
		return
	}
	for id, n := range counts {
		failed.count(day, id, n)
	}
}

// storeOpened stores openings; those that cannot be stored are lost, which changes ranks slightly.
func (w *Accesses) storeOpened(opened map[hippo.ID]hippo.Question) {
	if len(opened) == 0 {
		return
	}
	ids := slices.SortedFunc(maps.Keys(opened), hippo.ID.Compare)
	err := store.Learn(w.ctx, w.store, ids, func(m *hippo.Memory, day hippo.Day) {
		f := hippo.Feedback{Kind: hippo.FeedbackOpened, Day: day, Question: opened[m.ID]}
		m.Feedback = w.rule.Learning.Add(m.Feedback, f)
	})
	if err != nil {
		w.log.Warn("openings are not learned", "memories", len(ids), "error", err)
	}
}

// storePairs reinforces the relations of pairs. The process that advanced the active day prunes
// faded ones.
func (w *Accesses) storePairs(p *pairs) {
	rule := &w.rule.Relations
	err := p.store(w.ctx, w.store, rule)
	if err == nil && w.store.TakeAdvanced() {
		err = w.prune(w.ctx)
	}
	if err != nil {
		w.log.Warn("what was used together is not learned", "pairs", p.size(), "error", err)
	}
}

// prune drops the learned relations that have faded, in each namespace as an operation that can be undone.
func (w *Accesses) prune(ctx context.Context) error {
	op := hippo.Operation{By: hippo.Source{Kind: hippo.SourceTool, Client: "hippo"}, Reason: "learned relations that have faded"}
	_, err := store.Prune(ctx, w.store, op, w.rule.Relations.Faded)
	return err
}

// Flush waits until what is pending is stored, or could not be: that is left to the next write.
func (w *Accesses) Flush(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.idle.Broadcast()
	})
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	// A write that runs does not include what is pending: the next one does.
	enough := w.totals.steps + 2 + w.totals.steps%2
	for w.totals.steps < enough && (w.pending.counts != nil || w.totals.steps%2 == 1) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.writer.Start(w.run)
		signal(w.flushNow)
		w.idle.Wait()
	}
	return nil
}

// lastWait is how long the end waits for others that keep the store from being written.
const lastWait = 500 * time.Millisecond

// Close stores pending accesses and ends the goroutine. Later ones, and those that cannot be stored,
// are lost.
func (w *Accesses) Close() {
	w.mu.Lock()
	close(w.quit)
	w.mu.Unlock()
	defer time.AfterFunc(lastWait, w.giveUp).Stop()
	w.writer.Close()
	w.write()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = accessBatch{}
	w.idle.Broadcast()
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
)

// QueueOptions tell how a [Queue] combines texts. The zero value is good for a
// model in this process or a server next door.
type QueueOptions struct {
	// MaxTexts is the most texts of a batch; 64 if it is 0.
	MaxTexts int
	// MaxBytes is the most bytes of text in a batch, but for a text that alone
	// has more; 64 KiB if it is 0.
	MaxBytes int
	// Delay is how long texts wait for company while a worker is busy and another
	// is free; 2 ms if it is 0.
	Delay time.Duration
	// Workers is the most batches at work at a time; 1 if it is 0.
	Workers int
}

// Queue is an [Embedder] in front of a slow one, which it asks in batches: texts
// of the same role that come at the same time go together. An idle queue sends
// them on at once, so that a single caller loses nothing. Queries go first,
// because somebody waits for them; all else goes in order.
//
// When a batch of several callers fails, each caller's part is tried once more
// alone, so that one bad text does no harm to others; unless the model is
// loading or cannot be reached.
type Queue struct {
	inner  Embedder
	o      QueueOptions
	ctx    context.Context // which ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu     sync.Mutex
	parts  []*part // that wait for a worker
	busy   map[*batch]bool
	due    bool // the delay is over for what waits
	timer  *time.Timer
	closed bool
}

// NewQueue returns a Queue in front of inner. The caller closes it, but inner
// stays the caller's.
func NewQueue(inner Embedder, o *QueueOptions) *Queue {
	q := &Queue{inner: inner, busy: make(map[*batch]bool)}
	if o != nil {
		q.o = *o
	}
	q.o.MaxTexts = orElse(q.o.MaxTexts, 64)
	q.o.MaxBytes = orElse(q.o.MaxBytes, 64<<10)
	q.o.Delay = orElse(q.o.Delay, 2*time.Millisecond)
	q.o.Workers = orElse(q.o.Workers, 1)
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// orElse returns v, or what it is by default if it is not above 0.
func orElse[T ~int | ~int64](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// call is one call of Embed.
type call struct {
	texts   []string
	vectors [][]float32 // each part writes its own
	open    int         // parts without an answer
	batches []*batch    // that have parts of it
	settled bool        // answered, failed or left
	err     error
	done    chan struct{} // closed when settled
}

// part is a stretch of the texts of a call, small enough for a batch.
type part struct {
	call       *call
	role       Role
	start, end int
	bytes      int
}

func (p *part) texts() []string { return p.call.texts[p.start:p.end] }

// batch is what a worker is busy with. Its context ends when every caller left.
type batch struct {
	role   Role
	parts  []*part
	cancel context.CancelFunc
}

// Model returns the model of the Embedder behind q.
func (q *Queue) Model() Model { return q.inner.Model() }

// Embed implements [Embedder]. When ctx ends, the texts of this call leave the
// queue and those of others stay. After Close the error is a
// [hippo.ErrUnavailable].
func (q *Queue) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return [][]float32{}, nil
	}
	c := &call{texts: slices.Clone(texts), vectors: make([][]float32, len(texts)), done: make(chan struct{})}
	if err := q.submit(c, role); err != nil {
		return nil, err
	}
	select {
	case <-c.done:
		if c.err != nil {
			return nil, c.err
		}
		return c.vectors, nil
	case <-ctx.Done():
		q.leave(c)
		return nil, ctx.Err()
	}
}

func (q *Queue) submit(c *call, role Role) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed()
	}
	parts := q.split(c, role)
	c.open = len(parts)
	at := len(q.parts)
	if role == Query {
		at = slices.IndexFunc(q.parts, func(p *part) bool { return p.role != Query })
		if at < 0 {
			at = len(q.parts)
		}
	}
	q.parts = slices.Insert(q.parts, at, parts...)
	q.dispatch()
	return nil
}

func errClosed() error { return fmt.Errorf("embed: queue is closed: %w", hippo.ErrUnavailable) }

// split cuts the texts of a call into parts that each fit a batch.
func (q *Queue) split(c *call, role Role) []*part {
	var parts []*part
	p := &part{call: c, role: role}
	for i, t := range c.texts {
		if n := i - p.start; n > 0 && (n == q.o.MaxTexts || p.bytes+len(t) > q.o.MaxBytes) {
			parts = append(parts, p)
			p = &part{call: c, role: role, start: i}
		}
		p.end = i + 1
		p.bytes += len(t)
	}
	return append(parts, p)
}

// dispatch gives batches to workers as far as there are any. It is called with
// q.mu held.
func (q *Queue) dispatch() {
	for len(q.parts) > 0 && len(q.busy) < q.o.Workers {
		parts, rest, full := q.pick()
		if len(q.busy) > 0 && !full && !q.due {
			if q.timer == nil {
				q.timer = time.AfterFunc(q.o.Delay, q.tick)
			}
			return
		}
		q.parts = rest
		ctx, cancel := context.WithCancel(q.ctx)
		b := &batch{role: parts[0].role, parts: parts, cancel: cancel}
		for _, p := range parts {
			p.call.batches = append(p.call.batches, b)
		}
		q.busy[b] = true
		q.work.Go(func() { q.run(ctx, b) })
	}
	if len(q.parts) == 0 {
		q.due = false
		q.stopTimer()
	}
}

// pick returns the parts of the next batch and those that stay; full says that
// the batch can take no more. It is called with q.mu held.
func (q *Queue) pick() (parts, rest []*part, full bool) {
	texts, size := 0, 0
	for _, p := range q.parts {
		n := p.end - p.start
		switch {
		case full || p.role != q.parts[0].role:
			rest = append(rest, p)
		case len(parts) > 0 && (texts+n > q.o.MaxTexts || size+p.bytes > q.o.MaxBytes):
			full = true
			rest = append(rest, p)
		default:
			parts = append(parts, p)
			texts, size = texts+n, size+p.bytes
		}
	}
	return parts, rest, full || texts == q.o.MaxTexts || size >= q.o.MaxBytes
}

// tick ends the delay.
func (q *Queue) tick() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.timer = nil
	q.due = true
	q.dispatch()
}

func (q *Queue) stopTimer() {
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
}

// run answers a batch: together, and if that fails each caller's part alone.
func (q *Queue) run(ctx context.Context, b *batch) {
	defer b.cancel()
	err := q.embed(ctx, b.role, b.parts)
	if err == nil || !isolates(err) || sameCall(b.parts) {
		q.finish(b.parts, err)
	} else {
		q.runAlone(ctx, b)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.busy, b)
	q.dispatch()
}

func (q *Queue) runAlone(ctx context.Context, b *batch) {
	for rest := b.parts; len(rest) > 0; {
		c := rest[0].call
		end := slices.IndexFunc(rest, func(p *part) bool { return p.call != c })
		if end < 0 {
			end = len(rest)
		}
		if !q.isSettled(c) {
			q.finish(rest[:end], q.embed(ctx, b.role, rest[:end]))
		}
		rest = rest[end:]
	}
}

// isolates tells whether the texts of a batch may be to blame for err.
func isolates(err error) bool {
	return !errors.Is(err, ErrNotReady) && !errors.Is(err, hippo.ErrUnavailable)
}

func sameCall(parts []*part) bool {
	return !slices.ContainsFunc(parts, func(p *part) bool { return p.call != parts[0].call })
}

// embed asks the model for the vectors of parts and puts them where they belong.
func (q *Queue) embed(ctx context.Context, role Role, parts []*part) error {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.texts()...)
	}
	vectors, err := q.inner.Embed(ctx, role, texts)
	if err == nil {
		err = Check(q.inner.Model(), len(texts), vectors)
	}
	if err != nil {
		return err
	}
	for _, p := range parts {
		n := copy(p.call.vectors[p.start:p.end], vectors)
		vectors = vectors[n:]
	}
	return nil
}

// finish notes the answer to parts.
func (q *Queue) finish(parts []*part, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range parts {
		if p.call.open--; err != nil || p.call.open == 0 {
			q.settle(p.call, err)
		}
	}
}

func (q *Queue) isSettled(c *call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return c.settled
}

// leave takes a call out whose caller is gone.
func (q *Queue) leave(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.settle(c, context.Canceled)
	q.dispatch()
}

// settle ends a call, and the batches that are of no use to any other. It is
// called with q.mu held.
func (q *Queue) settle(c *call, err error) {
	if c.settled {
		return
	}
	c.settled, c.err = true, err
	close(c.done)
	q.parts = slices.DeleteFunc(q.parts, func(p *part) bool { return p.call == c })
	for _, b := range c.batches {
		if !slices.ContainsFunc(b.parts, func(p *part) bool { return !p.call.settled }) {
			b.cancel()
		}
	}
}

// Close ends what is under way and waits for the workers. Calls that wait get the
// error that later ones get.
func (q *Queue) Close() error {
	q.mu.Lock()
	q.closed = true
	for len(q.parts) > 0 {
		q.settle(q.parts[0].call, errClosed())
	}
	for b := range q.busy {
		for _, p := range b.parts {
			q.settle(p.call, errClosed())
		}
	}
	q.stopTimer()
	q.mu.Unlock()
	q.cancel()
	q.work.Wait()
	return nil
}

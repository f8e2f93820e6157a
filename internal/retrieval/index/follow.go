package index

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/passage"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// follower brings the index to the state of the store. One catch-up runs at a time; whoever
// needs one that began later joins it and looks again.
type follower struct {
	*state
	src    Source
	opts   *Options
	upkeep *upkeep
	token  chan struct{} // held while changes are read or accesses are stored

	joining sync.Mutex // guards what follows
	active  *run       // nil: none runs
	cancel  context.CancelFunc
	closed  bool
	running sync.WaitGroup
}

var errClosed = fmt.Errorf("closed: %w", hippo.ErrUnavailable)

// run is a catch-up that runs or has ended.
type run struct {
	awaited bool // by close, which cancels all others
	done    chan struct{}
	err     error
	// pass is closed, and replaced, when the changes up to a revision were read. Guarded by follower.joining.
	pass chan struct{}
}

// CatchUp brings the index to the state of the store that it has now. It returns at once when
// nothing changed. Several callers share one catch-up, and searches run meanwhile. If it fails,
// what was read so far stays and the next call goes on from there.
func (f *follower) CatchUp(ctx context.Context) error {
	_, err := f.CatchUpWithin(ctx, 0)
	return err
}

// CatchUpWithin is [Index.CatchUp] for at most this long; 0 means without limit. When the time
// is over it goes on in the background, and CatchUpWithin returns how many memories are
// missing from the index, those that the store is still waiting for among them. Ordinary changes
// take milliseconds; this is for a rebuild.
func (f *follower) CatchUpWithin(ctx context.Context, limit time.Duration) (missing int, err error) {
	var timeout <-chan time.Time
	for {
		head, err := f.src.Head(ctx)
		if err != nil {
			return 0, fmt.Errorf("index: catch up: %w", err)
		}
		s := f.current.Load()
		if s.closed {
			return 0, fmt.Errorf("index: %w", errClosed)
		}
		if s.at(head) {
			return head.Pending, nil
		}
		if limit > 0 && timeout == nil {
			timeout = time.After(limit)
		}
		reached, err := f.await(ctx, head, timeout)
		switch s := f.current.Load(); {
		case errors.Is(err, errTimeout):
			return max(1, head.Memories+head.Pending-s.docs()), nil
		case err != nil:
			return 0, err
		case reached:
			return head.Pending, nil
		}
	}
}

var errTimeout = errors.New("timeout")

// await waits for the end of a catch-up, and reports whether the index has reached a head then. Of a store that waits
// for more memories, whose head moves all the time, it waits for no more than this head.
func (f *follower) await(ctx context.Context, head driver.Head, timeout <-chan time.Time) (reached bool, err error) {
	for {
		r, pass := f.join(false)
		switch {
		case head.Pending == 0:
			pass = nil
		case f.reached(head): // by a pass that has just ended
			return true, nil
		}
		select {
		case <-pass:
			if f.reached(head) {
				return true, nil
			}
		case <-r.done:
			if r.err != nil {
				return false, fmt.Errorf("index: catch up: %w", r.err)
			}
			return f.reached(head), nil
		case <-timeout:
			return false, errTimeout
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// reached reports whether the index has the memories up to a head.
func (f *follower) reached(head driver.Head) bool {
	s := f.current.Load()
	return !s.closed && s.store == head.Store && s.revision >= head.Revision
}

// Follow starts a catch-up in the background, unless one runs. If it fails the next one starts
// where it ended. [Index.Close] waits for it, so that the file has the latest changes. To keep
// that short, call it only when the index was up to date a moment ago.
func (f *follower) Follow() { f.join(true) }

// join returns the catch-up that runs, or starts one, and the end of its present pass.
func (f *follower) join(awaited bool) (r *run, pass <-chan struct{}) {
	f.joining.Lock()
	defer f.joining.Unlock()
	if f.active != nil {
		return f.active, f.active.pass
	}
	r = &run{awaited: awaited, done: make(chan struct{}), pass: make(chan struct{})}
	if f.closed {
		r.err = errClosed
		close(r.done)
		return r, r.pass
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.active, f.cancel = r, cancel
	f.running.Go(func() {
		defer cancel()
		r.err = f.upkeep.guardUpdate(func() error { return f.catchUp(ctx, r) })
		f.joining.Lock()
		if f.closed && errors.Is(r.err, context.Canceled) {
			r.err = errClosed
		}
		f.active = nil
		f.joining.Unlock()
		close(r.done)
		f.upkeep.maintain()
	})
	return r, r.pass
}

// passed ends a pass of a catch-up.
func (f *follower) passed(r *run) {
	f.joining.Lock()
	defer f.joining.Unlock()
	close(r.pass)
	r.pass = make(chan struct{})
}

// close waits for the end of the catch-up that runs. It cancels it first, unless Follow started it. No
// other begins.
func (f *follower) close() {
	f.joining.Lock()
	f.closed = true
	if f.active != nil && !f.active.awaited {
		f.cancel()
	}
	f.joining.Unlock()
	f.running.Wait()
}

// catchUp reads the changes.
func (f *follower) catchUp(ctx context.Context, r *run) error {
	select {
	case f.token <- struct{}{}:
		defer func() { <-f.token }()
	case <-ctx.Done():
		return ctx.Err()
	}
	head, err := f.src.Head(ctx)
	if err != nil {
		return err
	}
	s := f.current.Load()
	if s.at(head) {
		return nil
	}
	if head.Store != s.store || head.Revision < s.revision {
		if s.store != "" {
			f.opts.Log.Info("index: the store was replaced, rebuilding")
		}
		f.edit(func(d *draft) { d.reset(&head, d.models) })
	}
	if !f.current.Load().usesRead {
		if err := readUses(ctx, f, head); err != nil {
			return err
		}
	}
	s = f.current.Load()
	f.upkeep.rebuilding.Store(len(s.parts) == 0)
	defer f.upkeep.rebuilding.Store(false)
	for {
		if err := f.read(ctx, s); err != nil {
			return err
		}
		f.edit(func(d *draft) { d.revision = max(d.revision, head.Revision) })
		f.passed(r)
		// A memory that was changed meanwhile was left out, although it was there before.
		next, err := f.src.Head(ctx)
		if err != nil || next.Store != head.Store || next.Revision <= head.Revision {
			return err
		}
		head, s = next, f.current.Load()
	}
}

// readUses takes from the store what was counted since the file was written: accesses have no revision. What others count
// later is read with the next change of a memory, or when the index is opened again.
func readUses(ctx context.Context, f *follower, head driver.Head) error {
	since := f.current.Load().used - 1 // one day more: accesses are stored some time after they were counted
	byMemory := make(map[hippo.ID][]use)
	for u, err := range f.src.Uses(ctx, since) {
		if errors.Is(err, hippo.ErrCorrupt) { // the ranks differ slightly
			f.opts.Log.Warn("index: some uses cannot be read", "error", err)
			break
		}
		if err != nil {
			return err
		}
		byMemory[u.ID] = append(byMemory[u.ID], use{int32Of(int(u.Day)), int32Of(u.Count)})
	}
	f.edit(func(d *draft) {
		for id, list := range byMemory {
			setUses(d, id, int32Of(int(since)), list)
		}
		d.used, d.usesRead = head.Calendar.Day, true
	})
	return nil
}

// read applies what changed since a snapshot. If that is more than a batch it reads in this
// goroutine, indexes batches beside it on all processors, and publishes them in their order.
func (f *follower) read(ctx context.Context, s *snapshot) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var queue chan *batch
	workers := make(chan *builder, runtime.GOMAXPROCS(0))
	for range cap(workers) {
		workers <- nil // to be made when it is needed
	}
	applied := make(chan error, 1)
	err := f.upkeep.guardUpdate(func() error {
		return f.batches(ctx, s, func(b *batch) error {
			if queue == nil && b.size < batchSize { // the only one
				err := f.index(ctx, b, workers)
				if err == nil {
					f.apply(b)
				}
				return err
			}
			if queue == nil {
				queue = make(chan *batch, runtime.GOMAXPROCS(0))
				go func() { applied <- f.applyAll(queue, cancel) }()
			}
			queue <- b
			go func() {
				defer close(b.ready)
				b.err = f.upkeep.guardUpdate(func() error { return f.index(ctx, b, workers) })
			}()
			return nil
		})
	})
	if queue == nil {
		return err
	}
	close(queue)
	if failed := <-applied; failed != nil {
		return failed
	}
	return err
}

// applyAll publishes batches in their order, until one of them fails. cancel ends the reading.
func (f *follower) applyAll(queue <-chan *batch, cancel func()) (err error) {
	for b := range queue {
		<-b.ready
		if err == nil {
			if err = errors.Join(b.err, f.upkeep.guardUpdate(func() error { f.apply(b); return nil })); err != nil {
				cancel()
			}
		}
	}
	return err
}

// batches reads what changed since a snapshot and passes it on.
func (f *follower) batches(ctx context.Context, s *snapshot, pass func(*batch) error) error {
	b := &batch{ready: make(chan struct{})}
	for c, err := range f.src.Changes(ctx, s.revision) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		b.add(s, c)
		if b.size == batchSize {
			if err := pass(b); err != nil {
				return err
			}
			b = &batch{ready: make(chan struct{})}
		}
	}
	if b.size > 0 {
		return pass(b)
	}
	return nil
}

// index makes the segment of a batch by one of the workers.
func (f *follower) index(ctx context.Context, b *batch, workers chan *builder) error {
	if len(b.fresh) == 0 {
		return nil
	}
	worker := <-workers
	defer func() { workers <- worker }()
	if worker == nil {
		worker = newBuilder(f.opts)
	}
	b.segment, b.codes = worker.build(b.fresh) // sorts fresh
	b.stored = storedVectors(ctx, f.opts, b.fresh)
	if f.opts.Instant == nil || b.codes != nil {
		return nil
	}
	var texts []string
	ends := make([]int, len(b.fresh))
	for i, m := range b.fresh {
		texts = append(texts, passage.Texts(m.Content)...)
		ends[i] = len(texts)
	}
	// What cannot be embedded now stays without a vector. Package embedding tries again, and
	// reports the failure.
	list, err := f.opts.Instant.Embed(ctx, embed.Passage, texts)
	if err != nil || embed.Check(f.opts.Instant.Model(), len(texts), list) != nil {
		return ctx.Err()
	}
	from := 0
	for i, to := range ends {
		codes := make([]vector.Code, 0, to-from)
		for _, v := range list[from:to] {
			codes = append(codes, vector.Quantize(v))
		}
		b.codes, from = append(b.codes, docVector{uint32(i), codes}), to
	}
	return nil
}

// apply publishes a batch.
func (f *follower) apply(b *batch) {
	f.edit(func(d *draft) {
		// Those that are indexed again keep the vectors that are of the same text.
		var kept []keptVectors
		for _, c := range b.known {
			d.lessons = d.lessons.with(c.ID, c.Memory)
			at, doc, ok := d.find(c.ID)
			switch {
			case !ok:
			case c.Memory != nil && d.parts[at].unchanged(doc, c.Memory):
				d.update(at, doc, c.Memory)
				continue
			default:
				if c.Memory != nil {
					kept = append(kept, keptVectors{c.ID, d.parts[at], doc})
				}
				d.remove(at, doc)
			}
		}
		for _, m := range b.fresh {
			d.lessons = d.lessons.with(m.ID, m)
		}
		if b.segment != nil {
			d.add(b, kept, f.opts.Instant)
		}
		d.revision = max(d.revision, b.revision)
		d.mergeSmall()
	})
	f.upkeep.maintain()
}

package dirstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// maxGroup is how many waiting writes are committed together.
const maxGroup = 256

// request is one call of Write. Its caller and the writer agree by claim which
// of them ends it.
type request struct {
	ctx        context.Context
	durability driver.Durability
	fn         func(driver.Tx) error
	claimed    atomic.Bool
	done       chan error
}

// claim reports whether the caller of claim is the first.
func (r *request) claim() bool { return r.claimed.CompareAndSwap(false, true) }

// Write implements [driver.Backend]. Waiting writes are committed together.
// A memory that cannot be encoded makes Put fail with [hippo.ErrInvalid].
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly != nil {
		return s.readOnly
	}
	r := &request{ctx: ctx, durability: d, fn: fn, done: make(chan error, 1)}
	select {
	case s.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stopped:
		return errClosed()
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		if r.claim() {
			return ctx.Err()
		}
	case <-s.stopped:
		if r.claim() {
			return errClosed()
		}
	}
	return <-r.done
}

func errClosed() error { return fmt.Errorf("%w: store is closed", hippo.ErrUnavailable) }

// serve is the writer: one goroutine, until Close.
func (s *Store) serve() {
	defer close(s.stopped)
	for {
		select {
		case r := <-s.requests:
			s.serveGroup(s.gather(r))
		case <-s.closing.Done():
			return
		}
	}
}

// gather returns first and the writes that wait behind it.
func (s *Store) gather(first *request) []*request {
	group := []*request{first}
	for len(group) < maxGroup {
		select {
		case r := <-s.requests:
			group = append(group, r)
		default:
			return group
		}
	}
	return group
}

func (s *Store) serveGroup(group []*request) {
	unlock, err := s.lock(s.closing)
	if err != nil {
		if s.closing.Err() != nil {
			err = errClosed()
		}
		for _, r := range group {
			if r.claim() {
				r.done <- err
			}
		}
		return
	}
	defer unlock()
	g := &running{store: s, batch: newBatch(s)}
	g.batch.durable = false
	for _, r := range group {
		if r.claim() {
			g.run(r)
		}
	}
	g.commit()
}

// running is a group being run: a batch, and who waits for it.
type running struct {
	store   *Store
	batch   *batch
	waiting []*request
}

// run adds one transaction to the batch. If it meets a file that another
// program changed, what the batch holds is committed, the change taken over and
// the transaction run again, on the new state.
func (g *running) run(r *request) {
	for {
		if err := r.ctx.Err(); err != nil {
			r.done <- err
			return
		}
		t := newTx(g.batch)
		err := r.fn(t)
		if len(t.stale) > 0 {
			if err := g.catchUp(t.stale); err != nil {
				r.done <- err
				return
			}
			continue
		}
		if err != nil {
			r.done <- err
			return
		}
		g.batch.merge(t)
		g.batch.durable = g.batch.durable || r.durability == driver.Durable
		g.waiting = append(g.waiting, r)
		return
	}
}

// catchUp takes over what other programs did to these files. They count as
// checked from then on: a program that writes all the time cannot hold up a
// transaction for ever.
func (g *running) catchUp(names []string) error {
	checked := g.batch.checked
	g.commit()
	err := g.store.reconcile(names, false, true)
	g.batch = newBatch(g.store)
	g.batch.durable = false
	g.batch.checked = checked
	return err
}

// commit commits the batch and answers those who wait.
func (g *running) commit() {
	err := g.store.commit(g.batch)
	for _, r := range g.waiting {
		r.done <- err
	}
	g.waiting = nil
}

// lock takes the lock of the directory, and brings the state up to date: what a
// killed writer left is finished, what other handles committed is taken over.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case s.working <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	release, err := s.acquire(ctx)
	if err != nil {
		<-s.working
		return nil, err
	}
	unlock = func() {
		release()
		<-s.working
	}
	if err := s.catchUp(); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// acquire creates what is missing of .hippo, which may be deleted at any time.
func (s *Store) acquire(ctx context.Context) (func(), error) {
	if s.readOnly != nil {
		return func() {}, nil
	}
	if _, err := s.disk.root.Lstat(ignoreName); err != nil {
		if err := s.disk.makeState(); err != nil {
			return nil, err
		}
	}
	return s.disk.acquire(ctx)
}

// catchUp needs the lock.
func (s *Store) catchUp() error {
	if err := s.finishLeft(); err != nil {
		return err
	}
	if err := s.refresh(true); err != nil {
		return err
	}
	if err := s.mendLog(); err != nil {
		return err
	}
	if s.lostTrack {
		s.lostTrack = false
		if err := s.reconcile(nil, true, true); err != nil {
			s.lostTrack = true
			return err
		}
	}
	if names := s.recheck; len(names) > 0 {
		s.recheck = nil
		if err := s.reconcile(names, true, false); err != nil {
			s.recheck = names
			return err
		}
	}
	if names := s.odd; len(names) > 0 {
		s.odd = nil
		if err := s.reconcile(names, true, true); err != nil {
			s.odd = names
			return err
		}
	}
	if s.metadataMoved() {
		return errors.Join(s.reconcileMetadata(), s.repair())
	}
	return nil
}

// finishLeft redoes a commit whose writer died, here or elsewhere.
func (s *Store) finishLeft() error {
	if s.readOnly != nil {
		return nil
	}
	steps, err := s.disk.leftJournal()
	if err != nil || steps == nil {
		return err
	}
	if err := s.disk.replay(steps); err != nil {
		return err
	}
	for _, st := range steps {
		if st.name != metadataName {
			s.recheck = append(s.recheck, st.name)
		}
	}
	return nil
}

// mendLog writes the log anew if it is missing, behind, or much longer than it
// has to be.
func (s *Store) mendLog() error {
	if s.readOnly != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.disk.root.Lstat(logName)
	if err == nil && s.state.seen != nil && !s.staleLog && s.state.count <= 2*len(s.state.rows)+4*reserve {
		return nil
	}
	if err := s.rewriteLog(); err != nil {
		return err
	}
	s.staleLog = false
	return nil
}

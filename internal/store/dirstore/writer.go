package dirstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/groupcommit"
)

// Write implements [driver.Backend]. Waiting writes are committed together.
// A memory that cannot be encoded makes Put fail with [hippo.ErrInvalid].
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly != nil {
		return s.readOnly
	}
	return s.writer.Write(ctx, d, fn)
}

func errClosed() error { return fmt.Errorf("%w: store is closed", hippo.ErrUnavailable) }

// request is one waiting transaction.
type request = groupcommit.Request[driver.Tx]

// commitGroup runs and commits transactions under the lock of the directory.
func (s *Store) commitGroup(group []*request) error {
	unlock, err := s.lock(s.closing)
	if err != nil {
		return s.orClosed(err)
	}
	defer unlock()
	g := &running{store: s, batch: newBatch(s)}
	g.batch.durable = false
	for _, r := range group {
		if r.Start() {
			g.run(r)
		}
	}
	g.commit()
	return nil
}

// running is a group being run: a batch, and the requests that wait for its commit.
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
		if err := r.Context().Err(); err != nil {
			r.Reply(err)
			return
		}
		t := newTx(g.batch)
		err := r.Run(t)
		if len(t.stale) > 0 {
			if err := g.catchUp(t.stale); err != nil {
				r.Reply(err)
				return
			}
			continue
		}
		if err != nil {
			r.Reply(err)
			return
		}
		g.batch.merge(t)
		g.batch.durable = g.batch.durable || r.Durability() == driver.Durable
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
		r.Reply(err)
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

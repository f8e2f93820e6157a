// Package overlay holds the writes of one caller back, until all of them are committed to the back
// end below as one transaction, or none.
//
// Reads through a [Store] see what was written through it. The back end sees nothing before
// [Store.Commit], which runs the transactions again, in their order, on what the back end has by
// then: what others wrote meanwhile is kept, and a transaction that no longer applies fails all of
// them.
package overlay

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Store is a [driver.Backend] over another one, which it does not close. It is safe for concurrent
// use. What it holds lies in memory.
//
// Head and Changes show the state of the back end when the Store was created, and what was written
// through it; Get and Relations read the back end as it is now. PutVectors is
// [hippo.ErrUnsupported].
type Store struct {
	below driver.Backend
	base  driver.Head // of below, at the beginning

	writing chan struct{} // held by a transaction

	mu   sync.RWMutex // guards what follows; only the running transaction changes it
	view view
	log  []transaction
	graves
	driver.Leases // of below
}

// transaction is one that is held back.
type transaction struct {
	durability driver.Durability
	run        func(driver.Tx) error
}

// view is what the transactions so far have changed.
type view struct {
	head      driver.Head
	rows      map[hippo.ID]row
	relations map[driver.RelationKey]hippo.Relation // those of Weight 0 are removed
	history   driver.HistoryChanges                 // its changes, in order
	// restored: a memory that was forgotten is not any more.
	restored bool
}

// row is the latest state of one ID; memory is nil if it was purged.
type row struct {
	revision hippo.Revision
	memory   *hippo.Memory
	// cut: the relations that the back end has for it are gone, because it was purged.
	cut bool
}

// New returns a Store over a back end.
func New(ctx context.Context, below driver.Backend) (*Store, error) {
	head, err := below.Head(ctx)
	if err != nil {
		return nil, err
	}
	return &Store{below: below, base: head, writing: make(chan struct{}, 1), view: view{head: head}, graves: graves{below}, Leases: below}, nil
}

// Commit runs the transactions that were held back as one, with the durability of the most durable of
// them, and forgets them. If one of them fails nothing is stored, and the error is its own.
func (s *Store) Commit(ctx context.Context) error {
	if err := begin(ctx, s); err != nil {
		return err
	}
	defer end(s)
	if len(s.log) == 0 {
		return nil
	}
	durability := driver.Lazy
	for _, t := range s.log {
		durability = min(durability, t.durability) // Durable is the lower one
	}
	err := driver.Write(ctx, s.below, durability, func(tx driver.Tx) error {
		for _, t := range s.log {
			if err := t.run(replayed{tx, s.base.Revision}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.log = nil
	}
	return err
}

// begin waits until no transaction runs.
func begin(ctx context.Context, s *Store) error {
	select {
	case s.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func end(s *Store) { <-s.writing }

// Write implements [driver.Backend]. It returns when the transaction has run, and holds it back.
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if err := begin(ctx, s); err != nil {
		return err
	}
	defer end(s)
	t := &tx{ctx: ctx, store: s, view: s.view.clone()}
	if err := fn(t); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = t.view
	s.log = append(s.log, transaction{d, fn})
	return nil
}

// clone returns a copy that shares the memories, which do not change.
func (v *view) clone() view {
	c := view{
		head: v.head, restored: v.restored, rows: maps.Clone(v.rows), relations: maps.Clone(v.relations),
		history: slices.Clone(v.history),
	}
	if c.rows == nil {
		c.rows = make(map[hippo.ID]row)
	}
	if c.relations == nil {
		c.relations = make(map[driver.RelationKey]hippo.Relation)
	}
	return c
}

// current returns what the transactions so far have changed; it is only read.
func current(s *Store) view {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.view
}

// Get implements [driver.Backend].
func (s *Store) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := current(s)
	return v.get(ctx, s.below, ids)
}

// get returns memories, those that were changed as they are in the view.
func (v *view) get(ctx context.Context, below driver.Backend, ids []hippo.ID) ([]*hippo.Memory, error) {
	var unchanged []hippo.ID
	for _, id := range ids {
		if _, ok := v.rows[id]; !ok {
			unchanged = append(unchanged, id)
		}
	}
	stored := make(map[hippo.ID]*hippo.Memory, len(unchanged))
	var failed error
	if len(unchanged) > 0 {
		ms, err := below.Get(ctx, unchanged)
		if driver.Readable(err) != nil {
			return nil, err
		}
		for _, m := range ms {
			stored[m.ID] = m
		}
		failed = err
	}
	out := make([]*hippo.Memory, 0, len(ids))
	for _, id := range ids {
		m := stored[id]
		if r, ok := v.rows[id]; ok {
			m = r.memory
		}
		if m != nil {
			out = append(out, m.Clone())
		}
	}
	return out, failed
}

// Changes implements [driver.Backend].
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		v := current(s)
		changesOf(ctx, s, &v, since)(yield)
	}
}

// changesOf yields what changed after a revision in the back end and a view.
func changesOf(ctx context.Context, s *Store, v *view, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		if since < s.base.Revision {
			for c, err := range s.below.Changes(ctx, since) {
				r, ok := v.rows[c.ID]
				switch {
				case err != nil:
				case ok && r.revision == c.Revision && r.memory != nil: // its accesses were counted here
					c.Memory = r.memory.Clone()
				case ok || c.Revision > s.base.Revision:
					continue // changed here, which follows, or since the Store was created
				}
				if !yield(c, err) {
					return
				}
			}
		}
		for _, c := range v.changes(max(since, s.base.Revision)) {
			if !yield(c, ctx.Err()) {
				return
			}
		}
	}
}

// changes returns what the view has changed after a revision, in the order of revisions.
func (v *view) changes(since hippo.Revision) []driver.Change {
	list := make([]driver.Change, 0, len(v.rows))
	for id, r := range v.rows {
		if r.revision <= since {
			continue
		}
		c := driver.Change{ID: id, Revision: r.revision}
		if r.memory != nil {
			c.Memory = r.memory.Clone()
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b driver.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return list
}

// Uses implements [driver.Backend].
func (s *Store) Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	return func(yield func(driver.Use, error) bool) {
		v := current(s)
		for u, err := range s.below.Uses(ctx, since) {
			if _, ok := v.rows[u.ID]; ok && err == nil {
				continue
			}
			if !yield(u, err) {
				return
			}
		}
		for _, r := range v.rows {
			if r.memory == nil {
				continue
			}
			for _, u := range driver.UsesOf(r.memory, since) {
				if !yield(u, nil) {
					return
				}
			}
		}
	}
}

// Head implements [driver.Backend]. Relations counts those of the back end.
func (s *Store) Head(ctx context.Context) (driver.Head, error) {
	v := current(s)
	return v.head, ctx.Err()
}

// Close implements [driver.Backend]. What was not committed is dropped.
func (s *Store) Close() error { return nil }

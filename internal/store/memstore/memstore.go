// Package memstore keeps memories in RAM. It is the reference implementation
// of [driver.Backend] and the fake for tests of everything above it.
//
// It persists nothing: data lives as long as the [Store], and no other process
// sees it. Invariant: a stored memory is never changed in place, only replaced,
// and no pointer to one leaves the package.
package memstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Store is a [driver.Backend] in RAM. It is safe for concurrent use. After
// Close its methods return [hippo.ErrUnavailable].
type Store struct {
	// writing holds a token while a transaction runs. A channel and not a
	// mutex, so that a waiting writer can give up when its context ends.
	writing chan struct{}

	mu     sync.RWMutex // guards what follows; only the running writer changes it
	closed bool
	head   driver.Head
	rows   map[hippo.ID]row
	models map[string]map[hippo.ID]driver.Vector // none without a vector
	graph  driver.Graph
	past   driver.Archive
	graves
	leases
	replicas
	replica replicaState
}

// row is the latest state of one ID; memory is nil if it was purged, or removed by a restore.
type row struct {
	revision hippo.Revision
	memory   *hippo.Memory
	removed  bool
}

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// StoreID is the identity in [driver.Head]; empty means a random one.
	StoreID string
}

// New returns an empty store.
func New(o *Options) *Store {
	s := &Store{
		writing: make(chan struct{}, 1),
		rows:    make(map[hippo.ID]row),
		models:  make(map[string]map[hippo.ID]driver.Vector),
	}
	s.graves, s.replicas = graves{s}, replicas{s}
	if o != nil {
		s.head.Store = o.StoreID
	}
	if s.head.Store == "" {
		s.head.Store = rand.Text()
	}
	return s
}

// Get implements [driver.Backend]. An ID given twice is answered twice, with
// separate copies.
func (s *Store) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return collect(ids, func(id hippo.ID) *hippo.Memory { return s.rows[id].memory }), nil
}

// Write implements [driver.Backend]. Durability has no meaning here: both kinds
// last as long as the Store.
func (s *Store) Write(ctx context.Context, _ driver.Durability, fn func(driver.Tx) error) error {
	if err := beginWrite(ctx, s); err != nil {
		return err
	}
	defer endWrite(s)
	s.mu.RLock()
	t := &tx{store: s, changed: make(map[hippo.ID]row), head: s.head, replicaTx: replicaTx{now: s.replica}}
	err := s.usable(ctx)
	s.mu.RUnlock()
	if err != nil {
		return err
	}
	if err := fn(t); err != nil {
		return err
	}
	return commitTx(ctx, s, t)
}

// beginWrite waits until no other write is in progress.
func beginWrite(ctx context.Context, s *Store) error {
	select {
	case s.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func endWrite(s *Store) { <-s.writing }

func commitTx(ctx context.Context, s *Store, t *tx) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.head = t.head
	for _, id := range t.removals {
		if r, ok := t.changed[id]; ok && r.memory == nil {
			r.removed = true
			t.changed[id] = r
		}
	}
	maps.Copy(s.rows, t.changed)
	for _, id := range t.purged {
		dropVectorsOf(s, id)
		dropRelationsOf(s, id)
	}
	for _, r := range t.related {
		s.graph.Set(r)
	}
	t.history.Apply(&s.past)
	s.replica = t.now
	return nil
}

// Changes implements [driver.Backend]. It yields the state at the moment of the
// first step; what is written later is left for the next call.
// Cost: O(n log n) time and a pointer per change to begin with.
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		for _, c := range changesAfter(s, since) {
			if err := check(ctx, s); err != nil {
				yield(driver.Change{}, err)
				return
			}
			if c.Memory != nil {
				c.Memory = c.Memory.Clone()
			}
			if !yield(c, nil) {
				return
			}
		}
		if err := check(ctx, s); err != nil {
			yield(driver.Change{}, err)
		}
	}
}

// Uses implements [driver.Backend]. Cost: a pass over all memories.
func (s *Store) Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	return func(yield func(driver.Use, error) bool) {
		for _, c := range changesAfter(s, 0) {
			if c.Memory == nil {
				continue
			}
			for _, u := range driver.UsesOf(c.Memory, since) {
				if !yield(u, nil) {
					return
				}
			}
		}
		if err := check(ctx, s); err != nil {
			yield(driver.Use{}, err)
		}
	}
}

// changesAfter returns the changes after since, by revision, with shared memories.
func changesAfter(s *Store, since hippo.Revision) []driver.Change {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []driver.Change
	for id, r := range s.rows {
		if r.revision > since {
			list = append(list, driver.Change{ID: id, Revision: r.revision, Memory: r.memory})
		}
	}
	slices.SortFunc(list, func(a, b driver.Change) int {
		if a.Revision < b.Revision {
			return -1
		}
		return 1 // revisions are unique
	})
	return list
}

// Head implements [driver.Backend]. Cost: O(1).
func (s *Store) Head(ctx context.Context) (driver.Head, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return driver.Head{}, err
	}
	h := s.head
	h.Relations = s.graph.Len()
	return h, nil
}

// Problems implements [driver.Backend]; there are never any.
func (s *Store) Problems(ctx context.Context) ([]api.StoreProblem, error) {
	return nil, check(ctx, s)
}

// Close implements [driver.Backend]. The data is gone with the Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func check(ctx context.Context, s *Store) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.usable(ctx)
}

// usable needs s.mu.
func (s *Store) usable(ctx context.Context) error {
	if s.closed {
		return fmt.Errorf("%w: store is closed", hippo.ErrUnavailable)
	}
	return ctx.Err()
}

// collect returns copies of the memories that find returns for ids, in their order.
func collect(ids []hippo.ID, find func(hippo.ID) *hippo.Memory) []*hippo.Memory {
	found := make([]*hippo.Memory, 0, len(ids))
	for _, id := range ids {
		if m := find(id); m != nil {
			found = append(found, m.Clone())
		}
	}
	return found
}

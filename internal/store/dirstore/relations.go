package dirstore

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// relations are those of both files, as they were read last. The files are changed
// under the lock of the directory only; whoever holds mu does not wait for Store.mu.
type relations struct {
	mu       sync.RWMutex
	graph    driver.Graph
	declared declaredFile
	learned  learnedFile
}

func newRelations(d *disk) relations {
	return relations{
		declared: declaredFile{textFile: textFile{disk: d, name: declaredName}},
		learned:  learnedFile{textFile: textFile{disk: d, name: learnedName}},
	}
}

// close needs that nobody writes.
func (r *relations) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.declared.close()
	r.learned.close()
}

// look calls fn while nothing changes, after it read what others wrote.
func (r *relations) look(fn func()) error {
	r.mu.RLock()
	if !r.declared.moved() && !r.learned.moved() {
		defer r.mu.RUnlock()
		fn()
		return nil
	}
	r.mu.RUnlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return err
	}
	fn()
	return nil
}

// refresh reads what others wrote. It needs mu for writing.
func (r *relations) refresh() error {
	if r.declared.moved() {
		if err := r.declared.read(&r.graph); err != nil {
			return err
		}
	}
	if r.learned.moved() {
		return r.learned.read(&r.graph)
	}
	return nil
}

// forget takes those of one file out of the graph.
func forget(g *driver.Graph, learned bool) {
	for _, r := range g.All() {
		if (r.Kind == hippo.CoRecalled) == learned {
			r.Weight = 0
			g.Set(r)
		}
	}
}

// Relations implements [driver.Relations]. What names a memory that is not there, as
// a file under version control may, is left out.
func (s *Store) Relations(ctx context.Context, q driver.RelationQuery) (found []hippo.Relation, err error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	err = s.relations.look(func() {
		found = s.relations.graph.Strongest(&q, func(id hippo.ID) *hippo.Memory { return s.state.rows[id].memory })
	})
	return found, s.orClosed(err)
}

// AllRelations implements [driver.Relations].
func (s *Store) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		all, err := s.allRelations(ctx)
		for _, r := range all {
			if err != nil {
				break
			}
			if !yield(r, nil) {
				return
			}
			err = s.usable(ctx)
		}
		if err != nil {
			yield(hippo.Relation{}, err)
		}
	}
}

func (s *Store) allRelations(ctx context.Context) (all []hippo.Relation, err error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	err = s.relations.look(func() { all = s.relations.graph.All() })
	all = slices.DeleteFunc(all, func(r hippo.Relation) bool {
		return s.state.rows[r.From].memory == nil || s.state.rows[r.To].memory == nil
	})
	return all, s.orClosed(err)
}

// Relate implements [driver.Relations]. Declared relations are written before
// learned ones, which a crash in between loses.
func (s *Store) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return s.changeVectors(ctx, func() error {
		rs := s.between(rs)
		s.relations.mu.Lock()
		defer s.relations.mu.Unlock()
		if err := s.relations.refresh(); err != nil {
			return err
		}
		changes := make(map[driver.RelationKey]hippo.Relation)
		for _, r := range rs {
			k := driver.KeyOf(&r)
			old, ok := changes[k]
			if !ok {
				old = s.relations.graph.Get(r)
			}
			next := fn(old, r)
			next.From, next.To, next.Kind = r.From, r.To, r.Kind
			if next != old {
				changes[k] = next
			}
		}
		return s.write(slices.SortedFunc(maps.Values(changes), func(a, b hippo.Relation) int { return a.Compare(&b) }), d == driver.Durable)
	})
}

// between returns those of rs whose memories are there. It needs the lock.
func (s *Store) between(rs []hippo.Relation) []hippo.Relation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(rs), func(r hippo.Relation) bool {
		return s.state.rows[r.From].memory == nil || s.state.rows[r.To].memory == nil
	})
}

// write stores changed relations. It needs the lock and the mutex of the relations.
func (s *Store) write(changes []hippo.Relation, durable bool) error {
	learned := partition(changes)
	return errors.Join(
		s.writeTo(changes[learned:], func() error { return s.relations.declared.write(s.relations.graph.All(), durable) }),
		s.writeTo(changes[:learned], func() error {
			return s.relations.learned.append(changes[:learned], &s.relations.graph, durable)
		}))
}

// writeTo changes the graph if its file can be written.
func (s *Store) writeTo(changes []hippo.Relation, write func() error) error {
	if len(changes) == 0 {
		return nil
	}
	before := make([]hippo.Relation, len(changes))
	for i, c := range changes {
		before[i] = s.relations.graph.Get(c)
		s.relations.graph.Set(c)
	}
	err := write()
	for i := 0; err != nil && i < len(before); i++ {
		s.relations.graph.Set(before[i])
	}
	return err
}

// purgeRelations removes those of memories that are purged. It needs the lock.
func (s *Store) purgeRelations(ids []hippo.ID) error {
	if len(ids) == 0 {
		return nil
	}
	r := &s.relations
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(); err != nil {
		return err
	}
	var gone []hippo.Relation
	for _, id := range ids {
		for _, x := range r.graph.At(id) {
			x.Weight = 0
			gone = append(gone, x)
		}
	}
	err := s.write(gone[partition(gone):], true)
	if err != nil {
		return err
	}
	if err = s.write(gone[:partition(gone)], true); err != nil {
		s.log.Warn("what was learned of relations is removed, because that of purged memories cannot be", "error", err)
		err = r.learned.remove(&r.graph)
	}
	return err
}

package store

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Relations returns the relations that have one of ids at either end, of each ID the limit
// strongest, ordered by From, To and Kind. Excluded are relations that are not valid at that
// time, if it is not zero, and those of forgotten memories or of memories outside of the scope.
func (s Scoped) Relations(ctx context.Context, ids []hippo.ID, at time.Time, limit int) ([]hippo.Relation, error) {
	if err := s.Allow(hippo.RightRead); err != nil || len(ids) == 0 {
		return nil, err
	}
	rs, err := s.store.backend.Relations(ctx, driver.RelationQuery{Scope: s.scope, IDs: ids, At: at, Limit: limit})
	return rs, wrap("relations", err)
}

// HasRelations reports whether there were relations at the last call of [Store.Head]. It
// reads nothing.
func (s *Store) HasRelations() bool { return s.related.Load() }

// AllRelations yields every relation of which both ends lie in the scope, by From, To and
// Kind. Cost: a read of the memories at the ends, some at a time.
func (s Scoped) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return AllRelationsAfter(ctx, s, nil)
}

// AllRelationsAfter yields what [Scoped.AllRelations] does after a relation, which need not be stored any more; nil: all.
func AllRelationsAfter(ctx context.Context, s Scoped, after *hippo.Relation) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		if err := s.Allow(hippo.RightRead); err != nil {
			yield(hippo.Relation{}, err)
			return
		}
		batch := make([]hippo.Relation, 0, relationBatch)
		flush := func() bool {
			seen, err := visibleEnds(ctx, s, batch)
			for _, r := range batch {
				if err != nil {
					yield(r, err)
					return false
				}
				if seen[r.From] && seen[r.To] && !yield(r, nil) {
					return false
				}
			}
			batch = batch[:0]
			return true
		}
		for r, err := range relationsAfter(s.store.backend.AllRelations(ctx), after) {
			if err != nil {
				yield(r, err)
				return
			}
			if batch = append(batch, r); len(batch) == relationBatch && !flush() {
				return
			}
		}
		flush()
	}
}

// RelationsAmong yields every relation of which both ends are among memories, by From, To and Kind; memories are given by ID, as
// the scope has them. Cost: a read of the relations, and of no memory.
func RelationsAmong(ctx context.Context, s Scoped, memories map[hippo.ID]*hippo.Memory) iter.Seq2[hippo.Relation, error] {
	return RelationsBetween(ctx, s, func(id hippo.ID) bool {
		m := memories[id]
		return m != nil && s.scope.Sees(m)
	})
}

// RelationsBetween yields every relation of which sees holds for both ends, by From, To and Kind, with the weights that are
// stored. The scope does not narrow them: sees must hold only for what it sees. Cost: a read of the relations, and of no memory.
func RelationsBetween(ctx context.Context, s Scoped, sees func(hippo.ID) bool) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		if err := s.Allow(hippo.RightRead); err != nil {
			yield(hippo.Relation{}, err)
			return
		}
		for r, err := range s.store.backend.AllRelations(ctx) {
			if (err != nil || sees(r.From) && sees(r.To)) && !yield(r, err) {
				return
			}
		}
	}
}

// relationsAfter returns what comes after a relation, and errors; nil: all.
func relationsAfter(all iter.Seq2[hippo.Relation, error], after *hippo.Relation) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		for r, err := range all {
			if (err != nil || after == nil || r.Compare(after) > 0) && !yield(r, err) {
				return
			}
		}
	}
}

// relationBatch is how many relations are checked at a time.
const relationBatch = 256

// visibleEnds returns which memories at the ends of relations lie in the scope.
func visibleEnds(ctx context.Context, s Scoped, rs []hippo.Relation) (map[hippo.ID]bool, error) {
	seen := make(map[hippo.ID]bool, 2*len(rs))
	var ids []hippo.ID
	for _, r := range rs {
		for _, id := range []hippo.ID{r.From, r.To} {
			if _, ok := seen[id]; !ok {
				seen[id] = false
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return seen, nil
	}
	ms, err := visibleByID(ctx, s, ids)
	for _, m := range ms {
		seen[m.ID] = true
	}
	return seen, err
}

// ImportRelations adds relations of another store. Existing ones are not changed, so that periods that overlap with one are skipped, as
// those of unknown memories are. All must be valid.
func (s Scoped) ImportRelations(ctx context.Context, rs []hippo.Relation) (added int, err error) {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return 0, err
	}
	clean, err := cleanRelations(s.store, rs)
	if err != nil || len(rs) == 0 {
		return 0, err
	}
	seen, err := visibleEnds(ctx, s, rs)
	if err != nil {
		return 0, err
	}
	clean = slices.DeleteFunc(clean, func(r hippo.Relation) bool { return !seen[r.From] || !seen[r.To] })
	err = write(ctx, s.store, driver.Durable, func(tx driver.Tx) error {
		added = 0
		for _, r := range clean {
			fresh, err := addRelation(tx, r)
			if err != nil {
				return err
			}
			if fresh {
				added++
			}
		}
		return nil
	})
	if err != nil {
		return 0, wrap("import relations", err)
	}
	return added, nil
}

// Reinforce reinforces the learned relation of each of these pairs of memories: weigh returns the
// new weight, in (0, 1], given the relation, of Weight 0 if it is new, the pair, and the time. With
// daily, a pair is reinforced at most once a calendar day, so that what is repeated does not add up.
// Unknown memories are skipped. The write survives a crash of the process, not of the machine.
func (s *Store) Reinforce(ctx context.Context, pairs []hippo.Relation, daily bool, weigh func(old, pair hippo.Relation, now time.Time) float64) error {
	now := s.now().UTC().Truncate(time.Microsecond)
	today := dateOf(s, now)
	return wrap("reinforce relations", s.backend.Relate(ctx, driver.Lazy, pairs, func(old, r hippo.Relation) hippo.Relation {
		if daily && old.Weight > 0 && dateOf(s, old.LastReinforced) >= today {
			return old
		}
		r.Weight, r.LastReinforced = weigh(old, r, now), now
		return r
	}))
}

func dateOf(s *Store, t time.Time) string { return t.In(s.zone).Format(time.DateOnly) }

// cleanRelations returns validated relations in their stored form.
func cleanRelations(s *Store, rs []hippo.Relation) ([]hippo.Relation, error) {
	out := make([]hippo.Relation, len(rs))
	for i, r := range rs {
		if err := r.Validate(); err != nil {
			return nil, at(err, i, len(rs))
		}
		if r.LastReinforced.IsZero() {
			r.LastReinforced = s.now()
		}
		for _, t := range []*time.Time{&r.ValidFrom, &r.ValidUntil, &r.LastReinforced} {
			if !t.IsZero() {
				*t = t.UTC().Truncate(time.Microsecond)
			}
		}
		out[i] = r
	}
	return out, nil
}

package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Relate stores relations, each in place of those with its From, To and Kind that hold at the same time; all or none, durably, as one
// operation of which the history keeps what was there before. Those of a single kind, for which single is true, close the older one.
// LastReinforced is set to now where it is unset, and ValidFrom where an older relation is closed, or one of a single kind has an
// earlier period that has ended: to the beginning of the period that holds then, if there is one. Errors: those of
// [hippo.Relation.Validate], and [*hippo.UnknownError] for memories that are not there.
func (s Scoped) Relate(ctx context.Context, rs []hippo.Relation, single func(kind string) bool) (*api.Related, error) {
	clean, err := cleanRelations(s.store, rs)
	if err != nil {
		return nil, err
	}
	var out *api.Related
	err = relate(ctx, s, clean, func(x *relating) error {
		out = &api.Related{}
		if missing := x.missing(clean); missing != nil {
			return &hippo.UnknownError{IDs: missing}
		}
		for _, r := range clean {
			if single != nil && single(r.Kind) {
				if err := x.close(&r, out); err != nil {
					return err
				}
			}
			if err := x.replace(r, out); err != nil {
				return err
			}
			out.Declared = append(out.Declared, r)
		}
		return nil
	})
	if err != nil {
		return nil, wrap("relate", err)
	}
	for _, list := range []*[]hippo.Relation{&out.Declared, &out.Replaced, &out.Closed, &out.Conflicts} {
		slices.SortFunc(*list, func(a, b hippo.Relation) int { return a.Compare(&b) })
	}
	return out, nil
}

// EndRelations sets when relations cease to hold, all or none, durably, as one operation, and returns them as stored. Only From, To
// and Kind of rs count, and ValidFrom if it is set; else the last period that begins before then is ended. One that ends then already stays as it is. Errors: [hippo.ErrNotFound] for one that is not there, [hippo.ErrConflict] for one that ended before,
// [hippo.ErrInvalid] for one that begins then or later.
func EndRelations(ctx context.Context, s Scoped, rs []hippo.Relation, until time.Time) ([]hippo.Relation, error) {
	for i := range rs {
		if err := rs[i].ValidKey(); err != nil {
			return nil, at(err, i, len(rs))
		}
	}
	until = until.UTC().Truncate(time.Microsecond)
	var out []hippo.Relation
	err := relate(ctx, s, rs, func(x *relating) error {
		out = nil
		for _, r := range rs {
			if x.hidden(&r) {
				return noRelation(&r)
			}
			if err := x.findPeriod(&r, until); err != nil {
				return err
			}
			var wrong error
			if err := x.change(r, func(old, r hippo.Relation) hippo.Relation {
				next := old
				next.ValidUntil = until
				if wrong = endable(&old, &r, until); wrong != nil {
					return old
				}
				out = append(out, next)
				return next
			}); err != nil {
				return err
			}
			if wrong != nil {
				return wrong
			}
		}
		return nil
	})
	return out, wrap("end relations", err)
}

// endable returns why a relation cannot end at a time.
func endable(old, r *hippo.Relation, until time.Time) error {
	switch {
	case old.Weight == 0:
		return noRelation(r)
	case !old.ValidUntil.IsZero() && old.ValidUntil.Before(until):
		return fmt.Errorf("%w: the relation %s from %s to %s ended at %s already", hippo.ErrConflict, r.Kind, r.From.Short(), r.To.Short(), old.ValidUntil.Format(time.RFC3339))
	case !old.ValidFrom.IsZero() && !old.ValidFrom.Before(until):
		return hippo.Fieldf("valid_until", "must be after %s, when the relation %s from %s to %s begins", old.ValidFrom.Format(time.RFC3339), r.Kind, r.From.Short(), r.To.Short())
	}
	return nil
}

func noRelation(r *hippo.Relation) error {
	return fmt.Errorf("%w: no relation %s from %s to %s", hippo.ErrNotFound, r.Kind, r.From, r.To)
}

// Unrelate removes all periods of relations, or those that begin at ValidFrom where it is set; weights and other times are ignored. It
// is an operation. Missing ones are
// [hippo.ErrNotFound], after the others were removed.
func (s Scoped) Unrelate(ctx context.Context, rs []hippo.Relation) error {
	for i := range rs {
		if err := rs[i].ValidKey(); err != nil {
			return at(err, i, len(rs))
		}
	}
	removed := make(map[driver.RelationKey]bool, len(rs))
	err := relate(ctx, s, rs, func(x *relating) error {
		clear(removed)
		for _, r := range rs {
			if x.hidden(&r) {
				continue
			}
			found, err := x.remove(&r)
			if err != nil {
				return err
			}
			removed[driver.KeyOf(&r)] = removed[driver.KeyOf(&r)] || found
		}
		return nil
	})
	for i := 0; err == nil && i < len(rs); i++ {
		if r := &rs[i]; !removed[driver.KeyOf(r)] {
			err = noRelation(r)
		}
	}
	return wrap("unrelate", err)
}

// relating is a transaction that changes relations.
type relating struct {
	in       Scoped
	tx       driver.Tx
	memories map[hippo.ID]*hippo.Memory // at the ends, those that the scope sees
	changes  map[hippo.ID]*change       // by From
	// former: a relation that was there before is changed.
	former bool
}

// relate runs fn in a transaction and keeps what the relations were that it changes. fn may run more than once.
func relate(ctx context.Context, s Scoped, rs []hippo.Relation, fn func(*relating) error) error {
	if err := s.Allow(hippo.RightWrite); err != nil || len(rs) == 0 {
		return err
	}
	op, err := newOperation(s, hippo.VerbRelate)
	if err != nil {
		return err
	}
	ids := make(map[hippo.ID]bool, 2*len(rs))
	for _, r := range rs {
		ids[r.From], ids[r.To] = true, true
	}
	return write(ctx, s.store, driver.Durable, func(tx driver.Tx) error {
		if err := holds(s, tx); err != nil {
			return err
		}
		x := &relating{in: s, tx: tx, memories: make(map[hippo.ID]*hippo.Memory), changes: make(map[hippo.ID]*change)}
		ms, err := tx.Get(slices.SortedFunc(maps.Keys(ids), hippo.ID.Compare)...)
		if driver.Readable(err) != nil {
			return err
		}
		for _, m := range visibleMemories(s, ms) {
			x.memories[m.ID] = m
		}
		if err := fn(x); err != nil {
			return err
		}
		if !x.former {
			return nil
		}
		list := make([]change, 0, len(x.changes))
		for _, id := range slices.SortedFunc(maps.Keys(x.changes), hippo.ID.Compare) {
			list = append(list, *x.changes[id])
		}
		return putKept(s.store, tx, op, list)
	})
}

func (x *relating) hidden(r *hippo.Relation) bool {
	return x.memories[r.From] == nil || x.memories[r.To] == nil
}

// missing returns the memories at the ends that are not there, each once.
func (x *relating) missing(rs []hippo.Relation) (ids []hippo.ID) {
	for _, r := range rs {
		for _, id := range []hippo.ID{r.From, r.To} {
			if x.memories[id] == nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// periods returns what is stored with the From, To and Kind of a relation, by ValidFrom.
func (x *relating) periods(r *hippo.Relation) ([]hippo.Relation, error) {
	return x.tx.RelationsFrom(r.From, r.To, r.Kind)
}

// remove removes the periods of a relation, or the one that begins at ValidFrom if it is set, and reports whether there was any.
func (x *relating) remove(r *hippo.Relation) (found bool, err error) {
	list, err := x.periods(r)
	begin := r.ValidFrom.Truncate(time.Microsecond) // the precision of stores
	for _, p := range list {
		if !begin.IsZero() && !begin.Equal(p.ValidFrom) {
			continue
		}
		found = true
		if err := x.change(p, func(_, _ hippo.Relation) hippo.Relation { return hippo.Relation{} }); err != nil {
			return found, err
		}
	}
	return found, err
}

// findPeriod sets ValidFrom to that of the last period of a relation that begins before a time, or of the first one, unless it is set.
func (x *relating) findPeriod(r *hippo.Relation, until time.Time) error {
	if !r.ValidFrom.IsZero() {
		r.ValidFrom = r.ValidFrom.UTC().Truncate(time.Microsecond) // the precision of stores
		return nil
	}
	list, err := x.periods(r)
	for i := range list {
		if i == 0 || list[i].ValidFrom.Before(until) {
			r.ValidFrom = list[i].ValidFrom
		}
	}
	return err
}

// replace stores a relation in place of the periods that overlap with it.
func (x *relating) replace(r hippo.Relation, out *api.Related) error {
	list, err := x.periods(&r)
	if err != nil {
		return err
	}
	for _, p := range list {
		if p.Compare(&r) == 0 || !p.Overlaps(&r) {
			continue
		}
		out.Replaced = append(out.Replaced, p)
		if err := x.change(p, func(_, _ hippo.Relation) hippo.Relation { return hippo.Relation{} }); err != nil {
			return err
		}
	}
	return x.change(r, func(old, _ hippo.Relation) hippo.Relation {
		if old.Weight > 0 {
			out.Replaced = append(out.Replaced, old)
		}
		return r
	})
}

// change stores what fn makes of a relation, and notes what it was. New ones are kept in the history only beside changes of
// others, which an undo takes back with them: when one was declared, it says itself. Nor is one between projects: its history would show the end in one of them to callers who may see the other one only.
func (x *relating) change(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	var before, after hippo.Relation
	if err := x.tx.Relate(r, func(old, r hippo.Relation) hippo.Relation {
		before, after = old, fn(old, r)
		return after
	}); err != nil {
		return err
	}
	from := x.memories[r.From]
	if before == after || before.Weight == 0 && after.Weight == 0 || r.Kind == hippo.CoRecalled || from == nil {
		return nil
	}
	if to, err := x.memory(r.To); err != nil || to == nil || to.Project != from.Project {
		return err
	}
	c := x.changes[r.From]
	if c == nil {
		c = &change{after: from, unchanged: true}
		x.changes[r.From] = c
	}
	if before.Weight > 0 {
		x.former = true
		c.relations = append(c.relations, hippo.RelationChange{Relation: before})
	}
	if after.Weight > 0 {
		c.relations = append(c.relations, hippo.RelationChange{Relation: after, Added: true})
	}
	return nil
}

// memory returns a memory that the scope sees, nil if it sees none.
func (x *relating) memory(id hippo.ID) (*hippo.Memory, error) {
	if m := x.memories[id]; m != nil {
		return m, nil
	}
	ms, err := x.tx.Get(id)
	if driver.Readable(err) != nil {
		return nil, err
	}
	for _, m := range visibleMemories(x.in, ms) {
		x.memories[m.ID] = m
	}
	return x.memories[id], nil
}

// close ends the older relations of the kind of a new one that leads to other memories, or reports the conflict.
func (x *relating) close(r *hippo.Relation, out *api.Related) error {
	others, err := x.tx.RelationsFrom(r.From, hippo.ID{}, r.Kind)
	if err != nil {
		return err
	}
	for _, known := range others {
		to, err := x.memory(known.To)
		if err != nil {
			return err
		}
		if known.To == r.To || to == nil || to.Forgotten() || x.memories[r.From].Forgotten() {
			continue
		}
		begin := cmp.Or(r.ValidFrom, r.LastReinforced)
		if err := x.change(known, func(old, _ hippo.Relation) hippo.Relation {
			switch {
			case old.Weight == 0 || !overlap(&old, begin, r.ValidUntil):
				return old
			case !old.ValidUntil.IsZero() || !old.ValidFrom.Before(begin) && !old.ValidFrom.IsZero():
				out.Conflicts = append(out.Conflicts, old)
				return old
			}
			r.ValidFrom = begin
			old.ValidUntil = begin
			out.Closed = append(out.Closed, old)
			return old
		}); err != nil {
			return err
		}
	}
	resume(r, others)
	return r.Validate()
}

// resume sets when a relation begins that has no beginning and of which a period has ended: when the one that holds does, or now.
// known are those of its kind from the same memory.
func resume(r *hippo.Relation, known []hippo.Relation) {
	now, ended, since := cmp.Or(r.ValidFrom, r.LastReinforced), false, time.Time{}
	for i := range known {
		p := &known[i]
		if p.To != r.To {
			continue
		}
		ended = ended || endsBy(p, now) && p.Overlaps(r) && !endsBy(r, now)
		if p.ValidAt(now) {
			since = p.ValidFrom
		}
	}
	if ended {
		r.ValidFrom = cmp.Or(since, now)
	}
}

// endsBy reports whether a relation has ended at a time.
func endsBy(r *hippo.Relation, t time.Time) bool {
	return !r.ValidUntil.IsZero() && !t.Before(r.ValidUntil)
}

// overlap reports whether a relation holds at some time between two, of which the end may be unset.
func overlap(r *hippo.Relation, from, until time.Time) bool {
	return (r.ValidUntil.IsZero() || from.Before(r.ValidUntil)) && (until.IsZero() || r.ValidFrom.IsZero() || r.ValidFrom.Before(until))
}

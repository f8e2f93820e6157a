package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// Joined is the result of a [Join].
type Joined struct {
	// Entries is the number of entries joined. Changed lists the memories whose displayed state changed.
	Entries int
	Changed []hippo.ID
	// Conflicts lists the memories with a part that several replicas set concurrently. The history keeps the values that lost.
	Conflicts []hippo.ID
	// Invalid lists the memories that would not be valid with the values from other replicas. They stay unchanged in the store.
	Invalid []hippo.ID
	// Renewed reports that the store took a new identity because another store writes under the old one.
	Renewed bool
}

// Join merges segments from other replicas into the store and updates the vector in the same transaction. Segments may arrive in any order
// and any number of times. Join changes memories like any other write: the index follows, and the history keeps the former state and the
// concurrent values that lost, under the verb sync. Join also merges entries after a gap, but the vector stays at the gap, so the store
// requests them again. It returns [hippo.ErrInvalid] if sync is off.
func Join(ctx context.Context, s *Store, list []*entry.Segment) (out Joined, err error) {
	op, err := newOperation(s.In(hippo.LocalScope("")), hippo.VerbSync)
	if err != nil {
		return out, err
	}
	err = driver.Write(ctx, s.backend, driver.Durable, func(tx driver.Tx) error {
		replica := driver.ReplicaOf(tx)
		if replica == nil {
			return fmt.Errorf("%w: the store does not exchange its changes with others: enable that first", hippo.ErrInvalid)
		}
		w, err := openWriting(replica)
		if err != nil {
			return err
		}
		j := &joining{showing: showing{writing: w, tx: tx}, store: s, op: op, touched: make(map[hippo.ID]map[string]bool), uses: make(map[hippo.Day]map[hippo.ID]int)}
		if err := j.join(list); err != nil {
			return err
		}
		out = j.Joined
		return nil
	})
	return out, wrap("join", err)
}

// joining is a transaction that joins entries from other replicas.
type joining struct {
	showing
	Joined
	store *Store
	op    hippo.Operation
	cal   driver.Calendar
	// touched holds the parts that the joined entries set, by memory.
	touched map[hippo.ID]map[string]bool
	arrived []hippo.ID // memories new to this store
	changes []change
	uses    map[hippo.Day]map[hippo.ID]int
}

func (j *joining) join(list []*entry.Segment) (err error) {
	if j.cal, err = advanceDay(j.store, j.tx); err != nil {
		return err
	}
	if err := j.takeIn(list); err != nil {
		return err
	}
	ids := slices.SortedFunc(maps.Keys(j.touched), hippo.ID.Compare)
	stored, unreadable, err := j.stored(ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if m := stored[id]; m != nil && m.Namespace != "" || unreadable[id] && !j.subjects[id].Purged() {
			continue // the ID belongs to another namespace, or the memory must be repaired first
		}
		if err := j.show(id, stored[id], unreadable[id]); err != nil {
			return err
		}
	}
	if err := putKept(j.store, j.tx, j.op, j.changes); err != nil {
		return err
	}
	if err := j.use(); err != nil {
		return err
	}
	return cmp.Or(j.others(ids), j.finish())
}

// use adds the uses recorded by other replicas, oldest day first.
func (j *joining) use() error {
	for _, day := range slices.Sorted(maps.Keys(j.uses)) {
		if err := j.tx.Touch(day, j.uses[day]); err != nil {
			return err
		}
	}
	return nil
}

// others updates the successors and relations that depend on the joined memories.
func (j *joining) others(ids []hippo.ID) error {
	kinds := make(map[hippo.ID][]string)
	var superseded []hippo.ID
	for _, id := range ids {
		if kinds[id] = merge.RelationKinds(id, slices.Collect(maps.Keys(j.touched[id]))); len(kinds[id]) == 0 {
			delete(kinds, id)
		}
		if j.touched[id][merge.Successor] || j.touched[id][merge.Purged] {
			superseded = append(superseded, id)
		}
	}
	changes, err := j.successors(superseded)
	if err != nil {
		return err
	}
	for _, c := range changes {
		j.Changed = append(j.Changed, c.after.ID)
	}
	return cmp.Or(putKept(j.store, j.tx, j.op, changes), j.relations(kinds, j.arrived))
}

// takeIn joins the entries and advances the vector.
func (j *joining) takeIn(list []*entry.Segment) error {
	seen, err := j.writing.tx.Vector()
	if err != nil {
		return err
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *entry.Segment) int {
		return cmp.Or(a.Replica.Compare(b.Replica), cmp.Compare(a.From, b.From))
	})
	moved := make(entry.Vector)
	for _, s := range list {
		if s.Replica == j.Replica && s.To > j.Seq {
			if err := j.renew(); err != nil {
				return err
			}
		}
		if s.Replica == j.Replica {
			continue // the store has all of its own entries
		}
		if err := j.takeInSegment(s); err != nil {
			return err
		}
		if at := seen[s.Replica]; s.From <= at+1 && s.To > at {
			seen[s.Replica], moved[s.Replica] = s.To, s.To
		}
	}
	return j.writing.tx.SetVector(moved)
}

// renew takes a new identity because another store writes under the current one.
func (j *joining) renew() error {
	old := driver.Replica{ID: j.Replica, Clock: j.Clock, Seq: j.Seq}
	if err := j.writing.tx.SetReplica(old); err != nil {
		return err
	}
	r, err := renew(j.writing.tx, old)
	j.Replica, j.Seq, j.From, j.Vector, j.Renewed = r.ID, 0, 0, nil, true
	return err
}

func (j *joining) takeInSegment(s *entry.Segment) error {
	held := entry.HeldOf(s)
	for _, h := range held {
		if err := j.read(h.Subject); err != nil {
			return err
		}
		j.subjects[h.Subject].Join(h)
		j.Entries++
		if j.touched[h.Subject] == nil {
			j.touched[h.Subject] = make(map[string]bool)
		}
		for name := range h.Parts {
			j.touched[h.Subject][name] = true
		}
	}
	if len(held) > 0 {
		j.Saw(j.store.now(), held...)
	}
	return nil
}

// stored returns the memories with the given IDs, and the IDs of those that cannot be read.
func (j *joining) stored(ids []hippo.ID) (found map[hippo.ID]*hippo.Memory, unreadable map[hippo.ID]bool, err error) {
	ms, err := j.tx.Get(ids...)
	if driver.Readable(err) != nil {
		return nil, nil, err
	}
	found, unreadable = make(map[hippo.ID]*hippo.Memory, len(ms)), make(map[hippo.ID]bool)
	for _, m := range ms {
		found[m.ID] = m
	}
	for _, p := range driver.ProblemsOf(err) {
		unreadable[p.ID] = true
	}
	return found, unreadable, nil
}

// show updates the stored memory to match its entries.
func (j *joining) show(id hippo.ID, before *hippo.Memory, unreadable bool) error {
	s := j.subjects[id]
	switch {
	case s.Purged() && (before != nil || unreadable):
		j.Changed = append(j.Changed, id)
		return j.tx.Purge(id)
	case !s.There():
		return nil
	}
	after, err := j.view(s, before)
	if err != nil {
		return err
	}
	if err := after.Validate(); err != nil {
		j.Invalid = append(j.Invalid, id) // a later edit on any replica can make it valid
		return nil
	}
	j.countUses(s, before, after)
	lost := j.lost(s)
	if before != nil && reflect.DeepEqual(before, after) && len(lost) == 0 {
		return nil
	}
	if len(lost) > 0 {
		j.Conflicts = append(j.Conflicts, id)
		if err := j.keepLost(before, after, lost); err != nil {
			return err
		}
	}
	j.Changed = append(j.Changed, id)
	switch {
	case before == nil:
		j.arrived = append(j.arrived, id)
		return j.tx.Put(after)
	case len(lost) == 0:
		j.changes = append(j.changes, change{before: before, after: after})
	}
	return nil
}

// countUses collects the uses recorded by other replicas. A memory new to this store also gets one use, on the day it was recorded.
func (j *joining) countUses(s *merge.Subject, before, after *hippo.Memory) {
	old := merge.NewSubject(s.ID)
	if before == nil {
		recorded := merge.DayOf(j.cal, dateOf(j.store, after.CreatedAt))
		after.Accesses = []hippo.Access{{Day: recorded, Count: 1}}
	} else if j.touched[s.ID][merge.Uses] {
		old = merge.NewSubject(s.ID, j.held[s.ID]...)
	} else {
		return
	}
	for date, n := range merge.UsesSince(old, s) {
		day := merge.DayOf(j.cal, date)
		if j.uses[day] == nil {
			j.uses[day] = make(map[hippo.ID]int)
		}
		j.uses[day][s.ID] += n
	}
}

// view returns the memory that its entries describe. It keeps the fields that only this store knows.
func (j *joining) view(s *merge.Subject, before *hippo.Memory) (*hippo.Memory, error) {
	after, parts := &hippo.Memory{ID: s.ID}, s.Parts()
	if before != nil {
		after = before.Clone()
		parts = slices.DeleteFunc(parts, func(name string) bool { return !j.touched[s.ID][name] })
	}
	s.Apply(after, parts, j.cal, j.store.cast)
	if slices.Contains(parts, merge.Successor) {
		var err error
		if after.SupersededBy, err = j.supersededBy(s.ID); err != nil {
			return nil, err
		}
	}
	normalise(after)
	return after, nil
}

// lost returns the conflicts whose losing values this store did not know as losers before. It omits conflicts about relations.
func (j *joining) lost(s *merge.Subject) []merge.Conflict {
	known := make(map[entry.Dot]bool)
	for _, c := range merge.NewSubject(s.ID, j.held[s.ID]...).Conflicts() {
		for _, h := range c.Losers {
			known[h.Dot] = true
		}
	}
	var out []merge.Conflict
	for _, c := range s.Conflicts() {
		c.Losers = slices.DeleteFunc(c.Losers, func(h *entry.Held) bool { return known[h.Dot] })
		if len(c.Losers) > 0 && !merge.IsRelation(c.Part) {
			out = append(out, c)
		}
	}
	return out
}

// variant is a memory with the values that lost of one replica.
type variant struct {
	*hippo.Memory
	parts []string
}

// same reports whether a memory has the values that lost.
func (v *variant) same(m *hippo.Memory) bool {
	return !slices.ContainsFunc(v.parts, func(part string) bool { return !merge.Same(m, v.Memory, part) })
}

// variants returns a variant for each replica whose values lost. If that is no valid memory, it returns one for each value.
func (j *joining) variants(after *hippo.Memory, lost []merge.Conflict) (out []*variant) {
	by := make(map[clock.Replica][]*variant)
	var order []clock.Replica
	for _, c := range lost {
		for _, h := range c.Losers {
			if by[h.Origin] == nil {
				order = append(order, h.Origin)
				by[h.Origin] = []*variant{{Memory: after.Clone()}}
			}
			all, one := by[h.Origin][0], &variant{after.Clone(), []string{c.Part}}
			all.parts = append(all.parts, c.Part)
			merge.Set(all.Memory, c.Part, h, j.cal)
			merge.Set(one.Memory, c.Part, h, j.cal)
			by[h.Origin] = append(by[h.Origin], one)
		}
	}
	for _, r := range order {
		list := by[r][:1]
		if normalise(list[0].Memory); list[0].Validate() != nil {
			list = by[r][1:]
		}
		out = append(out, list...)
	}
	return out
}

// keepLost keeps the values that lost, in an operation for each replica that set them, which can be undone. If it was this store that set
// them, the operation keeps the former state. Otherwise that is kept as with any other change.
func (j *joining) keepLost(before, after *hippo.Memory, lost []merge.Conflict) error {
	differs, kept := before != nil && !reflect.DeepEqual(before, after), false
	for _, v := range j.variants(after, lost) {
		m := v.Memory
		switch normalise(m); {
		case differs && v.same(before):
			if kept {
				continue
			}
			m, kept = before, true
		case m.Validate() != nil, v.same(after), before != nil && v.same(before):
			continue
		}
		if err := j.keepVariant(m, after, v.parts); err != nil {
			return err
		}
	}
	if differs && !kept {
		j.changes = append(j.changes, change{before: before, after: after})
	}
	return nil
}

// keepVariant records that a memory changed from a variant.
func (j *joining) keepVariant(m, after *hippo.Memory, parts []string) error {
	op, err := newOperation(j.store.In(hippo.LocalScope("")), hippo.VerbSync)
	if err != nil {
		return err
	}
	op.Reason = "set at once on several machines: " + strings.Join(parts, ", ")
	op.Reason = op.Reason[:min(len(op.Reason), hippo.MaxName)]
	op.By = hippo.Source{Kind: hippo.SourceSync}
	return putKept(j.store, j.tx, op, []change{{before: m, after: after}})
}

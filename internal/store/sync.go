package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// replicas returns the part of the back end that stores sync data. It returns [hippo.ErrUnsupported] if the back end has no such part.
func replicas(s *Store) (driver.Replicas, error) {
	r, ok := s.backend.(driver.Replicas)
	if !ok {
		return nil, fmt.Errorf("%w: a store of this kind cannot exchange its changes with others: use a SQLite file", hippo.ErrUnsupported)
	}
	return r, nil
}

// EnableSync turns on sync for the store. It writes entries for every memory of the default namespace, stamped with the time of its last
// change, so that later changes from other replicas win. If sync was enabled before, it writes entries only for what has changed since
// then. What a restore has removed is no purge: it only becomes forgotten where the store had sent it to others. If sync is already on,
// EnableSync does nothing.
func EnableSync(ctx context.Context, s *Store) error {
	if _, err := replicas(s); err != nil {
		return wrap("enable sync", err)
	}
	purged, removed, err := goneFrom(ctx, s)
	if err != nil {
		return wrap("enable sync", err)
	}
	return wrap("enable sync", driver.Write(ctx, s.backend, driver.Durable, func(tx driver.Tx) error {
		replica, ok := tx.(driver.ReplicaTx)
		if !ok {
			return fmt.Errorf("%w: this store holds its writes back", hippo.ErrUnsupported)
		}
		if r, _ := replica.Replica(); !r.ID.IsZero() {
			return nil
		}
		if _, err := renew(replica, driver.Replica{}); err != nil {
			return err
		}
		w, err := openWriting(replica)
		if err != nil {
			return err
		}
		a := &adopting{writing: w, tx: tx, store: s, set: make(map[hippo.ID]map[string]json.RawMessage)}
		if err := cmp.Or(a.adopt(), a.purge(purged), a.hide(removed)); err != nil {
			return err
		}
		x := &showing{w, tx}
		if err := x.others(a.set, a.hidden); err != nil {
			return err
		}
		return w.finish()
	}))
}

// goneFrom returns the memories that were purged in a store, and those that a restore has removed.
func goneFrom(ctx context.Context, s *Store) (purged, removed []hippo.ID, err error) {
	for c, err := range s.backend.Changes(ctx, 1) {
		if err != nil {
			return nil, nil, err
		}
		if c.Memory == nil && c.Unreadable == nil && !c.ID.IsZero() {
			removed = append(removed, c.ID)
		}
	}
	if purged, err = s.backend.Purged(ctx, removed); err != nil {
		return nil, nil, err
	}
	is := make(map[hippo.ID]bool, len(purged))
	for _, id := range purged {
		is[id] = true
	}
	return purged, slices.DeleteFunc(removed, func(id hippo.ID) bool { return is[id] }), nil
}

// adopting writes entries for the content of a store that its entries do not cover yet.
type adopting struct {
	*writing
	tx    driver.Tx
	cal   driver.Calendar
	store *Store
	set   map[hippo.ID]map[string]json.RawMessage // the parts written so far
	// hidden are the memories that hide has stored.
	hidden []hippo.ID
}

func (a *adopting) adopt() (err error) {
	if a.cal, err = a.tx.Calendar(); err != nil {
		return err
	}
	ms, err := a.tx.Changed(0)
	if err != nil {
		return err
	}
	ms = slices.DeleteFunc(ms, func(m *hippo.Memory) bool { return m.Namespace != "" })
	all, err := a.tx.RelationsFrom(hippo.ID{}, hippo.ID{}, "")
	if err != nil {
		return err
	}
	related := make(map[hippo.ID]map[string]json.RawMessage, len(ms))
	for _, m := range ms {
		related[m.ID] = make(map[string]json.RawMessage)
	}
	for _, r := range all {
		if r.Kind != hippo.CoRecalled && related[r.From] != nil && related[r.To] != nil {
			related[r.From][merge.RelationPart(&r)] = merge.RelationValue(&r)
		}
	}
	for _, m := range ms {
		if err := a.read(m.ID); err != nil {
			return err
		}
		set, err := a.changed(a.subjects[m.ID], m, related)
		if err != nil {
			return err
		}
		a.WriteAt(m.UpdatedAt, a.subjects[m.ID], set, a.seen)
		a.set[m.ID] = set
	}
	return nil
}

// purge writes entries for memories that were purged.
func (a *adopting) purge(ids []hippo.ID) error {
	for _, id := range ids {
		if a.set[id] != nil { // it came back meanwhile
			continue
		}
		if err := a.read(id); err != nil {
			return err
		}
		a.set[id] = map[string]json.RawMessage{merge.Purged: json.RawMessage("true")}
		a.Write(a.store.now(), a.subjects[id], a.set[id], a.seen)
	}
	return nil
}

// hide stores those of the removed memories that other replicas have, as forgotten ones, and writes entries for that.
func (a *adopting) hide(ids []hippo.ID) error {
	for _, id := range ids {
		if err := a.read(id); err != nil {
			return err
		}
		s := a.subjects[id]
		if a.set[id] != nil || !s.There() {
			continue
		}
		m := &hippo.Memory{ID: id}
		s.Apply(m, s.Parts(), a.cal, a.store.cast)
		before := m.Clone()
		m.Accesses = []hippo.Access{{Day: merge.DayOf(a.cal, dateOf(a.store, m.CreatedAt)), Count: 1}}
		if !m.Forgotten() {
			m.ForgottenAt = a.store.now().UTC()
		}
		if normalise(m); m.Validate() != nil {
			continue // a later program can show it
		}
		a.set[id] = s.Changed(before, m, a.cal, a.store.cast)
		a.Write(a.store.now(), s, a.set[id], a.seen)
		a.hidden = append(a.hidden, id)
		if err := a.tx.Put(m); err != nil {
			return err
		}
	}
	return nil
}

// changed returns the parts of a memory that differ from its entries. related holds the relations of every memory in the store.
func (a *adopting) changed(s *merge.Subject, m *hippo.Memory, related map[hippo.ID]map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	var before *hippo.Memory
	if s.There() {
		before = m.Clone()
		s.Apply(before, s.Parts(), a.cal, a.store.cast)
		if keepVersion(before, m) {
			if err := a.tx.Put(m); err != nil {
				return nil, err
			}
		}
	}
	set := s.Changed(before, m, a.cal, a.store.cast)
	for name, value := range related[m.ID] {
		if h := s.Winner(name); h == nil || string(h.Parts[name]) != string(value) {
			set[name] = value
		}
	}
	for _, r := range s.Relations("") {
		switch name := merge.RelationPart(&r.Relation); {
		case related[r.To] == nil: // it comes back with the memory
			if err := a.writing.tx.Await(m.ID, r.To); err != nil {
				return nil, err
			}
		case related[m.ID][name] == nil:
			set[name] = json.RawMessage("null")
		}
	}
	return set, nil
}

// DisableSync turns off sync for the store. The store keeps its sync data and uses it if sync is enabled again, under a new identity.
func DisableSync(ctx context.Context, s *Store) error {
	return wrap("disable sync", driver.Write(ctx, s.backend, driver.Durable, func(tx driver.Tx) error {
		if replica := driver.ReplicaOf(tx); replica != nil {
			return replica.SetReplica(driver.Replica{})
		}
		return nil
	}))
}

// Replica returns the identity of the store and the vector of entries that it has seen. The identity is zero if sync is off.
func Replica(ctx context.Context, s *Store) (clock.Replica, entry.Vector, error) {
	b, err := replicas(s)
	if err != nil {
		return clock.Replica{}, nil, err
	}
	r, v, err := b.Replica(ctx)
	return r.ID, v, wrap("replica", err)
}

// segmentBatch is the number of entries to read at a time.
const segmentBatch = 1000

// Segments yields the entries that the store has seen and the vector does not cover, both its own and those of other replicas. For each
// replica, the segments follow the number in the vector without a gap. Segments first makes lazily written entries durable, because a
// crash must not take back entries that other replicas have.
func Segments(ctx context.Context, s *Store, after entry.Vector) iter.Seq2[*entry.Segment, error] {
	return func(yield func(*entry.Segment, error) bool) {
		if err := settle(ctx, s, after); err != nil {
			yield(nil, wrap("segments", err))
			return
		}
		b, err := replicas(s)
		if err != nil {
			yield(nil, err)
			return
		}
		_, seen, err := b.Replica(ctx)
		if err != nil {
			yield(nil, wrap("segments", err))
			return
		}
		for _, r := range seen.Replicas() {
			for one, err := range segmentsOf(ctx, b, r, after[r], seen[r]) {
				if !yield(one, wrap("segments", err)) || err != nil {
					return
				}
			}
		}
	}
}

// segmentsOf yields the segments of a replica with entries numbered above after, up to and including upTo.
func segmentsOf(ctx context.Context, b driver.Replicas, r clock.Replica, after, upTo uint64) iter.Seq2[*entry.Segment, error] {
	return func(yield func(*entry.Segment, error) bool) {
		for after < upTo {
			list, err := b.EntriesOf(ctx, r, after, upTo, segmentBatch)
			if err != nil {
				yield(nil, err)
				return
			}
			to := upTo
			if len(list) == segmentBatch {
				to = list[len(list)-1].Seq
			}
			for _, one := range entry.Segments(r, after+1, to, list) {
				if !yield(one, nil) {
					return
				}
			}
			after = to
		}
	}
}

// settle makes the store's own entries durable that the vector does not cover.
func settle(ctx context.Context, s *Store, after entry.Vector) error {
	return driver.Write(ctx, s.backend, driver.Durable, func(tx driver.Tx) error {
		replica := driver.ReplicaOf(tx)
		if replica == nil {
			return nil
		}
		w, err := openWriting(replica) // gives an unmodified copy its own identity before others see it
		if err != nil || w.Seq <= after[w.Replica] {
			return err
		}
		w.Clock.Last++ // forces a flush: a commit without changes is not flushed
		return w.finish()
	})
}

// purgedForGood is [PurgedForGood] in a transaction of its own, which changes nothing.
func purgedForGood(ctx context.Context, s *Store, ids []hippo.ID) (purged []hippo.ID, err error) {
	err = driver.Write(ctx, s.backend, driver.Lazy, func(tx driver.Tx) (err error) {
		purged, err = PurgedForGood(tx, ids...)
		return err
	})
	return purged, err
}

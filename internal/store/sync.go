package store

import (
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

// replicas returns the part of the back end that keeps what stores exchange; [hippo.ErrUnsupported] if it has none.
func replicas(s *Store) (driver.Replicas, error) {
	r, ok := s.backend.(driver.Replicas)
	if !ok {
		return nil, fmt.Errorf("%w: a store of this kind cannot exchange its changes with others: use a SQLite file", hippo.ErrUnsupported)
	}
	return r, nil
}

// EnableSync makes the store one of several that exchange their changes. Entries are written of all that is there, as of when it was
// changed last, so that what others have changed since is shown; if it was one before, of what was changed since. If it is one
// already nothing changes.
func EnableSync(ctx context.Context, s *Store) error {
	if _, err := replicas(s); err != nil {
		return wrap("enable sync", err)
	}
	var purged []hippo.ID
	for c, err := range s.backend.Changes(ctx, 1) {
		if err != nil {
			return wrap("enable sync", err)
		}
		if c.Memory == nil && c.Unreadable == nil && !c.ID.IsZero() {
			purged = append(purged, c.ID)
		}
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
		a := &adopting{writing: w, tx: tx, cast: s.cast, set: make(map[hippo.ID]map[string]json.RawMessage)}
		if err := a.adopt(); err != nil {
			return err
		}
		for _, id := range purged {
			if err := w.read(id); err != nil {
				return err
			}
			a.set[id] = map[string]json.RawMessage{merge.Purged: json.RawMessage("true")}
			w.Write(s.now(), w.subjects[id], a.set[id], w.seen)
		}
		x := &showing{w, tx}
		if err := x.others(a.set, nil); err != nil {
			return err
		}
		return w.finish()
	}))
}

// adopting writes entries of what a store has and its entries do not say.
type adopting struct {
	*writing
	tx   driver.Tx
	cal  driver.Calendar
	cast merge.Cast
	set  map[hippo.ID]map[string]json.RawMessage // what was written
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
		set := a.changed(a.subjects[m.ID], m, related)
		a.WriteAt(m.UpdatedAt, a.subjects[m.ID], set, a.seen)
		a.set[m.ID] = set
	}
	return nil
}

// changed returns the parts of a memory that are not as the entries say. related has the relations of all memories that are here.
func (a *adopting) changed(s *merge.Subject, m *hippo.Memory, related map[hippo.ID]map[string]json.RawMessage) map[string]json.RawMessage {
	var before *hippo.Memory
	if s.There() {
		before = m.Clone()
		s.Apply(before, s.Parts(), a.cal, a.cast)
	}
	set := s.Changed(before, m, a.cal, a.cast)
	for name, value := range related[m.ID] {
		if h := s.Winner(name); h == nil || string(h.Parts[name]) != string(value) {
			set[name] = value
		}
	}
	for _, r := range s.Relations("") {
		if name := merge.RelationPart(&r.Relation); related[m.ID][name] == nil && related[r.To] != nil {
			set[name] = json.RawMessage("null")
		}
	}
	return set
}

// DisableSync makes the store alone again. What it has exchanged is kept, and counts if it is enabled again, as another replica.
func DisableSync(ctx context.Context, s *Store) error {
	return wrap("disable sync", driver.Write(ctx, s.backend, driver.Durable, func(tx driver.Tx) error {
		if replica := driver.ReplicaOf(tx); replica != nil {
			return replica.SetReplica(driver.Replica{})
		}
		return nil
	}))
}

// RenewReplica gives the store a new identity, because another one has the same: it was copied in a way that it could not notice.
func RenewReplica(ctx context.Context, s *Store) error {
	return wrap("renew the replica", driver.Write(ctx, s.backend, driver.Durable, func(tx driver.Tx) error {
		replica := driver.ReplicaOf(tx)
		if replica == nil {
			return nil
		}
		r, _ := replica.Replica()
		_, err := renew(replica, r)
		return err
	}))
}

// Replica returns the identity of the store among those that exchange their changes, zero if it is alone, and which entries it has seen.
func Replica(ctx context.Context, s *Store) (clock.Replica, entry.Vector, error) {
	b, err := replicas(s)
	if err != nil {
		return clock.Replica{}, nil, err
	}
	r, v, err := b.Replica(ctx)
	return r.ID, v, wrap("replica", err)
}

// segmentBatch is how many entries are read at a time.
const segmentBatch = 1000

// Segments yields what the store has seen and a vector has not, its own entries and those of others: for each replica from the number of
// the vector on, without a gap. What was written lazily is made durable before, since a crash may not take back what others have.
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

// segmentsOf yields what a replica has written after a number, up to another one.
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

// settle makes the own entries durable that a vector has not seen.
func settle(ctx context.Context, s *Store, after entry.Vector) error {
	return driver.Write(ctx, s.backend, driver.Durable, func(tx driver.Tx) error {
		replica := driver.ReplicaOf(tx)
		if replica == nil {
			return nil
		}
		w, err := openWriting(replica) // a copy that has changed nothing yet is another replica before it is seen
		if err != nil || w.Seq <= after[w.Replica] {
			return err
		}
		w.Clock.Last++ // a commit that changes nothing is not flushed
		return w.finish()
	})
}

// addPurgedElsewhere adds the memories that others have deleted for good, before they came here, to those that were purged here.
func addPurgedElsewhere(tx driver.Tx, purged map[hippo.ID]bool, ids []hippo.ID) error {
	r, ok := tx.(*recorder)
	if !ok {
		return nil
	}
	held, err := r.replica.Held(ids...)
	for _, h := range held {
		if _, ok := h.Parts[merge.Purged]; ok {
			purged[h.Subject] = true
		}
	}
	return err
}

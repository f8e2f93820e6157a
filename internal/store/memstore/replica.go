package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// replicaState is the sync data of a [Store]. Several versions of the state share the same maps, so a change replaces a map as a whole.
// The entries never change.
type replicaState struct {
	driver.Replica
	vector  entry.Vector // of other replicas
	entries map[entry.Dot]*entry.Held
	waiting map[waiting]bool
}

// waiting records that relations from one memory are waiting for a target memory.
type waiting struct{ target, from hippo.ID }

// replicas is the part of a [Store] that implements [driver.Replicas].
type replicas struct{ store *Store }

// Replica implements [driver.Replicas].
func (p replicas) Replica(ctx context.Context) (driver.Replica, entry.Vector, error) {
	s := p.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.replica.Replica, s.replica.seen(), s.usable(ctx)
}

func (r *replicaState) seen() entry.Vector {
	v := maps.Clone(r.vector)
	if v == nil {
		v = make(entry.Vector)
	}
	if r.Seq > 0 {
		v[r.ID] = r.Seq
	}
	return v
}

// EntriesOf implements [driver.Replicas]. Cost: a pass over all entries.
func (p replicas) EntriesOf(ctx context.Context, origin clock.Replica, after, upTo uint64, limit int) ([]*entry.Held, error) {
	s := p.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []*entry.Held
	for d, h := range s.replica.entries {
		if d.Origin == origin && d.Seq > after && d.Seq <= upTo {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b *entry.Held) int { return cmp.Compare(a.Seq, b.Seq) })
	return out[:min(len(out), limit)], s.usable(ctx)
}

// replicaTx is the part of a transaction that implements [driver.ReplicaTx].
type replicaTx struct {
	now  replicaState
	owns bool // the transaction owns the maps
}

// own copies the maps so that the transaction can change them.
func (t *replicaTx) own() {
	if t.owns {
		return
	}
	t.now.vector, t.now.entries, t.now.waiting, t.owns = maps.Clone(t.now.vector), maps.Clone(t.now.entries), maps.Clone(t.now.waiting), true
	if t.now.vector == nil {
		t.now.vector, t.now.entries, t.now.waiting = make(entry.Vector), make(map[entry.Dot]*entry.Held), make(map[waiting]bool)
	}
}

// Replica implements [driver.ReplicaTx]. Data in RAM cannot be moved.
func (t *replicaTx) Replica() (r driver.Replica, moved bool) { return t.now.Replica, false }

// SetReplica implements [driver.ReplicaTx].
func (t *replicaTx) SetReplica(r driver.Replica) error {
	t.own()
	if old := t.now.Replica; old.ID != r.ID && old.Seq > 0 {
		t.now.vector[old.ID] = old.Seq
	}
	t.now.Replica = r
	return nil
}

// Vector implements [driver.ReplicaTx].
func (t *replicaTx) Vector() (entry.Vector, error) { return t.now.seen(), nil }

// SetVector implements [driver.ReplicaTx].
func (t *replicaTx) SetVector(v entry.Vector) error {
	t.own()
	maps.Copy(t.now.vector, v)
	return nil
}

// Held implements [driver.ReplicaTx]. Cost: a pass over all entries.
func (t *replicaTx) Held(subjects ...hippo.ID) ([]*entry.Held, error) {
	asked := make(map[hippo.ID]bool, len(subjects))
	for _, id := range subjects {
		asked[id] = true
	}
	var out []*entry.Held
	for _, h := range t.now.entries {
		if asked[h.Subject] {
			out = append(out, &entry.Held{Entry: h.Clone(), From: h.From, Vector: h.Vector})
		}
	}
	driver.SortHeld(out)
	return out, nil
}

// Hold implements [driver.ReplicaTx].
func (t *replicaTx) Hold(list ...*entry.Held) error {
	t.own()
	for _, h := range list {
		if len(h.Parts) == 0 {
			delete(t.now.entries, h.Dot)
			continue
		}
		t.now.entries[h.Dot] = &entry.Held{Entry: h.Clone(), From: h.From, Vector: h.Vector}
	}
	return nil
}

// SegmentVector implements [driver.ReplicaTx]. Cost: a pass over all entries.
func (t *replicaTx) SegmentVector(origin clock.Replica, from uint64) (entry.Vector, error) {
	for d, h := range t.now.entries {
		if d.Origin == origin && h.From == from {
			return h.Vector, nil
		}
	}
	return nil, nil
}

// Await implements [driver.ReplicaTx].
func (t *replicaTx) Await(from, to hippo.ID) error {
	t.own()
	t.now.waiting[waiting{to, from}] = true
	return nil
}

// Arrived implements [driver.ReplicaTx]. Cost: a pass over the waiting list.
func (t *replicaTx) Arrived(to hippo.ID) ([]hippo.ID, error) {
	t.own()
	var out []hippo.ID
	for w := range t.now.waiting {
		if w.target == to {
			out = append(out, w.from)
			delete(t.now.waiting, w)
		}
	}
	slices.SortFunc(out, hippo.ID.Compare)
	return out, nil
}

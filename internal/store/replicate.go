package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// write is [driver.Write] for every change of a store. If sync is on, it also writes entries for the changes, in the same transaction.
// A store with sync off pays no cost.
func write(ctx context.Context, s *Store, d driver.Durability, fn func(driver.Tx) error) error {
	return driver.Write(ctx, s.backend, d, func(tx driver.Tx) error {
		replica := driver.ReplicaOf(tx)
		if replica == nil {
			return fn(tx)
		}
		r := newRecorder(tx, replica)
		r.cast = s.cast
		if err := fn(r); err != nil {
			return err
		}
		return r.finish(s.now())
	})
}

// recorder is a transaction that records its changes to memories of the default namespace. Sync excludes all other namespaces.
type recorder struct {
	driver.Tx
	replica       driver.ReplicaTx
	before, after map[hippo.ID]*hippo.Memory // nil in before: did not exist; nil in after: purged
	relations     map[driver.RelationKey]hippo.Relation
	uses          map[hippo.ID]map[hippo.Day]int
	cast          merge.Cast
}

func newRecorder(tx driver.Tx, replica driver.ReplicaTx) *recorder {
	return &recorder{
		Tx: tx, replica: replica, before: make(map[hippo.ID]*hippo.Memory), after: make(map[hippo.ID]*hippo.Memory),
		relations: make(map[driver.RelationKey]hippo.Relation), uses: make(map[hippo.ID]map[hippo.Day]int),
	}
}

// Unwrap returns the transaction of the back end.
func (r *recorder) Unwrap() driver.Tx { return r.Tx }

// Get implements [driver.Tx].
func (r *recorder) Get(ids ...hippo.ID) ([]*hippo.Memory, error) {
	ms, err := r.Tx.Get(ids...)
	if driver.Readable(err) != nil {
		return ms, err
	}
	found := make(map[hippo.ID]*hippo.Memory, len(ms))
	for _, m := range ms {
		found[m.ID] = m
	}
	for _, id := range ids {
		if _, known := r.before[id]; known {
			continue
		}
		if r.before[id] = nil; found[id] != nil {
			r.before[id] = found[id].Clone()
		}
	}
	return ms, err
}

// know loads the state of memories before the transaction.
func (r *recorder) know(ids ...hippo.ID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id hippo.ID) bool { _, known := r.before[id]; return known })
	if len(ids) == 0 {
		return nil
	}
	_, err := r.Get(ids...)
	return driver.Readable(err)
}

// Put implements [driver.Tx].
func (r *recorder) Put(ms ...*hippo.Memory) error {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	if err := r.know(ids...); err != nil {
		return err
	}
	if err := r.Tx.Put(ms...); err != nil {
		return err
	}
	for _, m := range ms {
		if m.Namespace == "" {
			r.after[m.ID] = m.Clone()
		}
	}
	return nil
}

// Purge implements [driver.Tx].
func (r *recorder) Purge(ids ...hippo.ID) error {
	if err := r.know(ids...); err != nil {
		return err
	}
	for _, id := range ids {
		if m := r.before[id]; m == nil || m.Namespace == "" {
			r.after[id] = nil
		}
	}
	return r.Tx.Purge(ids...)
}

// Relate implements [driver.Tx].
func (r *recorder) Relate(x hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	var old, next hippo.Relation
	err := r.Tx.Relate(x, func(o, x hippo.Relation) hippo.Relation {
		old = o
		next = driver.WithKey(fn(o, x), x)
		return next
	})
	if err == nil && next != old && x.Kind != hippo.CoRecalled {
		r.relations[driver.KeyOf(&x)] = next
	}
	return err
}

// Touch implements [driver.Tx].
func (r *recorder) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	ids := driver.Counted(counts)
	if err := r.know(ids...); err != nil {
		return err
	}
	for _, id := range ids {
		if !r.exchanged(id) {
			continue
		}
		if r.uses[id] == nil {
			r.uses[id] = make(map[hippo.Day]int)
		}
		r.uses[id][day] += counts[id]
	}
	return r.Tx.Touch(day, counts)
}

// finish writes entries for the recorded changes.
func (r *recorder) finish(now time.Time) error {
	parts, err := r.related()
	if err != nil || len(r.after)+len(r.uses)+len(parts) == 0 {
		return err
	}
	for _, id := range slices.AppendSeq(slices.Collect(maps.Keys(r.after)), maps.Keys(r.uses)) {
		if parts[id] == nil {
			parts[id] = make(map[string]json.RawMessage)
		}
	}
	w, err := openWriting(r.replica)
	if err != nil {
		return err
	}
	cal, err := r.Calendar()
	if err != nil {
		return err
	}
	ids := slices.SortedFunc(maps.Keys(parts), hippo.ID.Compare)
	if err := w.read(ids...); err != nil {
		return err
	}
	var arrived []hippo.ID
	for _, id := range ids {
		if r.after[id] != nil && r.before[id] == nil {
			if w.subjects[id].Purged() {
				return purgeHolds(id)
			}
			arrived = append(arrived, id)
		}
		r.changed(w, id, cal, parts[id])
		w.Write(now, w.subjects[id], parts[id], w.seen)
	}
	x := &showing{w, r.Tx}
	if err := x.others(parts, arrived); err != nil {
		return err
	}
	return w.finish()
}

// changed adds the changed parts of a memory to set.
func (r *recorder) changed(w *writing, id hippo.ID, cal driver.Calendar, set map[string]json.RawMessage) {
	s := w.subjects[id]
	switch after, changed := r.after[id]; {
	case changed && after != nil:
		maps.Copy(set, s.Changed(r.before[id], after, cal, r.cast))
	case changed && (r.before[id] != nil || len(s.Held()) > 0): // otherwise the memory never existed
		clear(set)
		set[merge.Purged] = json.RawMessage("true")
		return
	}
	if days := r.uses[id]; len(days) > 0 && r.exchanged(id) {
		used := merge.UsesBy(s, w.Replica)
		for day, n := range days {
			used[merge.DateOf(cal, day)] += n
		}
		set[merge.Uses] = merge.UsesValue(used)
	}
}

// related returns the parts for changed relations between memories of the default namespace, keyed by the memory where the relation starts.
func (r *recorder) related() (map[hippo.ID]map[string]json.RawMessage, error) {
	parts := make(map[hippo.ID]map[string]json.RawMessage)
	for _, x := range r.relations {
		if err := r.know(x.From, x.To); err != nil {
			return nil, err
		}
		if !r.exchanged(x.From) || !r.exchanged(x.To) {
			continue
		}
		if parts[x.From] == nil {
			parts[x.From] = make(map[string]json.RawMessage)
		}
		parts[x.From][merge.RelationPart(&x)] = merge.RelationValue(&x)
	}
	return parts, nil
}

// exchanged reports whether a memory belongs to the default namespace and exists after the changes recorded so far.
func (r *recorder) exchanged(id hippo.ID) bool {
	if m, changed := r.after[id]; changed {
		return m != nil
	}
	m := r.before[id]
	return m != nil && m.Namespace == ""
}

// writing stamps entries in a transaction and holds the sync state of each memory that it has read.
type writing struct {
	merge.Writer
	tx       driver.ReplicaTx
	vector   entry.Vector
	subjects map[hippo.ID]*merge.Subject
	held     map[hippo.ID][]*entry.Held // the stored entries
	err      error
}

// openWriting resumes where the last transaction ended. If the data was copied or restored, the store takes a new identity: two stores
// that number their entries under the same identity would lose some of them.
func openWriting(tx driver.ReplicaTx) (*writing, error) {
	r, moved := tx.Replica()
	if moved {
		var err error
		if r, err = renew(tx, r); err != nil {
			return nil, err
		}
	}
	w := &writing{
		Writer: merge.Writer{Replica: r.ID, Clock: r.Clock, Seq: r.Seq}, tx: tx,
		subjects: make(map[hippo.ID]*merge.Subject), held: make(map[hippo.ID][]*entry.Held),
	}
	if r.From == 0 {
		return w, nil
	}
	v, err := tx.SegmentVector(r.ID, r.From)
	if v != nil {
		w.From, w.Vector = r.From, v
	}
	return w, err
}

// renew gives a store a new identity. Entries written under the old identity stay, as those of a different replica.
func renew(tx driver.ReplicaTx, old driver.Replica) (driver.Replica, error) {
	id, err := clock.NewReplica(rand.Reader)
	if err != nil {
		return old, err
	}
	r := driver.Replica{ID: id, Clock: old.Clock}
	return r, tx.SetReplica(r)
}

// seen returns the vector of entries that the store has seen. If reading it fails, finish returns the error.
func (w *writing) seen() entry.Vector {
	if w.vector == nil && w.err == nil {
		w.vector, w.err = w.tx.Vector()
	}
	return w.vector
}

// read loads the sync state of the memories that were not loaded yet.
func (w *writing) read(ids ...hippo.ID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id hippo.ID) bool { return w.subjects[id] != nil })
	if len(ids) == 0 {
		return nil
	}
	list, err := w.tx.Held(ids...)
	if err != nil {
		return err
	}
	for _, h := range list {
		w.held[h.Subject] = append(w.held[h.Subject], h)
	}
	for _, id := range ids {
		w.subjects[id] = merge.NewSubject(id, w.held[id]...)
	}
	return nil
}

// finish stores the changed entries and the replica state, including the clock.
func (w *writing) finish() error {
	if w.err != nil {
		return w.err
	}
	for _, id := range slices.SortedFunc(maps.Keys(w.subjects), hippo.ID.Compare) {
		if list := differing(w.held[id], w.subjects[id].Held()); len(list) > 0 {
			if err := w.tx.Hold(list...); err != nil {
				return err
			}
		}
	}
	return w.tx.SetReplica(driver.Replica{ID: w.Replica, Clock: w.Clock, Seq: w.Seq, From: w.From})
}

// differing returns the entries to store to turn old into now. An entry without parts marks one to remove.
func differing(old, now []*entry.Held) []*entry.Held {
	was := make(map[entry.Dot]*entry.Held, len(old))
	for _, h := range old {
		was[h.Dot] = h
	}
	var out []*entry.Held
	for _, h := range now {
		if o := was[h.Dot]; o == nil || len(o.Parts) != len(h.Parts) {
			out = append(out, h)
		}
		delete(was, h.Dot)
	}
	for _, h := range old {
		if was[h.Dot] != nil {
			out = append(out, &entry.Held{Entry: &entry.Entry{Dot: h.Dot, Subject: h.Subject}, From: h.From})
		}
	}
	return out
}

package memstore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// tx is a transaction: an overlay of changes on the rows of the store, which no other
// transaction changes while it runs.
type tx struct {
	store   *Store
	changed map[hippo.ID]row
	purged  []hippo.ID                            // some of them perhaps put again since
	related map[driver.RelationKey]hippo.Relation // set after the last purge of their memories
	history driver.HistoryChanges
	head    driver.Head
	removals
	replicaTx
}

// removals are the memories that a restore removes.
type removals []hippo.ID

// MarkRemoved implements [driver.Remover].
func (r *removals) MarkRemoved(ids ...hippo.ID) error {
	*r = append(*r, ids...)
	return nil
}

func (t *tx) row(id hippo.ID) row {
	if r, ok := t.changed[id]; ok {
		return r
	}
	return t.store.rows[id]
}

// Get implements [driver.Tx].
func (t *tx) Get(ids ...hippo.ID) ([]*hippo.Memory, error) {
	return collect(ids, func(id hippo.ID) *hippo.Memory { return t.row(id).memory }), nil
}

// Changed implements [driver.Tx]. Cost: a pass over all memories.
func (t *tx) Changed(since hippo.Revision) ([]*hippo.Memory, error) {
	var list []*hippo.Memory
	for id := range t.store.rows {
		if _, ok := t.changed[id]; !ok {
			list = appendChanged(list, t.store.rows[id], since)
		}
	}
	for _, r := range t.changed {
		list = appendChanged(list, r, since)
	}
	slices.SortFunc(list, func(a, b *hippo.Memory) int { return cmp.Compare(a.Revision, b.Revision) })
	return list, nil
}

func appendChanged(list []*hippo.Memory, r row, since hippo.Revision) []*hippo.Memory {
	if r.memory == nil || r.revision <= since {
		return list
	}
	return append(list, r.memory.Clone())
}

// Put implements [driver.Tx].
func (t *tx) Put(ms ...*hippo.Memory) error {
	for _, m := range ms {
		t.head.Revision++
		m.Revision = t.head.Revision
		t.set(m.ID, m.Clone())
	}
	return nil
}

// Touch implements [driver.Tx].
func (t *tx) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	for _, id := range driver.Counted(counts) {
		if r := t.row(id); r.memory != nil {
			r.memory = r.memory.Clone()
			r.memory.Touch(day, counts[id])
			t.changed[id] = r
		}
	}
	return nil
}

// Purge implements [driver.Tx].
func (t *tx) Purge(ids ...hippo.ID) error {
	for _, id := range ids {
		if t.row(id).memory == nil {
			continue
		}
		t.head.Revision++
		t.set(id, nil)
		t.purged = append(t.purged, id)
		t.history.Drop(id)
		maps.DeleteFunc(t.related, func(k driver.RelationKey, _ hippo.Relation) bool { return k.From == id || k.To == id })
	}
	return nil
}

// Relate implements [driver.Tx].
func (t *tx) Relate(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	if t.row(r.From).memory == nil || t.row(r.To).memory == nil {
		return nil
	}
	k := driver.KeyOf(&r)
	old, staged := t.related[k]
	switch {
	case staged:
	case slices.Contains(t.purged, r.From) || slices.Contains(t.purged, r.To):
		old = driver.WithKey(hippo.Relation{}, r)
	default:
		old = t.store.graph.Get(r)
	}
	next := driver.WithKey(fn(old, r), r)
	if t.related == nil {
		t.related = make(map[driver.RelationKey]hippo.Relation)
	}
	t.related[k] = next
	return nil
}

// RelationsFrom implements [driver.Tx].
func (t *tx) RelationsFrom(id, to hippo.ID, kind string) ([]hippo.Relation, error) {
	asked := func(r driver.RelationKey) bool {
		return id.IsZero() || r.From == id && r.Kind == kind && (to.IsZero() || r.To == to)
	}
	stored := t.store.graph.All
	if !id.IsZero() {
		stored = func() []hippo.Relation { return t.store.graph.At(id) }
	}
	var g driver.Graph
	for _, r := range stored() {
		if asked(driver.KeyOf(&r)) && !slices.Contains(t.purged, r.From) && !slices.Contains(t.purged, r.To) {
			g.Set(r)
		}
	}
	for k, r := range t.related {
		if asked(k) {
			g.Set(r)
		}
	}
	return g.All(), nil
}

// set makes m the state of id at the newest revision, and keeps the counts.
func (t *tx) set(id hippo.ID, m *hippo.Memory) {
	t.count(t.row(id).memory, -1)
	t.count(m, +1)
	t.changed[id] = row{revision: t.head.Revision, memory: m}
}

func (t *tx) count(m *hippo.Memory, by int) {
	if m == nil {
		return
	}
	t.head.Memories += by
	if m.Forgotten() {
		t.head.Forgotten += by
	}
}

// Calendar implements [driver.Tx].
func (t *tx) Calendar() (driver.Calendar, error) { return t.head.Calendar, nil }

// SetCalendar implements [driver.Tx].
func (t *tx) SetCalendar(c driver.Calendar) error {
	t.head.Calendar = c
	return nil
}

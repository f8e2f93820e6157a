package overlay

import (
	"context"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// tx is a transaction on a copy of the view, which replaces it if the transaction succeeds.
type tx struct {
	ctx   context.Context //nolint:containedctx // of the call that the transaction lives in
	store *Store
	view
}

// Get implements [driver.Tx].
func (t *tx) Get(ids ...hippo.ID) ([]*hippo.Memory, error) { return t.get(t.ctx, t.store.below, ids) }

// Changed implements [driver.Tx].
func (t *tx) Changed(since hippo.Revision) ([]*hippo.Memory, error) {
	var list []*hippo.Memory
	for c, err := range changesOf(t.ctx, t.store, &t.view, since) {
		switch {
		case err != nil:
			return nil, err
		case c.Memory != nil:
			list = append(list, c.Memory)
		}
	}
	return list, nil
}

// replayed is a transaction of the back end in which those that were held back run again. Their revisions are not its own:
// what was changed since the [Store] was created counts as changed.
type replayed struct {
	driver.Tx
	base hippo.Revision
}

// Unwrap returns the transaction of the back end.
func (t replayed) Unwrap() driver.Tx { return t.Tx }

// Changed implements [driver.Tx].
func (t replayed) Changed(since hippo.Revision) ([]*hippo.Memory, error) {
	return t.Tx.Changed(min(since, t.base))
}

// Put implements [driver.Tx].
func (t *tx) Put(ms ...*hippo.Memory) error {
	for _, m := range ms {
		old, err := t.Get(m.ID)
		if driver.Readable(err) != nil {
			return err
		}
		t.set(m.ID, old, m.Clone(), t.rows[m.ID].cut)
		m.Revision = t.head.Revision
		t.rows[m.ID].memory.Revision = t.head.Revision
	}
	return nil
}

// Touch implements [driver.Tx].
func (t *tx) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	ms, err := t.Get(driver.Counted(counts)...)
	if driver.Readable(err) != nil {
		return err
	}
	for _, m := range ms {
		m.Touch(day, counts[m.ID])
		t.rows[m.ID] = row{revision: m.Revision, memory: m, cut: t.rows[m.ID].cut}
	}
	return nil
}

// Purge implements [driver.Tx].
func (t *tx) Purge(ids ...hippo.ID) error {
	for _, id := range ids {
		old, err := t.Get(id)
		if driver.Readable(err) != nil {
			return err
		}
		if len(old) == 0 && err == nil {
			continue
		}
		t.set(id, old, nil, true)
		t.history.Drop(id)
		maps.DeleteFunc(t.relations, func(k driver.RelationKey, _ hippo.Relation) bool { return k.From == id || k.To == id })
	}
	return nil
}

// set makes m the state of id at the newest revision, and keeps the counts. old is what was there.
func (t *tx) set(id hippo.ID, old []*hippo.Memory, m *hippo.Memory, cut bool) {
	count := func(m *hippo.Memory, by int) {
		t.head.Memories += by
		if m.Forgotten() {
			t.head.Forgotten += by
		}
	}
	for _, o := range old {
		count(o, -1)
		t.restored = t.restored || o.Forgotten() && m != nil && !m.Forgotten()
	}
	if m != nil {
		count(m, 1)
	}
	t.head.Revision++
	t.rows[id] = row{revision: t.head.Revision, memory: m, cut: cut}
}

// Relate implements [driver.Tx].
func (t *tx) Relate(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	ends, err := t.Get(r.From, r.To)
	if driver.Readable(err) != nil {
		return err
	}
	if len(ends) < 2 {
		return nil
	}
	old, err := t.relation(ends, r)
	if err != nil {
		return err
	}
	t.relations[driver.KeyOf(&r)] = driver.WithKey(fn(old, r), r)
	t.head.Relations = max(1, t.head.Relations) // 0 means that nobody looks for any
	return nil
}

// relation returns the relation with the key of r, of Weight 0 if there is none. ends are its memories.
func (t *tx) relation(ends []*hippo.Memory, r hippo.Relation) (hippo.Relation, error) {
	none := driver.WithKey(hippo.Relation{}, r)
	if old, ok := t.relations[driver.KeyOf(&r)]; ok {
		return old, nil
	}
	list, err := t.of(t.ctx, t.store.below, ends[0], ends[0].Forgotten() || ends[1].Forgotten())
	for _, old := range list {
		if old.Compare(&r) == 0 {
			return old, err
		}
	}
	return none, err
}

// RelationsFrom implements [driver.Tx].
func (t *tx) RelationsFrom(id, to hippo.ID, kind string) ([]hippo.Relation, error) {
	if id.IsZero() {
		return t.all(t.ctx, t.store.below)
	}
	ms, err := t.Get(id)
	if driver.Readable(err) != nil || len(ms) == 0 {
		return nil, driver.Readable(err)
	}
	list, err := t.of(t.ctx, t.store.below, ms[0], false)
	return slices.DeleteFunc(list, func(r hippo.Relation) bool { return r.From != id || r.Kind != kind || !to.IsZero() && r.To != to }), err
}

// Calendar implements [driver.Tx].
func (t *tx) Calendar() (driver.Calendar, error) { return t.head.Calendar, nil }

// SetCalendar implements [driver.Tx].
func (t *tx) SetCalendar(c driver.Calendar) error {
	t.head.Calendar = c
	return nil
}

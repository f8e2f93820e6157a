package pgstore

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// tx is a [driver.Tx].
type tx struct{ staging }

// staging is the state that a transaction sees: the stored state with its own changes and those of its group.
type staging struct {
	*group
	changes
}

// Get implements [driver.Tx].
func (t *tx) Get(ids ...hippo.ID) ([]*hippo.Memory, error) {
	unchanged := slices.DeleteFunc(slices.Clone(ids), func(id hippo.ID) bool { _, ok := t.rows[id]; return ok })
	if err := t.fetch(unchanged); err != nil {
		return nil, err
	}
	return t.bad.split(ids, t.seen)
}

// seen returns a memory that was fetched, as this transaction sees it.
func (t *staging) seen(id hippo.ID) (stored, bool) {
	if r, ok := t.rows[id]; ok {
		return stored{Memory: r.memory}, r.memory != nil
	}
	k := t.known[id]
	if list, ok := t.accesses[id]; ok && k.there && k.err == nil {
		m := *k.Memory
		m.Accesses = list
		return stored{Memory: &m}, true
	}
	return k.stored, k.there
}

// exists reports whether a memory that was looked up exists, and whether it is forgotten.
func (t *staging) exists(id hippo.ID) (there, forgotten bool) {
	if r, ok := t.rows[id]; ok {
		return r.memory != nil, r.memory != nil && r.memory.Forgotten()
	}
	k := t.known[id]
	return k.there, k.forgotten
}

// Put implements [driver.Tx].
func (t *tx) Put(ms ...*hippo.Memory) error {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	if err := t.probe(ids); err != nil {
		return err
	}
	for _, m := range ms {
		t.set(m.ID, m)
	}
	return nil
}

// set makes a copy of m the state of a memory, none if m is nil, at a new revision, which m gets.
func (t *staging) set(id hippo.ID, m *hippo.Memory) {
	if there, forgotten := t.exists(id); there {
		t.count(-1, forgotten, t.size(id))
	}
	t.head.Revision++
	r := row{revision: t.head.Revision}
	if m != nil {
		m.Revision = t.head.Revision
		t.count(+1, m.Forgotten(), int64(len(m.Content)))
		r.memory = m.Clone()
	}
	t.rows[id] = r
	delete(t.accesses, id)
}

// size returns the bytes of the text of an existing memory.
func (t *staging) size(id hippo.ID) int64 {
	if r, ok := t.rows[id]; ok {
		return int64(len(r.memory.Content))
	}
	return t.known[id].size
}

// count counts a memory with a text of some bytes once more, or once less.
func (t *staging) count(by int, forgotten bool, size int64) {
	t.head.Memories += by
	t.head.texts += int64(by) * size
	if forgotten {
		t.head.Forgotten += by
	}
}

// Purge implements [driver.Tx].
func (t *tx) Purge(ids ...hippo.ID) error {
	if err := t.probe(ids); err != nil {
		return err
	}
	gone := slices.DeleteFunc(slices.Clone(ids), func(id hippo.ID) bool { there, _ := t.exists(id); return !there })
	if err := t.walk(gone); err != nil {
		return err
	}
	if err := t.recall(gone); err != nil {
		return err
	}
	for _, id := range gone {
		if there, _ := t.exists(id); !there { // it was given twice
			continue
		}
		t.set(id, nil)
		t.purged[id], t.head.buried = true, true
		t.unrelate(id)
		t.past.purge(t.group, id)
		for k := range t.vectors {
			if k.memory == id {
				delete(t.vectors, k)
			}
		}
	}
	return nil
}

// Calendar implements [driver.Tx].
func (t *tx) Calendar() (driver.Calendar, error) { return t.head.Calendar, nil }

// SetCalendar implements [driver.Tx].
func (t *tx) SetCalendar(c driver.Calendar) error {
	t.head.Calendar = c
	return nil
}

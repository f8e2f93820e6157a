package dirstore

import (
	"errors"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// errStale ends a transaction that met a file which another program changed; it
// is run again when that change was taken over.
var errStale = errors.New("file changed by another program")

// tx is a transaction: changes laid over those of its batch, which lie over the
// store. Nobody else writes while it runs.
type tx struct {
	batch    *batch
	changes  map[hippo.ID]pending
	purged   []hippo.ID // some of them perhaps put again since
	calendar *driver.Calendar
	next     hippo.Revision
	stale    []string // files that were changed by other programs
}

func newTx(b *batch) *tx {
	return &tx{batch: b, changes: make(map[hippo.ID]pending), next: b.next}
}

// current returns the memory as this transaction sees it; nil if there is none.
func (t *tx) current(id hippo.ID) *hippo.Memory {
	if p, ok := t.changes[id]; ok {
		return p.memory
	}
	if p, ok := t.batch.changes[id]; ok {
		return p.memory
	}
	s := t.batch.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.rows[id].memory
}

// check sees to it that the files of ids are as they were last read.
// Cost: one system call for each, once under a lock.
func (t *tx) check(ids []hippo.ID) error {
	s := t.batch.store
	var names []string
	s.mu.RLock()
	for _, id := range ids {
		if name := s.state.target(id); !t.batch.checked[name] {
			t.batch.checked[name] = true
			names = append(names, name)
		}
	}
	s.mu.RUnlock()
	t.stale = append(t.stale, s.changed(names)...)
	if len(t.stale) > 0 {
		return errStale
	}
	return nil
}

// Get implements [driver.Tx].
func (t *tx) Get(ids ...hippo.ID) ([]*hippo.Memory, error) {
	if err := t.check(ids); err != nil {
		return nil, err
	}
	return find(ids, t.current), nil
}

// Put implements [driver.Tx].
func (t *tx) Put(ms ...*hippo.Memory) error {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	if err := t.check(ids); err != nil {
		return err
	}
	for _, m := range ms {
		if err := t.put(m); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) put(m *hippo.Memory) error {
	data, err := formats.EncodeInsight(m)
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return fmt.Errorf("%w: a memory must be at most %d bytes as a file, is %d", hippo.ErrInvalid, maxFile, len(data))
	}
	m.Revision = t.next
	t.next++
	t.changes[m.ID] = pending{revision: m.Revision, memory: m.Clone(), data: data}
	return nil
}

// Touch implements [driver.Tx].
func (t *tx) Touch(day hippo.Day, counts map[hippo.ID]int) ([]driver.Touched, error) {
	return driver.TouchAll(t, day, counts)
}

// Purge implements [driver.Tx].
func (t *tx) Purge(ids ...hippo.ID) error {
	if err := t.check(ids); err != nil {
		return err
	}
	for _, id := range ids {
		if t.current(id) == nil {
			continue
		}
		t.changes[id] = pending{revision: t.next}
		t.purged = append(t.purged, id)
		t.next++
	}
	return nil
}

// Calendar implements [driver.Tx].
func (t *tx) Calendar() (driver.Calendar, error) {
	switch {
	case t.calendar != nil:
		return *t.calendar, nil
	case t.batch.calendar != nil:
		return *t.batch.calendar, nil
	}
	s := t.batch.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.calendar, nil
}

// SetCalendar implements [driver.Tx].
func (t *tx) SetCalendar(c driver.Calendar) error {
	if len(c.Date) > len(record{}.sum) {
		return hippo.Fieldf("date", "must be at most %d bytes, got %d", len(record{}.sum), len(c.Date))
	}
	t.calendar = &c
	return nil
}

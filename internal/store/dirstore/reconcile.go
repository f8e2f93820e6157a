package dirstore

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// settle is how long a file must stay unreadable and unchanged before it is put
// aside: the first Hippo program writes in place, in two steps.
const settle = 2 * time.Second

// later is what a reconciliation leaves to be done: writing files.
type later struct {
	restore  []hippo.ID // memories whose file has to be written
	calendar bool       // metadata.json has to be written
	look     []string   // files to look at again
}

// edits is one reconciliation under way.
type edits struct {
	foreign bool // the changes are another program's
	records []record
}

// reconcile takes over what happened to these files, or to all of them if names
// is nil, and repairs what needs it. contents: as for scan; foreign: the changes
// are another program's. It needs the lock.
func (s *Store) reconcile(names []string, contents, foreign bool) error {
	all := names == nil
	for round := 0; all || len(names) > 0; round++ {
		if all {
			var err error
			if names, err = s.names(); err != nil {
				return err
			}
		}
		if err := s.absorb(s.scan(names, contents), all, foreign); err != nil {
			return err
		}
		all, names, s.later.look = false, s.later.look, nil
		if round > 10 {
			break // somebody writes faster than this reads; the next call goes on
		}
	}
	return s.repair()
}

// absorb applies what was seen to the state and to the log.
func (s *Store) absorb(sights []sight, all, foreign bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &edits{foreign: foreign}
	var failed error
	for _, v := range sights {
		failed = errors.Join(failed, s.apply(v, e))
	}
	if all {
		s.dropMissing(e)
	}
	if s.readOnly != nil || len(e.records) == 0 {
		return failed
	}
	return errors.Join(failed, s.publish(e.records))
}

func (s *Store) apply(v sight, e *edits) error {
	f, had := s.state.files[v.name]
	switch {
	case v.gone:
		delete(s.state.files, v.name)
		if r := s.state.rows[f.id]; had && !r.purged && r.revision > 0 && (r.name == v.name || r.name == "") {
			s.lose(f.id, v.name, e)
		}
	case v.same:
		f.stamp = v.stamp
		s.state.files[v.name] = f
	case v.err != nil:
		return s.applyBad(v, e)
	default:
		s.applyGood(v, e)
	}
	return nil
}

// lose handles a memory whose file is gone: another file that holds it takes
// its place, else it is purged.
func (s *Store) lose(id hippo.ID, name string, e *edits) {
	st := &s.state
	r := st.rows[id]
	r.name = ""
	if next := st.other(id, name); next != "" {
		st.set(id, r)
		delete(st.files, next)
		s.later.look = append(s.later.look, next)
		return
	}
	st.set(id, row{revision: st.take(), purged: true})
	e.records = append(e.records, record{
		kind: kindPurge, number: uint64(st.rows[id].revision), id: id,
	})
}

// dropMissing purges the memories that the log knows and no file holds.
func (s *Store) dropMissing(e *edits) {
	waiting := make(map[hippo.ID]bool)
	for _, f := range s.state.files {
		if f.err != nil {
			waiting[f.id] = true
		}
	}
	var missing []hippo.ID
	for id, r := range s.state.rows {
		if !r.purged && r.name == "" && !waiting[id] {
			missing = append(missing, id)
		}
	}
	slices.SortFunc(missing, hippo.ID.Compare)
	for _, id := range missing {
		s.lose(id, "", e)
	}
}

// applyBad notes a file that cannot be read. Once it has settled it is put
// aside, and written anew if its memory is known.
func (s *Store) applyBad(v sight, e *edits) error {
	st := &s.state
	before, had := st.files[v.name]
	f := file{stamp: v.stamp, err: v.err, since: s.now(), id: before.id}
	if !had {
		f.id, _ = idOf(v.name)
	}
	if had && before.err != nil && before.stamp == v.stamp {
		f.since = before.since
	}
	st.files[v.name] = f
	if s.wait(v.err, v.broken, f.stamp, f.since) {
		return nil
	}
	aside, err := s.disk.putAside(v.name)
	if err != nil {
		return err
	}
	delete(st.files, v.name)
	s.log.Warn("unreadable file put aside", "file", s.disk.full(v.name), "now", s.disk.full(aside), "why", v.err)
	r, known := st.rows[f.id]
	switch {
	case !known || r.purged || r.name != v.name && r.name != "":
	case r.memory != nil:
		s.later.restore = append(s.later.restore, f.id)
	default:
		s.lose(f.id, v.name, e)
	}
	return nil
}

// wait reports whether a file that cannot be read has to stay where it is, and
// sees to it that one which may change soon is looked at again.
func (s *Store) wait(err error, broken bool, st stamp, since time.Time) bool {
	settled := s.settled(st, since)
	if !settled && (broken || errors.Is(err, errMoving)) {
		s.retry()
	}
	return !settled || !broken || s.readOnly != nil
}

func (s *Store) settled(st stamp, since time.Time) bool {
	now := s.now()
	return now.Sub(since) >= settle || now.Sub(time.Unix(0, st.mtime)) >= settle
}

// applyGood takes over the memory in a file.
func (s *Store) applyGood(v sight, e *edits) {
	st := &s.state
	id := v.memory.ID
	before, had := st.files[v.name]
	st.files[v.name] = file{stamp: v.stamp, sum: v.sum, id: id}
	if had && before.id != id && st.rows[before.id].name == v.name {
		s.lose(before.id, v.name, e)
	}
	r := st.rows[id]
	if r.name != "" && r.name != v.name && v.name != nameOf(id) && st.files[r.name].id == id {
		return // a second file with the same memory; Problems tells
	}
	r.name = v.name
	if !r.purged && r.revision > 0 && r.sum == v.sum {
		if r.memory == nil {
			r.memory = counted(v.memory, r.version, v.stamp)
			r.memory.Revision = r.revision
		}
		st.set(id, r)
		return
	}
	next := row{revision: st.take(), sum: v.sum, memory: v.memory, name: v.name}
	if r.memory != nil && e.foreign {
		s.merge(&next, r.memory, v)
	}
	st.set(id, next)
	e.records = append(e.records, record{
		kind: kindPut, number: uint64(next.revision), id: id, sum: v.sum, version: next.version,
	})
}

// merge adds to the row of a file that another program changed what that
// program could not know, or did not count, from the version before.
func (s *Store) merge(next *row, before *hippo.Memory, v sight) {
	if v.oldKeys {
		m := before.Clone()
		m.Content, m.ContentHash, m.Situation = v.memory.Content, v.memory.ContentHash, v.memory.Situation
		m.Accesses, m.CreatedAt = v.memory.Accesses, v.memory.CreatedAt
		i := v.memory.Importance
		i.SetDay = before.Importance.SetDay
		if i.Value != before.Importance.Value || !i.SetAt.Equal(before.Importance.SetAt) {
			i.SetDay = s.state.calendar.Day
		}
		m.Importance = i
		m.Revision = v.memory.Revision
		if !reflect.DeepEqual(m, v.memory) {
			next.memory = m
			s.later.restore = append(s.later.restore, m.ID)
		}
	}
	m := next.memory
	if m.Version == before.Version && (m.Content != before.Content || !slices.Equal(m.Situation, before.Situation)) {
		next.version = uint16(min(m.Version+1, math.MaxUint16))
		next.memory = counted(m, next.version, v.stamp)
	}
}

// counted sets the version of a memory whose text another program changed
// without counting it, and the time to that of its file.
func counted(m *hippo.Memory, version uint16, st stamp) *hippo.Memory {
	if int(version) <= m.Version {
		return m
	}
	m.Version = int(version)
	if at := time.Unix(0, st.mtime).UTC().Truncate(time.Microsecond); at.After(m.UpdatedAt) {
		m.UpdatedAt = at
	}
	return m
}

// repair writes the files that a reconciliation found to be in need of it.
// It needs the lock.
func (s *Store) repair() error {
	todo := s.later
	s.later = later{}
	if len(todo.restore) == 0 && !todo.calendar || s.readOnly != nil {
		return nil
	}
	t := newTx(newBatch(s))
	for _, id := range todo.restore {
		m := t.current(id)
		if m == nil {
			continue
		}
		if err := t.put(m.Clone()); err != nil {
			return err
		}
	}
	if todo.calendar {
		s.mu.RLock()
		c := s.state.calendar
		s.mu.RUnlock()
		t.calendar = &c
	}
	t.batch.merge(t)
	return s.commit(t.batch)
}

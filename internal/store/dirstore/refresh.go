package dirstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
)

// errUnsettled means that files do not match what the log says of them, as
// during a commit; under the lock they do, or another program changed them.
var errUnsettled = errors.New("files are being changed")

// current takes over what other handles committed.
func (s *Store) current(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	err := s.refresh(false)
	if !errors.Is(err, errUnsettled) {
		return s.orClosed(err)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return s.orClosed(err)
	}
	unlock()
	return nil
}

// refresh reads what was appended to the log since the last time. Unless locked
// it changes nothing and returns [errUnsettled] when the files do not match yet.
func (s *Store) refresh(locked bool) error {
	s.mu.RLock()
	seen, offset := s.state.seen, s.state.offset
	s.mu.RUnlock()
	if moved, err := s.disk.moved(seen, offset); err != nil || !moved {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.disk.readTail(s.state.file, s.state.seen, s.state.offset)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(t.records) == 0 {
		return nil
	}
	if err != nil {
		return s.disk.failed("read", logName, err)
	}
	if !locked && t.records[len(t.records)-1].more {
		err = errUnsettled // a write that crosses a page is seen in parts
	} else {
		err = s.take(t, locked)
	}
	if err != nil && t.file != nil {
		return errors.Join(err, t.file.Close())
	}
	return err
}

// take applies what was read from the log. It needs s.mu.
func (s *Store) take(t tail, locked bool) error {
	if t.file != nil && t.records[0].text() != s.state.store {
		if !locked {
			return errUnsettled
		}
		s.adopt(t)
		return nil
	}
	u := s.load(t.records)
	if len(u.odd) > 0 && !locked {
		return errUnsettled
	}
	s.follow(u)
	s.note(t)
	return nil
}

// adopt starts anew from another store's log. Contents are read by the
// reconciliation that follows.
func (s *Store) adopt(t tail) {
	st := newState(t.records[0].text())
	st.metadata, st.file = s.state.metadata, s.state.file
	for _, r := range t.records {
		switch r.kind {
		case kindPut, kindPurge:
			st.set(r.id, row{revision: hippo.Revision(r.number), sum: r.sum, version: r.version, purged: r.kind == kindPurge})
		case kindCalendar:
			st.calendar = r.calendar()
		case kindBound:
			st.bound = hippo.Revision(r.number)
		case kindStore:
		}
	}
	// A bound above the last revision: its end was lost, or its owner is at work.
	st.next = max(st.next, st.bound+1)
	if st.bound == 0 {
		st.next = max(st.next, 1)
	}
	s.state = st
	s.note(t)
	s.lostTrack = true
}

// note remembers how far the log was read.
func (s *Store) note(t tail) {
	st := &s.state
	if t.file != nil {
		if st.file != nil {
			st.file.Close() //nolint:errcheck // it is deleted; what it said is known
		}
		st.file, st.count = t.file, 0
	}
	st.seen, st.offset = t.info, t.end
	st.count += len(t.records)
}

// update is the last record of each changed memory, with its content.
type update struct {
	records []record
	loaded  map[hippo.ID]loaded
	odd     []string // files that do not match their record
}

type loaded struct {
	name   string
	memory *hippo.Memory
	stamp  stamp
}

// load reads the files that records tell of. It needs s.mu.
func (s *Store) load(records []record) update {
	last := make(map[hippo.ID]int)
	for i, r := range records {
		if r.kind == kindPut || r.kind == kindPurge {
			last[r.id] = i
		}
	}
	u := update{loaded: make(map[hippo.ID]loaded)}
	for i, r := range records {
		if r.kind == kindPut || r.kind == kindPurge {
			if last[r.id] != i || hippo.Revision(r.number) <= s.state.rows[r.id].revision {
				continue
			}
		}
		u.records = append(u.records, r)
		if before := s.state.rows[r.id]; r.kind == kindPut && (before.memory == nil || before.sum != r.sum) {
			if l, ok := s.loadOne(r, before.name); ok {
				u.loaded[r.id] = l
			} else {
				u.odd = append(u.odd, nameOf(r.id))
				if before.name != "" {
					u.odd = append(u.odd, before.name)
				}
			}
		}
	}
	return u
}

// loadOne reads the memory that r tells of: by its own name, or where it was.
func (s *Store) loadOne(r record, where string) (loaded, bool) {
	names := []string{nameOf(r.id)}
	if where != "" && where != names[0] {
		names = append(names, where)
	}
	for _, name := range names {
		b, st, err := s.disk.read(name)
		if err != nil || sha256.Sum256(b) != r.sum {
			continue
		}
		if m, err := formats.DecodeInsight(b); err == nil && m.ID == r.id {
			return loaded{name: name, memory: m, stamp: st}, true
		}
	}
	return loaded{}, false
}

// follow applies an update. It needs s.mu.
func (s *Store) follow(u update) {
	st := &s.state
	for _, r := range u.records {
		switch r.kind {
		case kindPut:
			s.followPut(r, u)
		case kindPurge:
			delete(st.files, st.rows[r.id].name)
			st.set(r.id, row{revision: hippo.Revision(r.number), purged: true})
		case kindCalendar:
			st.calendar = r.calendar()
		case kindBound:
			st.bound = hippo.Revision(r.number)
		case kindStore:
		}
	}
	for _, name := range u.odd {
		f := st.files[name]
		if f.id.IsZero() {
			f.id, _ = idOf(name)
		}
		f.err = errUnsettled // to be read whatever its size and time
		st.files[name] = f
		s.odd = append(s.odd, name)
	}
}

func (s *Store) followPut(r record, u update) {
	st := &s.state
	next := st.rows[r.id]
	next.revision, next.version, next.purged = hippo.Revision(r.number), r.version, false
	l, ok := u.loaded[r.id]
	if !ok { // known already, or to be looked at again
		next.sum = r.sum
		st.set(r.id, next)
		return
	}
	next.sum, next.memory, next.name = r.sum, counted(l.memory, r.version, l.stamp), l.name
	st.set(r.id, next)
	st.files[l.name] = file{stamp: l.stamp, sum: r.sum, id: r.id}
}

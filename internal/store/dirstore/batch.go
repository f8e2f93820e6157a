package dirstore

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// workers is how many files of a commit are flushed at a time: file systems
// flush several at the price of one.
const workers = 16

// pending is the last change of one memory by a batch.
type pending struct {
	revision hippo.Revision
	memory   *hippo.Memory // nil: purged
	data     []byte
}

// batch is what a group of transactions changes, committed together.
type batch struct {
	store    *Store
	changes  map[hippo.ID]pending
	purged   []hippo.ID // whose vectors go
	calendar *driver.Calendar
	next     hippo.Revision
	durable  bool
	// whole: some transaction changes several files, which must not be parted.
	whole bool
	// checked are the files known to be as last read, under this lock.
	checked map[string]bool
}

func newBatch(s *Store) *batch {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &batch{
		store: s, changes: make(map[hippo.ID]pending), next: s.state.next, checked: make(map[string]bool),
		durable: true,
	}
}

// merge adds the changes of a transaction that succeeded.
func (b *batch) merge(t *tx) {
	n := len(t.changes)
	maps.Copy(b.changes, t.changes)
	b.purged = append(b.purged, t.purged...)
	if t.calendar != nil {
		b.calendar = t.calendar
		n++
	}
	b.whole = b.whole || n > 1
	b.next = t.next
}

// write is one file of a commit.
type write struct {
	step
	id    hippo.ID
	sum   sum
	temp  string
	stamp stamp
}

// commit makes the batch durable as asked and visible, or changes nothing.
// When files were replaced and a later step fails, the outcome is settled by
// the journal or by a look at the files before the next commit. It needs the lock.
func (s *Store) commit(b *batch) error {
	if len(b.changes) == 0 && b.calendar == nil {
		return nil
	}
	writes, err := s.prepare(b)
	if err != nil {
		return err
	}
	if err := s.disk.writeTemps(writes); err != nil {
		return errors.Join(err, s.disk.dropTemps(writes))
	}
	if b.whole {
		err = s.disk.writeJournal(stepsOf(writes), b.durable)
	}
	if err == nil {
		err = errors.Join(s.purgeVectors(b.purged), s.purgeRelations(b.purged))
	}
	done := 0
	for err == nil && done < len(writes) {
		err = s.disk.replace(writes[done])
		done++
	}
	if err != nil {
		return s.abandon(b, writes, done, err)
	}
	if b.durable {
		err = s.disk.syncDir(".")
	}
	s.show(b, writes)
	if b.whole {
		err = errors.Join(err, s.disk.clearJournal(b.durable))
	}
	return err
}

// abandon ends a commit that failed at the write before done.
func (s *Store) abandon(b *batch, writes []write, done int, err error) error {
	if done > 1 { // too late to undo
		for _, w := range writes {
			s.recheck = append(s.recheck, w.name)
		}
		return err
	}
	if b.whole {
		err = errors.Join(err, s.disk.clearJournal(true))
	}
	return errors.Join(err, s.disk.dropTemps(writes))
}

// prepare reserves the revisions, makes room where a file of a foreign name is
// in the way, and returns the files to write, then those to remove.
func (s *Store) prepare(b *batch) ([]write, error) {
	if err := s.makeRoom(b); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reserveRevisions(b.next); err != nil {
		return nil, err
	}
	st := &s.state
	var writes []write
	for id, p := range b.changes {
		w := write{step: step{name: st.target(id), data: p.data}, id: id}
		if f, had := st.files[w.name]; had {
			w.before = f.sum
		} else if p.memory == nil {
			continue // no file to remove
		}
		if p.memory != nil {
			w.sum = sha256.Sum256(p.data)
		}
		writes = append(writes, w)
	}
	slices.SortFunc(writes, func(a, c write) int {
		return cmp.Or(boolCompare(a.data == nil, c.data == nil), cmp.Compare(a.name, c.name))
	})
	if b.calendar != nil {
		data, err := encodeMetadata(*b.calendar, st.metadata.keys)
		if err != nil {
			return nil, err
		}
		w := write{step: step{name: metadataName, before: st.metadata.sum, data: data}, sum: sha256.Sum256(data)}
		writes = append([]write{w}, writes...)
	}
	return writes, nil
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// target returns the file that a memory is written to: the one it came from if
// that is its UUID in any spelling.
func (s *state) target(id hippo.ID) string {
	name := s.rows[id].name
	if named, ok := idOf(name); ok && named == id {
		return name
	}
	return nameOf(id)
}

// makeRoom sees to it that the writes of b destroy nothing: a file that cannot
// be read is put aside; a file of the right name with another memory inside is
// put aside too, and that memory written under its own name; so is a second
// file with a memory that is purged.
func (s *Store) makeRoom(b *batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		t := newTx(b)
		for id, p := range b.changes {
			if err := s.clear(t, id, p); err != nil {
				return err
			}
		}
		if len(t.changes) == 0 {
			return nil
		}
		b.merge(t) // these need room, too
		b.whole = true
	}
}

func (s *Store) clear(t *tx, id hippo.ID, p pending) error {
	name := s.state.target(id)
	if f, had := s.state.files[name]; had && (f.err != nil || f.id != id) {
		if err := s.evict(t, name, f); err != nil {
			return err
		}
	}
	if p.memory != nil {
		return nil
	}
	for other := s.state.other(id, name); other != ""; other = s.state.other(id, name) {
		if err := s.evict(t, other, file{}); err != nil {
			return err
		}
	}
	return nil
}

// evict puts a file aside and has the memory it held, if any, written anew.
func (s *Store) evict(t *tx, name string, f file) error {
	aside, err := s.disk.putAside(name)
	if err != nil {
		return err
	}
	s.log.Warn("file put aside", "file", s.disk.full(name), "now", s.disk.full(aside), "holds", f.id)
	delete(s.state.files, name)
	r := s.state.rows[f.id]
	if _, changed := t.batch.changes[f.id]; changed || r.memory == nil || r.name != name {
		return nil
	}
	r.name = ""
	s.state.rows[f.id] = r
	return t.put(r.memory.Clone())
}

// show makes a committed batch visible here and to the other handles. The log
// is a cache: when it cannot be written the commit stands.
func (s *Store) show(b *batch, writes []write) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.state
	written := make(map[hippo.ID]write, len(writes))
	for _, w := range writes {
		switch {
		case w.name == metadataName:
			st.metadata = metadataFile{stamp: w.stamp, sum: w.sum, keys: st.metadata.keys}
		case w.data == nil:
			delete(st.files, w.name)
		default:
			st.files[w.name] = file{stamp: w.stamp, sum: w.sum, id: w.id}
			written[w.id] = w
		}
	}
	records := make([]record, 0, len(b.changes)+1)
	for id, p := range b.changes {
		w := written[id]
		rec := record{kind: kindPut, number: uint64(p.revision), id: id, sum: w.sum}
		if p.memory == nil {
			rec.kind = kindPurge
		}
		st.set(id, row{revision: p.revision, sum: w.sum, memory: p.memory, purged: p.memory == nil, name: w.name})
		records = append(records, rec)
	}
	slices.SortFunc(records, func(a, c record) int { return cmp.Compare(a.number, c.number) })
	st.next = max(st.next, b.next)
	if b.calendar != nil {
		st.calendar = *b.calendar
		records = append(records, calendarRecord(st.calendar))
	}
	if err := s.appendLog(false, records...); err != nil {
		s.staleLog = true
		s.log.Warn("log of revisions cannot be written", "error", err)
	}
}

func stepsOf(writes []write) []step {
	steps := make([]step, len(writes))
	for i, w := range writes {
		steps[i] = w.step
	}
	return steps
}

// writeTemps writes the new contents, flushed, beside the files they will replace.
func (d *disk) writeTemps(writes []write) error {
	n := min(workers, len(writes))
	errs := make([]error, n)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() {
			for i := k; i < len(writes) && errs[k] == nil; i += n {
				if w := &writes[i]; w.data != nil {
					w.temp, w.stamp, errs[k] = d.temp(w.data)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// dropTemps removes what writeTemps wrote.
func (d *disk) dropTemps(writes []write) error {
	var errs []error
	for _, w := range writes {
		if w.temp != "" {
			errs = append(errs, d.remove(w.temp))
		}
	}
	return errors.Join(errs...)
}

func (d *disk) replace(w write) error {
	if w.data == nil {
		return d.remove(w.name)
	}
	return d.rename(w.temp, w.name)
}

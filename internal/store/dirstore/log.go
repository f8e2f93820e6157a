package dirstore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/hippo-memory/hippo"
)

// reserve is how many revisions are promised ahead to the log, so that it need
// not be flushed with every commit: after a crash that lost its end, counting
// goes on above the bound.
const reserve = 1000

// tail is what others appended to the log since it was read last.
type tail struct {
	records []record
	info    fs.FileInfo
	end     int64
	file    *os.File // another log file, read from its start; nil: the open one
}

// moved reports whether the log is not as seen. A log that is gone counts as
// not moved: the next writer makes a new one. Cost: one system call or three,
// about 5 us.
func (d *disk) moved(seen fs.FileInfo, offset int64) (bool, error) {
	i, err := d.root.Stat(logName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, d.failed("read", logName, err)
	}
	return seen == nil || i.Size() != offset || !os.SameFile(i, seen), nil
}

// readTail returns the records behind offset of the open log, or all of the one
// that has taken its place, which the caller has to close then.
func (d *disk) readTail(open *os.File, seen fs.FileInfo, offset int64) (tail, error) {
	info, err := d.root.Stat(logName)
	if err != nil {
		return tail{}, err
	}
	if open != nil && os.SameFile(info, seen) && info.Size() >= offset {
		return scanLog(open, tail{end: offset})
	}
	f, err := d.root.OpenFile(logName, os.O_RDWR, 0)
	if readOnly(err) {
		f, err = d.root.Open(logName)
	}
	if err != nil {
		return tail{}, err
	}
	t, err := scanLog(f, tail{file: f})
	if err == nil && len(t.records) > 0 && t.records[0].kind == kindStore && t.records[0].number == logVersion {
		return t, nil
	}
	return tail{}, errors.Join(err, f.Close()) // no log of ours: as if it were not there
}

// scanLog reads the records of f from t.end.
func scanLog(f *os.File, t tail) (tail, error) {
	info, err := f.Stat()
	if err != nil {
		return t, err
	}
	b, err := io.ReadAll(io.NewSectionReader(f, t.end, info.Size()-t.end))
	t.info = info
	t.records = parseRecords(b)
	t.end += int64(len(t.records)) * recordSize
	return t, err
}

// appendLog writes records behind the last whole one. It needs the lock.
func (s *Store) appendLog(sync bool, records ...record) error {
	b := make([]byte, 0, len(records)*recordSize)
	for i, r := range records {
		r.more = i < len(records)-1
		b = r.append(b)
	}
	err := s.disk.at("append", logName)
	if err == nil {
		err = s.appendBytes(b, sync)
	}
	return s.disk.failed("write", logName, err)
}

func (s *Store) appendBytes(b []byte, sync bool) error {
	st := &s.state
	if st.file == nil {
		return fs.ErrClosed
	}
	i, err := st.file.Stat()
	if err == nil && i.Size() > st.offset {
		err = st.file.Truncate(st.offset) // the rest of a writer that died
	}
	if err == nil {
		_, err = st.file.WriteAt(b, st.offset)
	}
	if err == nil && sync {
		err = st.file.Sync()
	}
	if err != nil {
		return err
	}
	st.offset += int64(len(b))
	st.count += len(b) / recordSize
	return nil
}

// reserveRevisions sees to it that revisions below next are covered by the
// bound in the log. It needs the lock and s.mu.
func (s *Store) reserveRevisions(next hippo.Revision) error {
	if next <= s.state.bound+1 {
		return nil
	}
	bound := next + reserve
	if err := s.appendLog(true, record{kind: kindBound, number: uint64(bound)}); err != nil {
		return err
	}
	s.state.bound = bound
	return nil
}

// publish tells the other handles what this one took over. When the log cannot
// be written, what it should say is kept and the next lock tries again.
// It needs the lock and s.mu.
func (s *Store) publish(records []record) error {
	err := s.purgeVectors(purgedBy(records))
	if err == nil {
		err = s.reserveRevisions(s.state.next)
	}
	if err == nil {
		err = s.appendLog(false, records...)
	}
	if err != nil {
		s.staleLog = true
	}
	return err
}

func purgedBy(records []record) []hippo.ID {
	var ids []hippo.ID
	for _, r := range records {
		if r.kind == kindPurge {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// trim lowers the bound to what was given out, so that the next Open does not
// skip the rest. It needs the lock and s.mu.
func (s *Store) trim() error {
	if s.state.bound == 0 || s.state.bound == s.state.last {
		return nil
	}
	return s.appendLog(false, record{kind: kindBound, number: uint64(s.state.last)})
}

// rewriteLog replaces the log by the shortest one that says the same. It needs
// the lock and s.mu.
func (s *Store) rewriteLog() error {
	st := &s.state
	st.bound = max(st.bound, st.next+reserve)
	list := []record{
		storeRecord(st.store),
		{kind: kindBound, number: uint64(st.bound)},
		calendarRecord(st.calendar),
	}
	head := len(list)
	for id, r := range st.rows {
		rec := record{kind: kindPut, number: uint64(r.revision), id: id, sum: r.sum, version: r.version}
		if r.purged {
			rec.kind = kindPurge
		}
		list = append(list, rec)
	}
	slices.SortFunc(list[head:], func(a, b record) int { return compare(hippo.Revision(a.number), hippo.Revision(b.number)) })
	b := make([]byte, 0, len(list)*recordSize)
	for _, r := range list {
		b = r.append(b)
	}
	temp, _, err := s.disk.temp(b)
	if err != nil {
		return err
	}
	if err := s.disk.rename(temp, logName); err != nil {
		return err
	}
	if err := s.disk.syncDir(stateDir); err != nil {
		return err
	}
	t, err := s.disk.readTail(nil, nil, 0)
	if err != nil {
		return s.disk.failed("read", logName, err)
	}
	s.note(t)
	return nil
}

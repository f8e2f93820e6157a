package dirstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// compactLearned is how many relations have to be written to the file of the learned
// ones before it is worth writing anew.
const compactLearned = 4096

const (
	declaredName = formats.RelationsName
	learnedName  = stateDir + "/co_recalled"
)

// textFile is a file of lines as it was read last.
type textFile struct {
	disk *disk
	name string
	// file is kept open, so that no other can pass for it; nil if there is none.
	file *os.File
	info fs.FileInfo
}

// moved reports whether others changed the file. Cost: one system call.
func (f *textFile) moved() bool {
	i, err := f.disk.root.Lstat(f.name)
	if err != nil || !i.Mode().IsRegular() {
		return f.file != nil
	}
	return f.file == nil || !os.SameFile(i, f.info) || i.Size() != f.info.Size() || !i.ModTime().Equal(f.info.ModTime())
}

// open begins anew with the file that is there now, if there is one.
func (f *textFile) open() error {
	f.close()
	if i, err := f.disk.root.Lstat(f.name); err != nil || !i.Mode().IsRegular() {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return f.disk.failed("read", f.name, err)
	}
	file, err := f.disk.root.OpenFile(f.name, os.O_RDWR, 0)
	if readOnly(err) {
		file, err = f.disk.root.Open(f.name)
	}
	if errors.Is(err, fs.ErrNotExist) { // removed just now
		return nil
	}
	if err != nil {
		return f.disk.failed("read", f.name, err)
	}
	f.file = file
	return nil
}

// rest returns what the file holds from an offset on.
func (f *textFile) rest(from int64) (b []byte, err error) {
	if f.info, err = f.file.Stat(); err == nil && f.info.Size() > from {
		b, err = io.ReadAll(io.NewSectionReader(f.file, from, f.info.Size()-from))
	}
	return b, f.disk.failed("read", f.name, err)
}

// replace renames a new file over this one, and holds that.
func (f *textFile) replace(b []byte) error {
	temp, _, err := f.disk.temp(b)
	if err != nil {
		return err
	}
	if err := f.disk.rename(temp, f.name); err != nil {
		return errors.Join(err, f.disk.remove(temp))
	}
	if err = f.open(); err == nil && f.file != nil {
		f.info, err = f.file.Stat()
	}
	return err
}

func (f *textFile) close() {
	if f.file != nil {
		f.file.Close() //nolint:errcheck // what was written was flushed, or is checked when it is read
	}
	f.file, f.info = nil, nil
}

// declaredFile is the file of the relations that people and programs declared, which
// is kept under version control like the memories.
type declaredFile struct {
	textFile
	odd []string // lines that cannot be read; they are kept
	bad error    // about the first of them
}

// read puts into g what the file holds, in place of what it held. Of lines about one
// relation, as a merge may leave them, the last counts.
func (f *declaredFile) read(g *driver.Graph) error {
	if err := f.open(); err != nil {
		return err
	}
	forget(g, false)
	f.odd, f.bad = nil, nil
	if f.file == nil {
		return nil
	}
	b, err := f.rest(0)
	if err != nil {
		return err
	}
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		r, err := formats.ReadRelation(line)
		if err == nil && r.Kind == hippo.CoRecalled {
			err = hippo.Fieldf("kind", "%s is learned, not declared", r.Kind)
		}
		if err != nil {
			if f.odd = append(f.odd, string(line)); f.bad == nil {
				f.bad = fmt.Errorf("line %d: %w", n, err)
			}
			continue
		}
		g.Set(r)
	}
	return nil
}

// write replaces the file by one with the declared ones of all, and the lines that
// cannot be read. It needs the lock.
func (f *declaredFile) write(all []hippo.Relation, durable bool) error {
	var b []byte
	for i := range all {
		if all[i].Kind == hippo.CoRecalled {
			continue
		}
		line, err := formats.EncodeRelation(&all[i])
		if err != nil {
			return err
		}
		b = append(append(b, line...), '\n')
	}
	for _, line := range f.odd {
		b = append(append(b, line...), '\n')
	}
	var err error
	if len(b) > 0 {
		err = f.replace(b)
	} else {
		f.close()
		err = f.disk.remove(f.name)
	}
	if err != nil || !durable {
		return err
	}
	return f.disk.syncDir(".")
}

// problems tells of lines that cannot be read.
func (f *declaredFile) problems() []driver.Problem {
	if f.bad == nil {
		return nil
	}
	path := f.disk.full(f.name)
	return []driver.Problem{{Path: path, Was: path, Err: f.bad.Error()}}
}

// learnedFile is the file of the relations that were learned: JSON arrays of them,
// one a line and a write, appended. The last one of a key counts; one of weight 0 is
// gone. A line without an end is a write that goes on, or was cut off.
type learnedFile struct {
	textFile
	end   int64 // of the last line that is whole
	count int   // relations written to it
}

// read puts into g what others appended, or what another file holds.
func (f *learnedFile) read(g *driver.Graph) error {
	i, err := f.disk.root.Lstat(f.name)
	if f.file == nil || err != nil || !os.SameFile(i, f.info) || i.Size() < f.end {
		if err := f.open(); err != nil {
			return err
		}
		forget(g, true)
		f.end, f.count = 0, 0
	}
	if f.file == nil {
		return nil
	}
	b, err := f.rest(f.end)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(b) {
		if line[len(line)-1] != '\n' {
			break
		}
		f.end += int64(len(line))
		var list []json.RawMessage
		if json.Unmarshal(line, &list) != nil { // broken on disk: less is known
			continue
		}
		for _, raw := range list {
			if r, err := formats.DecodeRelation(raw); err == nil && r.ValidKey() == nil && r.Kind == hippo.CoRecalled {
				g.Set(r)
				f.count++
			}
		}
	}
	return nil
}

// append writes relations that g has already. It needs the lock. When more than half
// of a long file is of no use it is written anew.
func (f *learnedFile) append(rs []hippo.Relation, g *driver.Graph, durable bool) error {
	line, err := encodeLearned(rs)
	if err != nil {
		return err
	}
	if err := f.grow(line, durable); err != nil {
		return err
	}
	f.count += len(rs)
	if f.count < compactLearned {
		return nil
	}
	live := g.All()
	live = live[:partition(live)]
	if 2*len(live) >= f.count {
		return nil
	}
	if line, err = encodeLearned(live); err == nil {
		err = f.replace(line)
	}
	if err == nil {
		f.end, f.count = int64(len(line)), len(live)
	}
	return nil //nolint:nilerr // it stays long, and the next write tries again
}

// remove deletes the file and all that it holds.
func (f *learnedFile) remove(g *driver.Graph) error {
	f.close()
	forget(g, true)
	f.end, f.count = 0, 0
	return f.disk.remove(f.name)
}

// grow appends a line behind the last whole one.
func (f *learnedFile) grow(line []byte, durable bool) error {
	if err := f.disk.at("append", f.name); err != nil {
		return f.disk.failed("write", f.name, err)
	}
	if f.file == nil {
		if err := f.replace(line); err != nil {
			return err
		}
		f.end = int64(len(line))
		return nil
	}
	err := f.file.Truncate(f.end) // the rest of a writer that died
	if err == nil {
		_, err = f.file.WriteAt(line, f.end)
	}
	if err == nil && durable {
		err = f.file.Sync()
	}
	var info fs.FileInfo
	if err == nil {
		info, err = f.file.Stat()
	}
	if err != nil {
		return f.disk.failed("write", f.name, errors.Join(err, f.file.Truncate(f.end)))
	}
	f.end, f.info = f.end+int64(len(line)), info
	return nil
}

// partition moves the learned ones to the front and returns how many there are.
func partition(rs []hippo.Relation) int {
	slices.SortStableFunc(rs, func(a, b hippo.Relation) int {
		return boolCompare(a.Kind != hippo.CoRecalled, b.Kind != hippo.CoRecalled)
	})
	n := slices.IndexFunc(rs, func(r hippo.Relation) bool { return r.Kind != hippo.CoRecalled })
	if n < 0 {
		return len(rs)
	}
	return n
}

func encodeLearned(rs []hippo.Relation) ([]byte, error) {
	b := []byte{'['}
	for i := range rs {
		if i > 0 {
			b = append(b, ',')
		}
		r, err := formats.EncodeRelation(&rs[i])
		if err != nil {
			return nil, err
		}
		b = append(b, r...)
	}
	return append(b, "]\n"...), nil
}

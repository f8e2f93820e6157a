package dirstore

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"os"
	"sync"
)

// parallelFlushes is how many files of a commit are flushed at a time: file systems flush
// several at the cost of one.
const parallelFlushes = 16

// stagedFile is the new content of a file. It is written to a temporary file and flushed while the
// transactions of its group go on; the commit renames it.
type stagedFile struct {
	temp      string // its name; empty when it was renamed
	sum       sum    // of its content
	err       error  // why it was not written
	stamp     stamp
	unflushed error // why it was not flushed
}

// stagedFiles are those that the transactions of a group write.
type stagedFiles struct {
	dir     *directory
	slots   chan struct{}
	all     []*stagedFile
	writing sync.WaitGroup // those that are not written yet
	running sync.WaitGroup // those that are not flushed yet
}

func newStagedFiles(d *directory) *stagedFiles {
	return &stagedFiles{dir: d, slots: make(chan struct{}, parallelFlushes)}
}

// start begins to write a file. The first three fields of the result are valid after
// [stagedFiles.written], all after [stagedFiles.wait].
func (s *stagedFiles) start(b []byte) *stagedFile {
	f := &stagedFile{}
	if s.dir.readOnly != nil {
		return f
	}
	s.all = append(s.all, f)
	s.slots <- struct{}{}
	s.writing.Add(1)
	s.running.Go(func() {
		defer func() { <-s.slots }()
		var temp *os.File
		f.sum = sha256.Sum256(b)
		f.temp, temp, f.err = s.dir.writeTemp(b)
		s.writing.Done()
		if f.err == nil {
			f.stamp, f.unflushed = flushTemp(s.dir, f.temp, temp)
		}
	})
	return f
}

// written waits until all files were written. They may not be flushed yet.
func (s *stagedFiles) written() { s.writing.Wait() }

// wait waits until all files were flushed.
func (s *stagedFiles) wait() { s.running.Wait() }

// flushed waits until all files were flushed and returns what is wrong with those of a commit.
func (s *stagedFiles) flushed(writes []write) error {
	s.wait()
	var errs []error
	for i := range writes {
		if f := writes[i].staged; f != nil {
			errs = append(errs, f.unflushed)
		}
	}
	return errors.Join(errs...)
}

// keep leaves the temporary files to the journal.
func (s *stagedFiles) keep() { s.all = nil }

// discard removes the temporary files that were not renamed. What cannot be removed is removed
// when the directory is opened next.
func (s *stagedFiles) discard() {
	s.wait()
	for _, f := range s.all {
		if f.temp != "" && f.err == nil {
			_ = s.dir.remove(f.temp)
		}
	}
	s.all = nil
}

// writeTemp writes a new file in .hippo, which [flushTemp] flushes and closes.
func (d *directory) writeTemp(b []byte) (name string, f *os.File, err error) {
	name = stateDir + "/" + tempPrefix + rand.Text()
	if err := d.permit("write", name); err != nil {
		return name, nil, d.failed("write", name, err)
	}
	f, err = d.root().OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return name, nil, d.failed("write", name, err)
	}
	if _, err = f.Write(b); err != nil {
		err = errors.Join(err, f.Close())
		d.root().Remove(name) //nolint:errcheck // best effort: the next Open removes it
	}
	return name, f, d.failed("write", name, err)
}

// flushTemp flushes and closes a file of [directory.writeTemp].
func flushTemp(d *directory, name string, f *os.File) (st stamp, err error) {
	if err = d.permit("sync", name); err == nil {
		err = f.Sync()
	}
	if i, serr := f.Stat(); serr == nil {
		st = stampOf(i)
	}
	return st, d.failed("write", name, errors.Join(err, f.Close()))
}

// writeWhole writes and flushes a new file in .hippo and returns its name.
func writeWhole(d *directory, b []byte) (string, error) {
	name, f, err := d.writeTemp(b)
	if err != nil {
		return name, err
	}
	if _, err = flushTemp(d, name, f); err != nil {
		d.root().Remove(name) //nolint:errcheck // best effort: the next Open removes it
	}
	return name, err
}

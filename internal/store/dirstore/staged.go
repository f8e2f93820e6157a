package dirstore

import "sync"

// parallelFlushes is how many files of a commit are flushed at a time: file systems flush
// several at the cost of one.
const parallelFlushes = 16

// stagedFile is the new content of a file. It is written to a temporary file and flushed while the
// transactions of its group go on; the commit renames it.
type stagedFile struct {
	temp  string // its name; empty when it was renamed
	stamp stamp
	err   error
}

// stagedFiles are those that the transactions of a group write.
type stagedFiles struct {
	dir     *directory
	slots   chan struct{}
	all     []*stagedFile
	running sync.WaitGroup
}

func newStagedFiles(d *directory) *stagedFiles {
	return &stagedFiles{dir: d, slots: make(chan struct{}, parallelFlushes)}
}

// start begins to write a file. The fields of the result are valid after [stagedFiles.wait].
func (s *stagedFiles) start(b []byte) *stagedFile {
	f := &stagedFile{}
	if s.dir.readOnly != nil {
		return f
	}
	s.all = append(s.all, f)
	s.slots <- struct{}{}
	s.running.Go(func() {
		f.temp, f.stamp, f.err = s.dir.writeTemp(b)
		<-s.slots
	})
	return f
}

// wait waits until all files were written.
func (s *stagedFiles) wait() { s.running.Wait() }

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

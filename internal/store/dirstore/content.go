package dirstore

import "sync"

// parallelFlushes is how many files of a commit are flushed at a time: file systems flush
// several at the cost of one.
const parallelFlushes = 16

// content is the new content of a file. It is written to a temporary file and flushed while the
// transactions of its group go on.
type content struct {
	temp  string // its name; empty when it was renamed
	stamp stamp
	err   error
}

// contents are those that the transactions of a group write.
type contents struct {
	dir     *directory
	slots   chan struct{}
	all     []*content
	running sync.WaitGroup
}

func newContents(d *directory) *contents {
	return &contents{dir: d, slots: make(chan struct{}, parallelFlushes)}
}

// start begins to write a content. The fields of the result are valid after [contents.wait].
func (l *contents) start(b []byte) *content {
	c := &content{}
	if l.dir.readOnly != nil {
		return c
	}
	l.all = append(l.all, c)
	l.slots <- struct{}{}
	l.running.Go(func() {
		c.temp, c.stamp, c.err = l.dir.writeTemp(b)
		<-l.slots
	})
	return c
}

// wait waits until all contents were written.
func (l *contents) wait() { l.running.Wait() }

// keep leaves the temporary files to the journal.
func (l *contents) keep() { l.all = nil }

// discard removes the temporary files that were not renamed. What cannot be removed is removed
// when the directory is opened next.
func (l *contents) discard() {
	l.wait()
	for _, c := range l.all {
		if c.temp != "" && c.err == nil {
			_ = l.dir.remove(c.temp)
		}
	}
	l.all = nil
}

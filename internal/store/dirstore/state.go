package dirstore

import (
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

type sum [32]byte

// row is the latest state of one ID.
type row struct {
	revision hippo.Revision
	sum      sum
	// memory is nil when the memory was purged, and while its file cannot be
	// read and never could.
	memory *hippo.Memory
	purged bool
	// version of the memory, if it is above the one in the file: another program
	// changed the text and did not count it.
	version uint16
	// name is the file that memory was read from or written to.
	name string
}

// file is what is known of one file.
type file struct {
	stamp stamp
	sum   sum
	id    hippo.ID // inside; of a file that cannot be read, the last one known
	err   error    // why it cannot be read
	since time.Time
}

// state is the store in RAM. Stored memories are never changed in place.
type state struct {
	store     string // identity
	rows      map[hippo.ID]row
	files     map[string]file
	memories  int
	forgotten int

	last  hippo.Revision // the last one given out
	next  hippo.Revision // the next to give out
	bound hippo.Revision // none above was given out, says the log

	calendar driver.Calendar
	metadata metadataFile

	// file is the log that was read, up to offset. It is kept open, so that no
	// other file can pass for it; nil if there is none yet.
	file   *os.File
	seen   fs.FileInfo
	offset int64
	count  int // records in it
}

func newState(store string) state {
	return state{store: store, rows: make(map[hippo.ID]row), files: make(map[string]file), next: 1}
}

// set makes r the state of id and keeps the counts. The memory gets the row's
// revision, in a copy if others may hold it.
func (s *state) set(id hippo.ID, r row) {
	s.tally(s.rows[id].memory, -1)
	s.tally(r.memory, +1)
	if r.memory != nil && r.memory.Revision != r.revision {
		r.memory = r.memory.Clone()
		r.memory.Revision = r.revision
	}
	s.rows[id] = r
	s.last = max(s.last, r.revision)
	s.next = max(s.next, s.last+1)
}

func (s *state) tally(m *hippo.Memory, by int) {
	if m == nil {
		return
	}
	s.memories += by
	if m.Forgotten() {
		s.forgotten += by
	}
}

// take returns a new revision.
func (s *state) take() hippo.Revision {
	r := s.next
	s.next++
	return r
}

func (s *state) head() driver.Head {
	return driver.Head{
		Store: s.store, Revision: s.last, Calendar: s.calendar,
		Memories: s.memories, Forgotten: s.forgotten,
	}
}

// after returns what changed after since, by revision, with shared memories.
func (s *state) after(since hippo.Revision) []driver.Change {
	var list []driver.Change
	for id, r := range s.rows {
		if r.revision > since && (r.purged || r.memory != nil) {
			list = append(list, driver.Change{ID: id, Revision: r.revision, Memory: r.memory})
		}
	}
	slices.SortFunc(list, func(a, b driver.Change) int { return compare(a.Revision, b.Revision) })
	return list
}

func compare(a, b hippo.Revision) int {
	if a < b {
		return -1
	}
	return 1 // revisions are unique
}

// find returns copies of what is known of ids, in their order.
func find(ids []hippo.ID, get func(hippo.ID) *hippo.Memory) []*hippo.Memory {
	found := make([]*hippo.Memory, 0, len(ids))
	for _, id := range ids {
		if m := get(id); m != nil {
			found = append(found, m.Clone())
		}
	}
	return found
}

// other returns a readable file, beside name, that holds the memory id; "" if
// there is none. Cost: O(files); it is needed when a file is gone or doubled.
func (s *state) other(id hippo.ID, name string) string {
	best := ""
	for n, f := range s.files {
		if f.id == id && f.err == nil && n != name && (best == "" || n == nameOf(id) || n < best && best != nameOf(id)) {
			best = n
		}
	}
	return best
}

// newestDay returns the last active day on which a memory was used.
func (s *state) newestDay() hippo.Day {
	day := hippo.Day(0)
	for _, r := range s.rows {
		if m := r.memory; m != nil && len(m.Accesses) > 0 {
			day = max(day, m.Accesses[len(m.Accesses)-1].Day)
		}
	}
	return day
}

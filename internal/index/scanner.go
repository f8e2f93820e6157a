package index

import (
	"runtime"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo/internal/index/vector"
)

// scanner carries out the scans of searches. Those that come while as many run as may are carried out
// together when one of them ends: most of a scan is to read the vectors from memory, which is done once for all
// of them. A search that finds no other does not wait.
type scanner struct {
	mu      sync.Mutex
	room    int // for scans beside those that run
	waiting []*scanRequest
}

// scanRequest is what one search has to scan.
type scanRequest struct {
	list []vector.Query
	// turn gets the requests to carry out, this one first; nil: another search has done it, unless it failed.
	turn chan []*scanRequest
	done bool
}

// maxShared is the number of searches that share a scan: the cosines of all of them are written meanwhile.
const maxShared = 8

// newScanner returns a scanner. It leaves half of the processors to what searches do beside scans.
func newScanner() *scanner { return &scanner{room: max(1, runtime.GOMAXPROCS(0)/2)} }

// scan carries out the scans of a search, and perhaps those of others.
func (s *scanner) scan(list []vector.Query) {
	r := &scanRequest{list: list, turn: make(chan []*scanRequest, 1)}
	group := s.begin(r)
	if group == nil {
		group = <-r.turn
	}
	switch {
	case group != nil:
		s.carryOut(group)
	case !r.done: // a file was damaged: of this search, which has to find out, or of another
		vector.ScanAll(list)
	}
}

// begin returns the request if it may be carried out now, nil if it has to wait.
func (s *scanner) begin(r *scanRequest) []*scanRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.room == 0 {
		s.waiting = append(s.waiting, r)
		return nil
	}
	s.room--
	return []*scanRequest{r}
}

// carryOut carries out requests, the first of which is that of the caller. It may panic, see [upkeep.guardRead].
func (s *scanner) carryOut(group []*scanRequest) {
	defer s.end(group)
	var all []vector.Query
	for _, r := range group {
		all = append(all, r.list...)
	}
	vector.ScanAll(all)
	for _, r := range group {
		r.done = true
	}
}

// end lets the others of a group go on, and those that wait begin.
func (s *scanner) end(group []*scanRequest) {
	for _, r := range group[1:] {
		r.turn <- nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.room++
		return
	}
	n := min(len(s.waiting), maxShared)
	next := slices.Clone(s.waiting[:n])
	s.waiting = slices.Delete(s.waiting, 0, n) // clears what it leaves: a request holds the tables of a snapshot
	next[0].turn <- next
}

package index

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo/internal/index/vector"
)

// scanTable returns a table of a few rows, and a query that is one of them.
func scanTable(rows int) (*vector.Table, vector.Code) {
	t := vector.New(32)
	for i := range rows {
		v := make([]float32, 32)
		v[i%32], v[(i*7+1)%32] = 1, .5
		t.Append(v)
	}
	return t, t.At(3)
}

// wait lets searches come until some wait for their turn.
func (s *scanner) wait(n int) {
	for waiting := -1; waiting != n; {
		runtime.Gosched()
		s.mu.Lock()
		waiting = len(s.waiting)
		s.mu.Unlock()
	}
}

// Searches that wait for a scan get what they get alone; of one that fails only it does.
func TestScanner_Shares(t *testing.T) {
	t.Parallel()
	table, q := scanTable(500)
	want := table.Scan(nil, &q)
	for _, broken := range []int{-1, 0, 5, 19} {
		s := &scanner{room: 1}
		first := s.begin(&scanRequest{})
		got, failed := make([][]float32, 20), make([]bool, 20)
		var group sync.WaitGroup
		for i := range got {
			got[i] = table.Room(nil)
			if i == broken {
				got[i] = nil // there is no room for the cosines: that panics
			}
			group.Go(func() {
				defer func() { failed[i] = recover() != nil }()
				s.scan([]vector.Query{{Table: table, Code: &q, Cosines: got[i]}})
			})
			s.wait(i + 1)
		}
		s.end(first)
		group.Wait()
		for i := range got {
			// The search that carries out the scans of others fails with one of them, and is asked again.
			if i != broken && !slices.Equal(got[i], want) && i != broken/maxShared*maxShared {
				t.Errorf("search %d, %d broken: got other cosines than alone", i, broken)
			}
		}
		if broken >= 0 && !failed[broken] {
			t.Errorf("search %d did not fail", broken)
		}
		if s.room != 1 || len(s.waiting) != 0 {
			t.Errorf("%d broken: room for %d, %d wait", broken, s.room, len(s.waiting))
		}
	}
}

// Requests that were taken out of those that wait are not held any longer, and with them no table of a snapshot.
func TestScanner_HoldsNoTables(t *testing.T) {
	t.Parallel()
	s := &scanner{room: 1}
	first := s.begin(&scanRequest{})
	requests := make([]*scanRequest, maxShared+2)
	for i := range requests {
		requests[i] = &scanRequest{turn: make(chan []*scanRequest, 1)}
		s.begin(requests[i])
	}
	held := s.waiting
	s.end(first)
	if group := <-requests[0].turn; len(group) != maxShared || len(s.waiting) != 2 {
		t.Fatalf("%d scan together, %d wait", len(group), len(s.waiting))
	}
	for i, r := range held {
		if r != nil && r != requests[maxShared] && r != requests[maxShared+1] {
			t.Errorf("request %d is held", i)
		}
	}
}

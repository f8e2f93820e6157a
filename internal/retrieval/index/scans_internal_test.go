package index

import (
	"slices"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
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

// Searches that share scans get what they get alone; of those that fail only they do, or who carries out the scan of one.
func TestScans_Share(t *testing.T) {
	t.Parallel()
	table, q := scanTable(500)
	want := table.Scan(nil, &q)
	for _, broken := range []int{-1, 0, 5, 39} {
		s := newScans()
		got, failed := make([][]float32, 40), make([]bool, 40)
		var group sync.WaitGroup
		for i := range got {
			got[i] = table.Room(nil)
			if i == broken {
				got[i] = nil // there is no room for the cosines: that panics
			}
			group.Go(func() {
				defer func() { failed[i] = recover() != nil }()
				s.Do([]vector.Query{{Table: table, Code: &q, Runs: vector.AllRows(table), Cosines: got[i]}})
			})
		}
		group.Wait()
		others := 0
		for i := range got {
			if i != broken && failed[i] {
				others++
			}
			if i != broken && !failed[i] && !slices.Equal(got[i], want) {
				t.Errorf("search %d, %d broken: got other cosines than alone", i, broken)
			}
		}
		if broken >= 0 && !failed[broken] || others > 1 {
			t.Errorf("%d broken: it failed: %t, and %d others", broken, failed[max(0, broken)], others)
		}
	}
}

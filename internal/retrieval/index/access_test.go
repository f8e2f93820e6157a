package index_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// usesOn returns the recent uses of all memories as of a day.
func usesOn(x *index.Index, day hippo.Day) map[hippo.ID]int {
	out := make(map[hippo.ID]int)
	r, err := x.Search(context.Background(), &retrieve.Query{Day: day})
	if err != nil {
		panic(err)
	}
	defer r.Close()
	for i, row := range r.Reader.Rows(nil, r.Matches) {
		out[idOf(r, r.Matches[i].Doc)] = row.RecentUses
	}
	return out
}

// usesOf returns the accesses of memory 1 by day: the differences between the windows that
// begin one day apart.
func usesOf(x *index.Index) []hippo.Access {
	var out []hippo.Access
	for day := hippo.Day(1); day < 100; day++ {
		if n := usesOn(x, day+29)[id(1)] - usesOn(x, day+30)[id(1)]; n != 0 {
			out = append(out, hippo.Access{Day: day, Count: n})
		}
	}
	return out
}

func TestIndex_Touch(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	m := note(1, "word")
	m.Touch(1, 1)
	s.put(m)
	x := open(t, s, nil)
	x.Touch([]hippo.ID{id(1), id(99)}, 40)
	x.Touch([]hippo.ID{id(1)}, 39)
	list, _ := search(x, query{})
	want := []hippo.Access{{Day: 39, Count: 1}, {Day: 40, Count: 1}}
	if d := cmp.Diff(want, usesOf(x)); d != "" || list[0].Row.LastUse != 40 {
		t.Errorf("last %v (-want +got):\n%s", list[0].Row.LastUse, d)
	}
	m.Touch(2, 1)
	s.put(m)
	catchUp(t, x)
	wantUses(t, x, "what the store does not know is added to what it says", want...)
	for _, day := range []hippo.Day{39, 40} {
		settle(t, x, day, map[hippo.ID]int{id(1): 1}, func() []*hippo.Memory {
			m.Touch(day, 1)
			s.put(m)
			return []*hippo.Memory{s.get(id(1))}
		})
	}
	wantUses(t, x, "stored accesses are counted once", want...)
	catchUp(t, x)
	wantUses(t, x, "the store is authoritative", want...)
}

// An access that comes while others are being stored is not lost, and what
// others changed in between is read.
func TestIndex_Settle_overtaken(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	m, other := note(1, "word"), note(2, "word")
	s.put(m, other)
	x := open(t, s, nil)
	x.Touch([]hippo.ID{id(1)}, 1)
	settle(t, x, 1, map[hippo.ID]int{id(1): 1}, func() []*hippo.Memory {
		x.Touch([]hippo.ID{id(1)}, 1)
		other.Pinned = true
		s.put(other) // as another process
		m.Touch(1, 1)
		s.put(m)
		return []*hippo.Memory{s.get(id(1))}
	})
	catchUp(t, x)
	wantUses(t, x, "one stored, one owed", hippo.Access{Day: 1, Count: 2})
	settle(t, x, 1, map[hippo.ID]int{id(1): 1}, func() []*hippo.Memory { return nil })
	m.Touch(1, 1)
	s.put(m)
	catchUp(t, x)
	wantUses(t, x, "both stored", hippo.Access{Day: 1, Count: 2})
}

func settle(t *testing.T, x *index.Index, day hippo.Day, counts map[hippo.ID]int, write func() []*hippo.Memory) {
	t.Helper()
	err := x.Settle(t.Context(), day, counts, func() ([]driver.Touched, error) { return touched(write()...), nil })
	if err != nil {
		t.Fatal(err)
	}
}

// touched is what a store reports of memories whose accesses it has stored.
func touched(ms ...*hippo.Memory) []driver.Touched {
	var out []driver.Touched
	for _, m := range ms {
		out = append(out, driver.Touched{ID: m.ID, Revision: m.Revision, Newest: m.Accesses[len(m.Accesses)-1]})
	}
	return out
}

// wantUses checks the accesses of memory 1.
func wantUses(t *testing.T, x *index.Index, what string, want ...hippo.Access) {
	t.Helper()
	if d := cmp.Diff(want, usesOf(x)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// An access is taken off its own day, even if it is too old to be kept by the time
// that it is stored.
func TestIndex_Settle_longAgo(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	m := note(1, "word")
	s.put(m)
	x := open(t, s, nil)
	x.Touch([]hippo.ID{id(1)}, 1)
	x.Touch([]hippo.ID{id(1)}, 40)
	x.Touch([]hippo.ID{id(1)}, 41)
	for _, day := range []hippo.Day{1, 40, 41} {
		settle(t, x, day, map[hippo.ID]int{id(1): 1}, func() []*hippo.Memory {
			m.Touch(day, 1)
			s.put(m)
			return []*hippo.Memory{s.get(id(1))}
		})
		wantUses(t, x, fmt.Sprint("day ", day, " is stored"), hippo.Access{Day: 40, Count: 1}, hippo.Access{Day: 41, Count: 1})
	}
}

func TestSearch_recent_uses(t *testing.T) {
	t.Parallel()
	const many = 100_000 // more than the sum in a row can hold
	for name, test := range map[string]struct {
		accesses []hippo.Access
		want     map[hippo.Day]int // by day of the search
	}{
		"none":            {nil, map[hippo.Day]int{1: 0, 40: 0}},
		"one day":         {[]hippo.Access{{Day: 5, Count: 2}}, map[hippo.Day]int{5: 2, 34: 2, 35: 0}},
		"a whole window":  {[]hippo.Access{{Day: 5, Count: 2}, {Day: 34, Count: 1}}, map[hippo.Day]int{34: 3, 35: 1, 64: 0}},
		"more than a sum": {[]hippo.Access{{Day: 5, Count: many}, {Day: 6, Count: many}}, map[hippo.Day]int{6: 2 * many, 35: many, 36: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSource("s")
			m := note(1, "two words", "one")
			m.Accesses = test.accesses
			s.put(m)
			x := open(t, s, &index.Options{})
			for day, want := range test.want {
				if got := usesOn(x, day)[m.ID]; got != want {
					t.Errorf("day %d: %d recent uses, want %d", day, got, want)
				}
			}
		})
	}
}

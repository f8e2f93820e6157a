package index_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
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
		settle(t, x, day, func() { s.touch(day, id(1)) })
	}
	wantUses(t, x, "stored accesses are counted once", want...)
	m = s.get(id(1))
	m.Pinned = true
	s.put(m)
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
	settle(t, x, 1, func() {
		x.Touch([]hippo.ID{id(1)}, 1)
		other.Pinned = true
		s.put(other) // as another process
		s.touch(1, id(1))
	})
	catchUp(t, x)
	wantUses(t, x, "one stored, one owed", hippo.Access{Day: 1, Count: 2})
	settle(t, x, 1, func() { s.touch(1, id(1)) })
	catchUp(t, x)
	wantUses(t, x, "both stored", hippo.Access{Day: 1, Count: 2})
}

// What others count is known when the index is opened again: from its file, at every revision, and once.
func TestIndex_UsesOfOthers(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	m := note(1, "word")
	m.Touch(3, 1)
	s.put(m, note(2, "word"))
	path := filepath.Join(t.TempDir(), "index")
	x := open(t, s, &index.Options{Path: path})
	s.touch(3, id(1)) // as another process
	s.touch(5, id(1))
	x.Touch([]hippo.ID{id(1)}, 4)
	settle(t, x, 4, func() { s.touch(4, id(1)) })
	catchUp(t, x)
	wantUses(t, x, "its own are known at once", hippo.Access{Day: 3, Count: 1}, hippo.Access{Day: 4, Count: 1})
	for _, again := range []string{"opened", "opened again"} {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = open(t, s, &index.Options{Path: path})
		wantUses(t, x, again, hippo.Access{Day: 3, Count: 2}, hippo.Access{Day: 5, Count: 2})
	}
}

// settle stores an access of memory 1 on a day.
func settle(t *testing.T, x *index.Index, day hippo.Day, write func()) {
	t.Helper()
	if err := x.Settle(t.Context(), day, map[hippo.ID]int{id(1): 1}, func() error { write(); return nil }); err != nil {
		t.Fatal(err)
	}
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
		settle(t, x, day, func() { s.touch(day, id(1)) })
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

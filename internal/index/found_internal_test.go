package index

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieve"
)

func TestMatchPool_room(t *testing.T) {
	t.Parallel()
	var p matchPool
	const most = 1000
	for _, c := range []struct{ n, want int }{{10, 10}, {5, 10}, {11, 20}, {50, 50}, {600, 600}, {601, 1000}, {1000, 1000}, {1001, 1001}} {
		list := p.get(c.n, most)
		if len(list) != 0 || cap(list) != c.want {
			t.Errorf("for %d matches: %d with room for %d, want none with room for %d", c.n, len(list), cap(list), c.want)
		}
		p.put(append(list, retrieve.Match{Doc: 7}))
	}
	if len(p.free) != 1 {
		t.Errorf("%d lists after searches one after the other, want 1", len(p.free))
	}
}

// What two searches at a time needed goes when only one at a time uses its room, and that goes when none does.
func TestMatchPool_trim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p matchPool
		a, b := p.get(10, 100), p.get(20, 100)
		p.put(b)
		p.put(a)
		for i, want := range []int{2, 1, 1, 1} {
			p.put(p.get(10, 100)) // the list used last: a
			time.Sleep(trimAfter)
			synctest.Wait()
			if len(p.free) != want {
				t.Fatalf("%d lists after %d trims, want %d", len(p.free), i+1, want)
			}
		}
		if cap(p.free[0]) != 10 {
			t.Errorf("kept room for %d, want that of the list in use", cap(p.free[0]))
		}
		time.Sleep(2 * trimAfter)
		synctest.Wait()
		if len(p.free) != 0 || p.trimming {
			t.Errorf("%d lists without searches, trimming: %v", len(p.free), p.trimming)
		}
	})
}

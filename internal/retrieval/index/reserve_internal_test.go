package index

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

func TestRoomFor(t *testing.T) {
	t.Parallel()
	const most = 100_000
	var list []retrieve.Match
	for _, c := range []struct{ n, most, want int }{
		{10, most, 1024},
		{1024, most, 1024},
		{1025, most, 2048},
		{5, most, 2048},
		{50_000, most, 50_176},
		{60_000, most, 100_352},
		{most, most, 100_352},
		{most + 352, most + 352, 100_352},
		{most + 353, most + 353, 101_376}, // the store has grown
	} {
		list = roomFor(append(list, retrieve.Match{Doc: 7}), c.n, c.most)
		if len(list) != 0 || cap(list) != c.want {
			t.Errorf("for %d matches: %d with room for %d, want none with room for %d", c.n, len(list), cap(list), c.want)
		}
	}
}

func TestReserve(t *testing.T) {
	t.Parallel()
	var r reserve[int]
	if got := r.take(); got != 0 {
		t.Errorf("took %d of nothing", got)
	}
	r.put(1)
	r.put(2)
	for _, want := range []int{2, 1, 0} {
		if got := r.take(); got != want {
			t.Errorf("took %d, want %d", got, want)
		}
	}
}

// kept returns what r has.
func kept(r *reserve[int]) []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.free)
}

// What two searches at a time needed goes when only one at a time uses it, and that goes when none does.
func TestReserve_trim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r reserve[int]
		r.put(1)
		r.put(2)
		for i, want := range [][]int{{1, 2}, {2}, {2}, {2}} {
			r.put(r.take())
			time.Sleep(trimAfter)
			synctest.Wait()
			if got := kept(&r); !slices.Equal(got, want) {
				t.Fatalf("%v after %d trims, want %v", got, i+1, want)
			}
		}
		time.Sleep(2 * trimAfter)
		synctest.Wait()
		if got := kept(&r); len(got) != 0 {
			t.Errorf("%v without searches", got)
		}
	})
}

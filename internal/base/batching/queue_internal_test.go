package batching

import (
	"runtime"
	"slices"
	"sync"
	"testing"
)

// Only a request that follows a group of several lets others run first, and takes along what they ask for.
func TestQueue_GathersAfterSeveral(t *testing.T) {
	t.Parallel()
	var calls [][]int
	q := New(1, 8, func(list []int) { calls = append(calls, slices.Sorted(slices.Values(list))) })
	yields := 0
	var others sync.WaitGroup
	q.yield = func() {
		if yields++; yields == 1 {
			others.Go(func() { q.Do(3) })
			for q.Waiting() == 0 {
				runtime.Gosched()
			}
		}
	}
	q.Do(1)
	if yields != 0 {
		t.Error("a request alone waited for others")
	}
	q.several = true
	q.Do(2)
	others.Wait()
	if yields != 2 || !q.several {
		t.Errorf("let others run %d times, want once more than they asked for something", yields)
	}
	q.Do(4) // it finds no other
	q.Do(5)
	if yields != 3 || q.several {
		t.Errorf("let others run %d times, want once for the request after the group", yields)
	}
	if want := [][]int{{1}, {2, 3}, {4}, {5}}; !slices.EqualFunc(calls, want, slices.Equal[[]int]) {
		t.Errorf("calls of %v, want %v", calls, want)
	}
}

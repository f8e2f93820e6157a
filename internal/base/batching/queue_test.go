package batching_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/batching"
)

// recorder carries out numbers: it holds the first call up until it is released.
type recorder struct {
	mu      sync.Mutex
	calls   [][]int
	began   chan struct{}
	release chan struct{}
}

func newRecorder() *recorder {
	return &recorder{began: make(chan struct{}), release: make(chan struct{})}
}

func (r *recorder) run(list []int) {
	r.mu.Lock()
	first := len(r.calls) == 0
	r.calls = append(r.calls, list)
	r.mu.Unlock()
	if first {
		close(r.began)
		<-r.release
	}
	if len(list) > 1 && slices.Contains(list, -1) {
		panic("-1 is not alone")
	}
}

// all runs numbers at a time after the first one has begun, and returns the calls, each sorted: the
// others come while it runs.
func (r *recorder) all(t *testing.T, q *batching.Queue[int], numbers []int) [][]int {
	t.Helper()
	var group sync.WaitGroup
	group.Go(func() { q.Do(0) })
	<-r.began
	for _, n := range numbers {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					q.Do(100 + n)
				}
			}()
			q.Do(n)
		})
	}
	for q.Waiting() < len(numbers) {
		runtime.Gosched()
	}
	close(r.release)
	group.Wait()
	for _, c := range r.calls {
		slices.Sort(c)
	}
	return r.calls
}

func TestQueue_CarriesOutTogetherWhatWaits(t *testing.T) {
	t.Parallel()
	r := newRecorder()
	calls := r.all(t, batching.New(1, 3, r.run), []int{1, 2, 3, 4, 5, 6, 7})
	if len(calls) != 4 || len(calls[1]) != 3 || len(calls[2]) != 3 || len(calls[3]) != 1 {
		t.Errorf("calls of %v, want one alone and then three, three and one", calls)
	}
	all := slices.Concat(calls...)
	slices.Sort(all)
	if !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("carried out %v, want each number once", all)
	}
}

func TestQueue_APanicIsThatOfOneCaller(t *testing.T) {
	t.Parallel()
	r := newRecorder()
	calls := r.all(t, batching.New(1, 8, r.run), []int{-1, 2, 3})
	alone := 0
	for _, c := range calls[2:] {
		alone += len(c)
	}
	// The one that ran all three says so with 100 more, the two others are carried out by themselves.
	if len(calls[1]) != 3 || len(calls) != 5 || alone != 3 {
		t.Errorf("calls of %v, want all three, and then each alone", calls)
	}
	q := batching.New(1, 8, r.run)
	q.Do(9)
	if n := len(r.calls); !slices.Equal(r.calls[n-1], []int{9}) {
		t.Errorf("calls of %v, want a last one of 9", r.calls)
	}
}

// Requests that were taken out of those that wait are not held any longer, and what they hold can be freed.
func TestQueue_HoldsNothing(t *testing.T) {
	t.Parallel()
	r := newRecorder()
	q := batching.New(1, 3, r.run)
	r.all(t, q, []int{1, 2, 3, 4, 5})
	for i, x := range q.Held() {
		if x {
			t.Errorf("place %d of those that wait holds a request", i)
		}
	}
}

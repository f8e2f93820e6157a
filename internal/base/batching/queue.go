// Package batching carries out requests together that come while others run: where most of the cost is the same for one
// and for several, such as reading a large table from memory, each then has to bear a share of it only.
package batching

import (
	"runtime"
	"slices"
	"sync"
)

// Queue carries out requests. One that finds a free place is carried out at once, with those that are about to come if
// requests lately came together; those that come while all places are taken wait, and are carried out together when one
// becomes free. It is safe for concurrent use.
type Queue[R any] struct {
	run  func([]R)
	most int
	// yield lets others run; see [Queue.gather].
	yield func()

	mu      sync.Mutex
	free    int // places for groups
	waiting []*request[R]
	several bool // the last group was of several requests
}

// request is a request under way.
type request[R any] struct {
	value R
	// turn gets the requests to carry out, this one first; nil: another caller has carried this one out, unless it panicked.
	turn chan []*request[R]
	done bool
}

// New returns a Queue that has run carry out at most most requests together, and at most places times at a time.
func New[R any](places, most int, run func([]R)) *Queue[R] {
	return &Queue[R]{run: run, most: max(1, most), free: max(1, places), yield: runtime.Gosched}
}

// Do returns when a request was carried out. If that panics, it panics for the caller who ran it; the others run theirs by
// themselves.
func (q *Queue[R]) Do(value R) {
	r := &request[R]{value: value, turn: make(chan []*request[R], 1)}
	group, together := q.begin(r)
	switch {
	case group == nil:
		group = <-r.turn
	case together:
		group = q.gather(group)
	}
	switch {
	case group != nil:
		q.carryOut(group)
	case !r.done:
		q.run([]R{value})
	}
}

// begin takes a place for a request, and returns it as a group, and whether others may come together with it; nil: it has
// to wait.
func (q *Queue[R]) begin(r *request[R]) (group []*request[R], together bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free == 0 {
		q.waiting = append(q.waiting, r)
		return nil, false
	}
	q.free--
	return []*request[R]{r}, q.several
}

// gather returns a group that has a place, and the requests that come as long as others run first: callers that were let go
// together come one after the other, and the first would be carried out by itself. Where nothing else can run, it costs
// less than a microsecond; where all processors are busy with other work, it waits for some of that, up to tens of
// milliseconds, which is why only requests of which the last ones came together do.
func (q *Queue[R]) gather(group []*request[R]) []*request[R] {
	for before, n := -1, 0; n > before && n < q.most-1; {
		before = n
		q.yield()
		n = q.count()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	group = append(group, q.take(q.most-1)...)
	q.several = len(group) > 1
	return group
}

// count is the number of requests that wait.
func (q *Queue[R]) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// take removes up to n requests of those that wait.
func (q *Queue[R]) take(n int) []*request[R] {
	n = min(len(q.waiting), n)
	out := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n) // clears what it leaves
	return out
}

// carryOut carries out requests, the first of which is that of the caller.
func (q *Queue[R]) carryOut(group []*request[R]) {
	defer q.end(group)
	all := make([]R, len(group))
	for i, r := range group {
		all[i] = r.value
	}
	q.run(all)
	for _, r := range group {
		r.done = true
	}
}

// end lets the others of a group go on, and those that wait begin.
func (q *Queue[R]) end(group []*request[R]) {
	for _, r := range group[1:] {
		r.turn <- nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.free++
		return
	}
	next := q.take(q.most)
	q.several = len(next) > 1
	next[0].turn <- next
}

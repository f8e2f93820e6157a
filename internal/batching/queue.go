// Package batching carries out requests together that come while others run: where most of the cost is the same for one
// and for several, such as reading a large table from memory, each then has to bear a share of it only.
package batching

import (
	"runtime"
	"slices"
	"sync"
)

// Queue carries out requests. One that finds a free place is carried out at once, with those that are about to come; those
// that come while all places are taken wait, and are carried out together when one becomes free. It is safe for
// concurrent use.
type Queue[R any] struct {
	run  func([]R)
	most int

	mu      sync.Mutex
	free    int // places for groups
	waiting []*request[R]
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
	return &Queue[R]{run: run, most: max(1, most), free: max(1, places)}
}

// Do returns when a request was carried out. If that panics, it panics for the caller who ran it; the others run theirs by
// themselves.
func (q *Queue[R]) Do(value R) {
	r := &request[R]{value: value, turn: make(chan []*request[R], 1)}
	var group []*request[R]
	if q.begin(r) {
		group = q.gather(r)
	} else {
		group = <-r.turn
	}
	switch {
	case group != nil:
		q.carryOut(group)
	case !r.done:
		q.run([]R{value})
	}
}

// begin takes a place for a request, or has it wait.
func (q *Queue[R]) begin(r *request[R]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free == 0 {
		q.waiting = append(q.waiting, r)
		return false
	}
	q.free--
	return true
}

// gather returns a request that has a place, and those that come as long as others run first: callers that were let go
// together come one after the other, and the first would be carried out by itself. Where nothing else can run, it costs
// less than a microsecond.
func (q *Queue[R]) gather(r *request[R]) []*request[R] {
	for before, n := -1, 0; n > before && n < q.most-1; {
		before = n
		runtime.Gosched()
		n = q.count()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]*request[R]{r}, q.take(q.most-1)...)
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
	next[0].turn <- next
}

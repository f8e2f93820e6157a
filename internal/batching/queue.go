// Package batching carries out requests together that come while others run: where most of the cost is the same for one
// and for several, such as reading a large table from memory, each then has to bear a share of it only.
package batching

import (
	"slices"
	"sync"
)

// Queue carries out requests. One that finds a free place is carried out at once, by itself; those that come while
// all places are taken wait, and are carried out together when one becomes free. It is safe for concurrent use.
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
	group := q.begin(r)
	if group == nil {
		group = <-r.turn
	}
	switch {
	case group != nil:
		q.carryOut(group)
	case !r.done:
		q.run([]R{value})
	}
}

// begin returns the request if it may be carried out now, nil if it has to wait.
func (q *Queue[R]) begin(r *request[R]) []*request[R] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free == 0 {
		q.waiting = append(q.waiting, r)
		return nil
	}
	q.free--
	return []*request[R]{r}
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
	n := min(len(q.waiting), q.most)
	next := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n) // clears what it leaves
	next[0].turn <- next
}

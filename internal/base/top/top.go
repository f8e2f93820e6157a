// Package top selects the n best of many items.
package top

import "slices"

// List keeps the n best of the items that are added. It buffers more than n and now and then
// drops the worst, which is faster than a heap.
type List[T any] struct {
	n       int
	compare func(a, b T) int
	items   []T
	cut     bool // item n-1 is the worst of the n best so far; those after it came later
}

const (
	// slack is the minimum number of items in the buffer beyond n.
	slack = 16
	// usual is the largest n for which the buffer is allocated at once.
	usual = 512
)

// New returns an empty List. compare is below 0 if a is better than b, in a total order:
// what is kept does not depend on the order of what came.
func New[T any](n int, compare func(a, b T) int) *List[T] {
	l := &List[T]{n: max(n, 0), compare: compare}
	if n := l.n + max(l.n, slack); l.n <= usual {
		l.items = make([]T, 0, n)
	}
	return l
}

// Bound returns an item such that a worse one is not among the n best; nil if there is none
// yet.
func (l *List[T]) Bound() *T {
	if !l.cut {
		return nil
	}
	return &l.items[l.n-1]
}

// Add adds an item. Cost: about 20 ns.
func (l *List[T]) Add(x T) {
	if l.items = append(l.items, x); len(l.items)-l.n >= max(l.n, slack) {
		l.drop()
	}
}

// Items returns the kept items in no order; the slice is valid until the next call.
func (l *List[T]) Items() []T {
	l.drop()
	return l.items
}

// Sorted is Items, best first.
func (l *List[T]) Sorted() []T {
	l.drop()
	slices.SortFunc(l.items, l.compare)
	return l.items
}

// drop keeps n items at most.
func (l *List[T]) drop() {
	if len(l.items) <= l.n {
		return
	}
	if l.n > 0 {
		l.selectBest()
		l.cut = true
	}
	l.items = l.items[:l.n]
}

// selectBest moves the n best items to the front, the worst of them to position n-1:
// quickselect.
func (l *List[T]) selectBest() {
	from, to, at := 0, len(l.items)-1, l.n-1
	for from < to {
		pivot := l.middle(from, (from+to)/2, to)
		i, k := from, to
		for i <= k {
			for l.compare(l.items[i], pivot) < 0 {
				i++
			}
			for l.compare(pivot, l.items[k]) < 0 {
				k--
			}
			if i <= k {
				l.items[i], l.items[k] = l.items[k], l.items[i]
				i++
				k--
			}
		}
		switch {
		case at <= k:
			to = k
		case at >= i:
			from = i
		default:
			return
		}
	}
}

// middle returns the median of three items.
func (l *List[T]) middle(a, b, c int) T {
	x, y, z := l.items[a], l.items[b], l.items[c]
	if l.compare(y, x) < 0 {
		x, y = y, x
	}
	if l.compare(z, x) < 0 {
		return x
	}
	if l.compare(z, y) < 0 {
		return z
	}
	return y
}

package vector

import (
	"cmp"
	"container/heap"
	"slices"
)

// Candidate is a row and its score.
type Candidate struct {
	Row   uint32
	Score float32
}

// Top returns the k rows with the highest scores among those that keep accepts,
// best first, the lower row first among equals. keep, nil for all, is asked only
// for rows that would be among the best so far.
func Top(k int, scores []float32, keep func(row uint32) bool) []Candidate {
	if k <= 0 {
		return nil
	}
	best := worstFirst(make([]Candidate, 0, min(k, 1024)))
	for row, s := range scores {
		if len(best) == k && s <= best[0].Score {
			continue
		}
		if keep != nil && !keep(uint32(row)) {
			continue
		}
		c := Candidate{uint32(row), s}
		switch {
		case len(best) == k:
			best[0] = c
			heap.Fix(&best, 0)
		default:
			if best = append(best, c); len(best) == k {
				heap.Init(&best)
			}
		}
	}
	slices.SortFunc(best, inOrder)
	return best
}

// Search returns the k rows nearest to q by exact cosine, best first: it scans all
// rows, and looks closely at the best of those.
func (t *Table) Search(q *Code, k int, keep func(row uint32) bool) []Candidate {
	list := Top(max(4*k, 100), t.Scan(nil, q), keep)
	for i := range list {
		c := t.At(list[i].Row)
		list[i].Score = float32(Cosine(q, &c))
	}
	slices.SortFunc(list, inOrder)
	return list[:min(k, len(list))]
}

func inOrder(a, b Candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Row, b.Row))
}

// worstFirst is a heap with the worst candidate on top.
type worstFirst []Candidate

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return inOrder(h[i], h[j]) > 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *worstFirst) Push(any) { panic("vector: the heap does not grow") }

// Pop implements [heap.Interface].
func (h *worstFirst) Pop() any { panic("vector: the heap does not shrink") }

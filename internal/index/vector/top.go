package vector

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo/internal/top"
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
	best := top.New(k, inOrder)
	for row, s := range scores {
		if b := best.Bound(); b != nil && s <= b.Score {
			continue
		}
		if keep == nil || keep(uint32(row)) {
			best.Add(Candidate{uint32(row), s})
		}
	}
	return best.Sorted()
}

// Search returns the k rows nearest to q by exact cosine, best first: it scans all
// rows, and computes the exact cosine of the best of those.
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
	if a.Score != b.Score {
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Compare(a.Row, b.Row)
}

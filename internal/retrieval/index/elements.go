package index

import (
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// elementTable holds the vectors of situation elements, by their text. They are computed when
// a search first asks for situations, and live as long as the process.
type elementTable struct {
	mu    sync.Mutex
	model string
	table *vector.Table
	known map[string]uint32 // row plus 1
}

// approximate is more than the error of a scan.
const approximate = .05

// similar returns, by row, how similar each situation element is to the most similar element
// of the filter, where that exceeds what a match needs; nil if that is unknown.
func (e *elementTable) similar(q *retrieve.Situation) []float64 {
	e.mu.Lock()
	if e.table == nil || e.model != q.Model || len(q.Vectors) == 0 {
		e.mu.Unlock()
		return nil
	}
	table := *e.table // rows never change
	e.mu.Unlock()
	best := make([]float64, table.Len())
	for _, v := range q.Vectors {
		if len(v) != table.Dim() {
			return nil
		}
		code := vector.Quantize(v)
		for row, c := range table.Scan(nil, &code) {
			if c > minContext-approximate {
				at := table.At(uint32(row))
				best[row] = max(best[row], vector.Cosine(&code, &at))
			}
		}
	}
	return best
}

// rows returns the rows of the situation elements of a segment, by name, plus 1.
func (e *elementTable) rows(s *segment) []uint32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := s.elements.Load(); r != nil && r.table == e.table && r.complete {
		return r.rows
	}
	r := &elementRows{table: e.table, rows: make([]uint32, s.names.len()), complete: true}
	for _, name := range s.elementNames() {
		r.rows[name] = e.known[s.names.text(name)]
		r.complete = r.complete && r.rows[name] != 0
	}
	s.elements.Store(r)
	return r.rows
}

// elementNames returns the names that are situation elements, each once.
func (s *segment) elementNames() []uint32 {
	seen := make([]bool, s.names.len())
	var out []uint32
	for d := range s.columns.extras {
		for _, name := range s.columns.elements(&s.columns.extras[d]) {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

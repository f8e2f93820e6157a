package index

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/index/vector"
)

// moving is a space in a merge: its rows go into a new table in the order of the
// new documents.
type moving struct {
	from  *space
	old   vector.Table // as it was when the merge began
	asOf  []uint32     // likewise the rows by document
	picks []uint32     // rows of the old table, in the order of the new one
	rowOf []uint32     // by new document, see space
	table *vector.Table
	// kept: no row goes, and none moves; the table stays what it is.
	kept bool
}

// move plans where the rows go.
func (m *merger) move(s *space) *moving {
	v := &moving{from: s, old: *s.table, asOf: append([]uint32(nil), s.rowOf...), rowOf: make([]uint32, len(m.oldOf))}
	for to, d := range m.oldOf {
		if r, ok := s.row(d); ok {
			v.picks = append(v.picks, r)
			v.rowOf[to] = uint32(len(v.picks))
		}
	}
	v.kept = v.old.Whole() && inPlace(v.picks, v.old.Len())
	return v
}

// inPlace reports whether picks are all n rows in their order.
func inPlace(picks []uint32, n int) bool {
	for i, r := range picks {
		if int(r) != i {
			return false
		}
	}
	return len(picks) == n
}

// late returns moves of the spaces that came after the merge began: all of their
// rows are new.
func (m *merger) late(spaces []*space) []*moving {
	var out []*moving
	for _, s := range spaces {
		if !slices.ContainsFunc(m.spaces, func(v *moving) bool { return v.from == s }) {
			out = append(out, &moving{from: s, table: vector.New(s.model.Dimension), rowOf: make([]uint32, len(m.oldOf))})
		}
	}
	return out
}

// pick makes the new table; searches and new vectors go on meanwhile.
func (v *moving) pick() {
	if v.kept {
		v.table = v.from.table
	} else {
		v.table = vector.Pick(&v.old, v.picks)
	}
}

// frozen returns the new table as it is without what came meanwhile.
func (v *moving) frozen() *vector.Table {
	if v.kept {
		return &v.old
	}
	return v.table
}

// swap puts the new table in place, with the vectors that came meanwhile. The
// columns of x are still the old ones, m.rows the new ones.
func (v *moving) swap(x *Index, m *merger) {
	i := x.spaceIndex(v.from)
	if i < 0 {
		return // not wanted any more
	}
	s := &space{model: v.from.model, table: v.table, rowOf: v.rowOf}
	if v.kept {
		s.file = v.from.file
	}
	boundary, first := len(m.newOf), uint32(len(m.oldOf))
	for d, r := range v.from.rowOf {
		var to uint32
		if d < boundary {
			to = m.newOf[d]
			if to == gone || d < len(v.asOf) && r == v.asOf[d] {
				continue
			}
		} else {
			to = uint32(d-boundary) + first
		}
		if v.kept {
			s.point(to, r)
		} else {
			s.put(to, r, v.from.table)
		}
	}
	s.index()
	x.spaces[i] = s
}

// put gives a document a copy of a row of another table, 0 for none.
func (s *space) put(doc, row uint32, from *vector.Table) {
	if row != 0 {
		row = s.table.AppendCode(from.At(row-1)) + 1
	}
	s.point(doc, row)
}

// point gives a document a row of its own table, 0 for none.
func (s *space) point(doc, row uint32) {
	for int(doc) >= len(s.rowOf) {
		s.rowOf = append(s.rowOf, 0)
	}
	s.rowOf[doc] = row
}

// index makes docOf and have from rowOf.
func (s *space) index() {
	s.have = 0
	s.docOf = make([]uint32, s.table.Len())
	for r := range s.docOf {
		s.docOf[r] = gone
	}
	for d, r := range s.rowOf {
		if r != 0 {
			s.docOf[r-1] = uint32(d)
			s.have++
		}
	}
}

// spaceIndex returns the place of s in x.spaces, or -1.
func (x *Index) spaceIndex(s *space) int {
	for i, t := range x.spaces {
		if t == s {
			return i
		}
	}
	return -1
}

// rebase moves a space to a table over the bytes of the snapshot just written.
func (v *moving) rebase(x *Index, mapped *vector.Table, file *base) {
	for _, s := range x.spaces {
		if s.table != v.table {
			continue
		}
		for r := mapped.Len(); r < s.table.Len(); r++ {
			mapped.AppendCode(s.table.At(uint32(r)))
		}
		s.table, s.file = mapped, file
	}
}

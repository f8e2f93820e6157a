package index

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// vectors are the embeddings of the documents of a part by one model: of each document those of
// its passages, in consecutive rows. They are immutable once published.
type vectors struct {
	table vector.Table
	rowOf []uint32 // by document: its first row plus 1; 0: it has none. Nil: no document has one
	docOf []uint32 // by row
	have  docSet   // documents with a vector
	file  *mapping // keeps the mapping alive that the table lies in
}

// first returns the first row of a document.
func (v *vectors) first(doc uint32) (uint32, bool) {
	if v.rowOf == nil || v.rowOf[doc] == 0 {
		return 0, false
	}
	return v.rowOf[doc] - 1, true
}

// has reports whether a document has a vector.
func (v *vectors) has(doc uint32) bool { return v.rowOf != nil && v.rowOf[doc] != 0 }

// rows returns the rows of a document, from the first up to to, exclusive. Both are 0 if it has
// none.
func (v *vectors) rows(doc uint32) (from, to uint32) {
	from, ok := v.first(doc)
	if !ok {
		return 0, 0
	}
	for to = from + 1; int(to) < len(v.docOf) && v.docOf[to] == doc; to++ {
	}
	return from, to
}

// nearby is how many rows lie between two of a scope that are scanned in one run: to read them costs less than to begin another one.
const nearby = 4

// runs returns the rows of documents in ascending order, joined across small gaps. Nil docs means all rows. Cost: about 2 ns a document.
func (v *vectors) runs(docs docSet) []vector.Run {
	if docs == nil || v.rowOf == nil {
		return vector.AllRows(&v.table)
	}
	list := make([]vector.Run, 0, 8)
	sorted := true
	for doc := range docs.all() {
		first, to := v.rows(doc)
		if first == to {
			continue
		}
		if n := len(list); n > 0 && int(first) >= list[n-1].To && int(first) <= list[n-1].To+nearby {
			list[n-1].To = int(to)
			continue
		}
		sorted = sorted && (len(list) == 0 || int(first) >= list[len(list)-1].To)
		list = append(list, vector.Run{From: int(first), To: int(to)})
	}
	if sorted {
		return list
	}
	return joined(list)
}

// joined returns runs in their order, those with few rows between them as one.
func joined(list []vector.Run) []vector.Run {
	slices.SortFunc(list, func(a, b vector.Run) int { return cmp.Compare(a.From, b.From) })
	out := list[:1]
	for _, r := range list[1:] {
		if last := &out[len(out)-1]; r.From <= last.To+nearby {
			last.To = max(last.To, r.To)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// codes returns the vectors of a document.
func (v *vectors) codes(doc uint32) []vector.Code {
	from, to := v.rows(doc)
	out := make([]vector.Code, 0, to-from)
	for row := from; row < to; row++ {
		out = append(out, v.table.At(row))
	}
	return out
}

// with returns the vectors with some more, by document; docs is the size of the segment.
// Cost: that of copying the tables of numbers.
func (v *vectors) with(model embed.Model, docs int, list []docVector) vectors {
	out := vectors{table: v.table, file: v.file, docOf: v.docOf, rowOf: slices.Clone(v.rowOf), have: slices.Clone(v.have)}
	if out.rowOf == nil {
		out.rowOf, out.have = make([]uint32, docs), newDocSet(docs)
	}
	switch {
	case docs <= smallTable:
		out.table = *copyRows(&v.table, model.Dimension, v.table.Len()+countRows(list))
	case v.rowOf == nil:
		out.table = *vector.NewSized(model.Dimension, countRows(list))
	}
	for _, x := range list {
		out.rowOf[x.doc] = uint32(out.table.Len()) + 1
		for _, c := range x.codes {
			out.table.AppendCode(c)
			out.docOf = append(out.docOf, x.doc)
		}
		out.have.add(x.doc)
	}
	return out
}

// smallTable is the number of documents up to which a table is copied when it grows, so that
// it takes no more memory than its rows. Larger ones grow by chunks.
const smallTable = 1024

// copyRows returns a copy of a table with room for a number of rows in one piece.
func copyRows(t *vector.Table, dim, room int) *vector.Table {
	out := vector.NewSized(dim, room)
	for r := range uint32(t.Len()) {
		out.AppendCode(t.At(r))
	}
	return out
}

// docVector holds the vectors of the passages of a document, at least one.
type docVector struct {
	doc   uint32
	codes []vector.Code
}

func countRows(list []docVector) (n int) {
	for _, x := range list {
		n += len(x.codes)
	}
	return n
}

// isWhole reports whether values are those of one or more passages.
func isWhole(values []float32, dim int) bool {
	return dim > 0 && len(values) > 0 && len(values)%dim == 0
}

// index completes vectors of which docOf is known. If a document has several runs of rows, the
// last one counts: it was added later.
func (v *vectors) index(docs int) {
	v.rowOf, v.have = make([]uint32, docs), newDocSet(docs)
	for row, doc := range v.docOf {
		if row == 0 || v.docOf[row-1] != doc {
			v.rowOf[doc] = uint32(row) + 1
			v.have.add(doc)
		}
	}
}

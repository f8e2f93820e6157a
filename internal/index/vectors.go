package index

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/vector"
)

// vectors are the embeddings of the documents of a part by one model. They are immutable
// once published.
type vectors struct {
	table vector.Table
	rowOf []uint32 // by document: its row plus 1; 0: it has none. Nil: no document has one
	docOf []uint32 // by row
	have  docSet   // documents with a vector
	file  *mapping // keeps the mapping alive that the table lies in
}

// row returns the row of a document.
func (v *vectors) row(doc uint32) (uint32, bool) {
	if v.rowOf == nil || v.rowOf[doc] == 0 {
		return 0, false
	}
	return v.rowOf[doc] - 1, true
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
		out.table = *copyRows(&v.table, model.Dimension, v.table.Len()+len(list))
	case v.rowOf == nil:
		out.table = *vector.NewSized(model.Dimension, 0)
	}
	for _, x := range list {
		row := out.table.AppendCode(x.code)
		out.docOf = append(out.docOf, x.doc)
		out.rowOf[x.doc] = row + 1
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

// docVector is the vector of a document.
type docVector struct {
	doc  uint32
	code vector.Code
}

// index completes vectors of which rowOf is known.
func (v *vectors) index(docs int) {
	v.docOf, v.have = make([]uint32, v.table.Len()), newDocSet(docs)
	for d, r := range v.rowOf {
		if r != 0 {
			v.docOf[r-1] = uint32(d)
			v.have.add(uint32(d))
		}
	}
}

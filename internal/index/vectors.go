package index

import (
	"slices"

	"github.com/hippo-memory/hippo"
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
	out := vectors{table: v.table, docOf: v.docOf, rowOf: slices.Clone(v.rowOf), have: slices.Clone(v.have)}
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

// copyRows returns a copy of a table with room for so many rows in one piece.
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

// Vectors are the embeddings in an index, of memories and of situation elements.
type Vectors struct {
	*state
	upkeep   *upkeep
	elements elementTable
}

// Vector is the embedding of a memory.
type Vector struct {
	ID hippo.ID
	// Text is the [TextKey] of the memory that was embedded.
	Text   uint64
	Values []float32
}

// Embedded counts the live memories of a scope, nil for all, and those of them that have a
// vector of the model.
func (v *Vectors) Embedded(scope *hippo.Scope, model string) (have, all int) {
	s := v.current.Load()
	k := s.model(model)
	for _, p := range s.parts {
		set := p.live
		if scope != nil {
			docs, ok := p.scope(scope)
			if !ok {
				continue
			}
			set = intersection(set, docs)
		}
		all += set.count()
		if k >= 0 && p.vectors[k].have != nil {
			have += p.vectors[k].have.common(set)
		}
	}
	return have, all
}

// Keep makes the index keep vectors of one more model.
func (v *Vectors) Keep(m embed.Model) {
	v.edit(func(d *draft) {
		if d.model(m.ID) >= 0 {
			return
		}
		d.models = append(slices.Clone(d.models), m)
		for i := range d.parts {
			p := d.own(i)
			p.vectors = append(p.vectors, vectors{})
		}
	})
}

// Unembedded returns up to limit live memories without a vector of the model, by
// descending ID within segments, the newest segment first. Cost: a scan, unless there is none.
func (v *Vectors) Unembedded(model string, limit int) []hippo.ID {
	s := v.current.Load()
	k := s.model(model)
	if k < 0 {
		return nil
	}
	var out []hippo.ID
	for _, p := range slices.Backward(s.parts) {
		for d := p.docs - 1; d >= 0 && len(out) < limit; d-- {
			if _, ok := p.vectors[k].row(uint32(d)); !ok && p.live.has(uint32(d)) {
				out = append(out, p.columns.rows[d].id)
			}
		}
	}
	return out
}

// Set takes over vectors of a model and returns how many: those of memories that are
// not in the index, or have another text by now, are left out.
func (v *Vectors) Set(model string, list []Vector) (taken int) {
	codes := make([]vector.Code, len(list))
	for i := range list {
		codes[i] = vector.Quantize(list[i].Values)
	}
	v.edit(func(d *draft) {
		k := d.model(model)
		if k < 0 {
			return
		}
		byPart := make(map[int][]docVector)
		for i := range list {
			at, doc, ok := d.find(list[i].ID)
			if ok && len(list[i].Values) == d.models[k].Dimension && d.parts[at].columns.extras[doc].text == list[i].Text {
				byPart[at] = append(byPart[at], docVector{doc, codes[i]})
				taken++
			}
		}
		for at, list := range byPart {
			p := d.own(at)
			p.vectors[k] = p.vectors[k].with(d.models[k], p.docs, list)
		}
		d.changed += taken
	})
	v.upkeep.maintain()
	return taken
}

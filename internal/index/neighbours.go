package index

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index/vector"
	"github.com/hippo-memory/hippo/internal/top"
)

// Nearest returns the cosines of a memory with the n live memories of its namespace that are most
// similar to it by a model, the largest first; fewer if there are no more. A memory of several
// passages is as similar as its best one to the first passage of this one. Not ok: the memory has no
// vector of the model. Cost: a scan of the vectors, some 20 ns each.
func (v *Vectors) Nearest(model string, id hippo.ID, n int) (cosines []float64, ok bool) {
	from, ok := v.from(model, id)
	if !ok {
		return nil, false
	}
	best := top.New(n, func(a, b float64) int { return cmp.Compare(b, a) })
	var list []vector.Query
	from.others(func(_ *part, vs *vectors, _ docSet) {
		list = append(list, vector.Query{Table: &vs.table, Code: &from.code, Cosines: vs.table.Room(nil)})
	})
	v.scans.Do(list)
	from.others(func(p *part, vs *vectors, in docSet) {
		cosines := list[0].Cosines
		list = list[1:]
		for row, c := range cosines {
			if b := best.Bound(); b != nil && float64(c) <= *b {
				continue
			}
			doc := vs.docOf[row]
			if first, to := vs.rows(doc); uint32(row) == bestRow(cosines, first, to) && from.counts(p, in, doc) {
				best.Add(float64(c))
			}
		}
	})
	return slices.Clone(best.Sorted()), true
}

// Earlier returns the cosines of a memory with the n newest live memories of its namespace that were
// recorded before it, the newest first; fewer if there are no more, or they have no vector. Not ok and
// the passages are as of [Vectors.Nearest]. Cost: a pass over the rows, some 5 ns each.
func (v *Vectors) Earlier(model string, id hippo.ID, n int) (cosines []float64, ok bool) {
	from, ok := v.from(model, id)
	if !ok {
		return nil, false
	}
	newest := top.New(n, func(a, b former) int { return cmp.Or(cmp.Compare(b.created, a.created), b.id.Compare(a.id)) })
	from.others(func(p *part, vs *vectors, in docSet) {
		for doc := range uint32(p.docs) {
			r := p.stored.row(doc)
			x := former{r.created, r.id, p, vs, doc}
			if b := newest.Bound(); b != nil && r.created < b.created || !x.before(&from) || !vs.has(doc) || !from.counts(p, in, doc) {
				continue
			}
			newest.Add(x)
		}
	})
	for _, x := range newest.Sorted() {
		row, _ := x.vectors.first(x.doc)
		code := x.vectors.table.At(row)
		cosines = append(cosines, vector.Cosine(&from.code, &code))
	}
	return cosines, true
}

// centre is a memory whose neighbours are asked for.
type centre struct {
	*snapshot
	model     int
	part      *part
	doc       uint32
	code      vector.Code
	namespace string
}

// former is a memory that may have been recorded before another one.
type former struct {
	created int64
	id      hippo.ID
	part    *part
	vectors *vectors
	doc     uint32
}

// before orders memories as they were recorded: by time, those of one time by ID.
func (x *former) before(o *centre) bool {
	r := o.part.stored.row(o.doc)
	return cmp.Or(cmp.Compare(x.created, r.created), x.id.Compare(r.id)) < 0
}

// from returns the memory itself that a memory is; not ok if it has no vector of the model.
func (v *Vectors) from(model string, id hippo.ID) (o centre, ok bool) {
	s := v.current.Load()
	k := s.model(model)
	at, doc, ok := s.find(id)
	if k < 0 || !ok {
		return o, false
	}
	p := s.parts[at]
	row, ok := p.vectors[k].first(doc)
	if !ok {
		return o, false
	}
	return centre{s, k, p, doc, p.vectors[k].table.At(row), p.names.text(p.columns.rows[doc].namespace)}, true
}

// others calls fn for each part that has documents of the namespace, with those; nil for all.
func (o *centre) others(fn func(p *part, vs *vectors, in docSet)) {
	scope := hippo.Scope{Namespace: o.namespace}
	for _, p := range o.parts {
		if in, ok := p.scope(&scope); ok && p.vectors[o.model].rowOf != nil {
			fn(p, &p.vectors[o.model], in)
		}
	}
}

// counts reports whether a document is live, of the namespace and not the memory itself.
func (o *centre) counts(p *part, in docSet, doc uint32) bool {
	return p.live.has(doc) && (in == nil || in.has(doc)) && (p != o.part || doc != o.doc)
}

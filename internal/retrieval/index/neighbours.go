package index

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// together is the number of memories that are compared by one scan: it reads the vectors from memory once for all of them.
const together = 8

// Nearest returns the cosines of some memories with the n live memories of their namespace that are most
// similar to them by a model, the largest first; fewer if there are no more. A memory of several
// passages is as similar as its best one to the first passage of another one. Those that have no
// vector of the model are left out. Cost: a scan of the vectors for eight, some 10 ns each for every memory.
func (v *Vectors) Nearest(model string, ids []hippo.ID, n int) map[hippo.ID][]float64 {
	out, s := make(map[hippo.ID][]float64, len(ids)), v.current.Load()
	var room [][]float32 // by query of a scan, used again
	for some := range slices.Chunk(ids, together) {
		var list []vector.Query
		centres := s.centres(model, some)
		for i := range centres {
			centres[i].others(func(_ *part, vs *vectors, in *extent) {
				if len(list) == len(room) {
					room = append(room, nil)
				}
				k := len(list)
				room[k] = vs.table.Room(room[k])
				list = append(list, vector.Query{Table: &vs.table, Code: &centres[i].code, Runs: vs.runs(in.docs), Cosines: room[k]})
			})
		}
		v.scans.Do(list)
		for i := range centres {
			o, best := &centres[i], top.New(n, func(a, b float64) int { return cmp.Compare(b, a) })
			o.others(func(p *part, vs *vectors, in *extent) {
				o.nearest(best, p, vs, in, &scan{list[0].Cosines, list[0].Runs})
				list = list[1:]
			})
			out[o.id] = slices.Clone(best.Sorted())
		}
	}
	return out
}

// nearest adds the best cosines of a part.
func (o *centre) nearest(best *top.List[float64], p *part, vs *vectors, in *extent, s *scan) {
	for _, r := range s.runs {
		for row := r.From; row < r.To; row++ {
			c := float64(s.cosines[row])
			if b := best.Bound(); b != nil && c <= *b {
				continue
			}
			doc := vs.docOf[row]
			if first, to := vs.rows(doc); uint32(row) == bestRow(s.cosines, first, to) && o.counts(p, in, doc) {
				best.Add(c)
			}
		}
	}
}

// Earlier returns the cosines of some memories with the n newest live memories of their namespace that were
// recorded before them, the newest first; fewer if there are no more, or they have no vector. Those without a vector
// and the passages are as of [Vectors.Nearest]. Cost: for each a pass over the rows, some 5 ns each.
func (v *Vectors) Earlier(model string, ids []hippo.ID, n int) map[hippo.ID][]float64 {
	out := make(map[hippo.ID][]float64, len(ids))
	for _, o := range v.current.Load().centres(model, ids) {
		out[o.id] = o.earlier(n)
	}
	return out
}

func (o *centre) earlier(n int) (cosines []float64) {
	newest := top.New(n, func(a, b former) int { return cmp.Or(cmp.Compare(b.created, a.created), b.id.Compare(a.id)) })
	o.others(func(p *part, vs *vectors, in *extent) {
		for doc := range in.all() {
			r := p.stored.row(doc)
			x := former{r.created, r.id, p, vs, doc}
			if b := newest.Bound(); b != nil && r.created < b.created || !x.before(o) || !vs.has(doc) || !o.counts(p, in, doc) {
				continue
			}
			newest.Add(x)
		}
	})
	for _, x := range newest.Sorted() {
		row, _ := x.vectors.first(x.doc)
		code := x.vectors.table.At(row)
		cosines = append(cosines, vector.Cosine(&o.code, &code))
	}
	return cosines
}

// centre is a memory whose neighbours are asked for.
type centre struct {
	*snapshot
	model     int
	id        hippo.ID
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

// centres returns those of some memories that have a vector of the model.
func (s *snapshot) centres(model string, ids []hippo.ID) (out []centre) {
	k := s.model(model)
	for _, id := range ids {
		at, doc, ok := s.find(id)
		if k < 0 || !ok {
			continue
		}
		p := s.parts[at]
		if row, ok := p.vectors[k].first(doc); ok {
			out = append(out, centre{s, k, id, p, doc, p.vectors[k].table.At(row), p.names.text(p.columns.rows[doc].namespace)})
		}
	}
	return out
}

// others calls fn for each part that has documents of the namespace, with those.
func (o *centre) others(fn func(p *part, vs *vectors, in *extent)) {
	scope := hippo.Scope{Namespace: o.namespace}
	for _, p := range o.parts {
		if in, ok := p.scope(&scope); ok && p.vectors[o.model].rowOf != nil {
			fn(p, &p.vectors[o.model], &in)
		}
	}
}

// counts reports whether a document is live, of the namespace and not the memory itself.
func (o *centre) counts(p *part, in *extent, doc uint32) bool {
	return p.live.has(doc) && in.has(doc) && (p != o.part || doc != o.doc)
}

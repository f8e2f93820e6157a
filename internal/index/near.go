package index

import (
	"cmp"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieve"
	"github.com/hippo-memory/hippo/internal/top"
)

// neighbour is a document near the query's vector. Equal cosines are ordered by ID: the order
// of documents depends on the history.
type neighbour struct {
	cosine float32
	id     hippo.ID
	part   int
	doc    uint32
}

func nearer(a, b neighbour) int {
	if a.cosine != b.cosine {
		return cmp.Compare(b.cosine, a.cosine)
	}
	return a.id.Compare(b.id)
}

// nearest finds the documents that match by their vectors.
func (f *found) nearest() {
	v := &f.query.Vector
	f.model = -1
	if v.Values == nil || strings.TrimSpace(f.query.Text) == "" {
		return
	}
	k := f.snapshot.model(v.Model)
	if k < 0 || len(v.Values) != f.snapshot.models[k].Dimension {
		return
	}
	f.model, f.code = k, vector.Quantize(v.Values)
	best := top.New(min(v.TopK, f.snapshot.docs()), nearer)
	for i := range f.parts {
		f.scan(&f.parts[i], float32(v.MinCosine), best)
	}
	for _, n := range best.Items() {
		f.parts[n.part].nearest.add(n.doc)
	}
}

// scan computes the cosines of a part, and offers those that may be among the nearest.
func (f *found) scan(p *partFound, least float32, best *top.List[neighbour]) {
	v := &p.vectors[f.model]
	p.cosines, p.nearest = v.table.Scan(p.cosines, &f.code), newDocSet(p.docs)
	if !p.possible {
		return
	}
	for row, c := range p.cosines {
		if c <= least {
			continue
		}
		if b := best.Bound(); b != nil && c < b.cosine {
			continue
		}
		doc := v.docOf[row]
		if r, ok := v.row(doc); !ok || int(r) != row || !p.admits(doc) {
			continue
		}
		best.Add(neighbour{c, p.columns.rows[doc].id, p.number, doc})
	}
}

// join adds the cosines to the matches, and the nearest documents that did not match by
// their words.
func (f *found) join() {
	if f.model < 0 {
		return
	}
	for i := range f.matches {
		m := &f.matches[i]
		p, doc := f.at(m.Doc)
		if r, ok := p.vectors[f.model].row(doc); ok {
			m.Cosine = max(0, float64(p.cosines[r]))
		}
		p.nearest.remove(doc)
	}
	for i := range f.parts {
		p := &f.parts[i]
		for doc := range p.nearest.all() {
			r, _ := p.vectors[f.model].row(doc)
			f.matches = append(f.matches, retrieve.Match{
				Doc: docIn(i, doc), Cosine: max(0, float64(p.cosines[r])), Context: p.situation.of(doc),
			})
		}
	}
}

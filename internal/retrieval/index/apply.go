package index

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// batch is a run of changes on its way into the index.
type batch struct {
	size     int             // the number of changes
	revision hippo.Revision  // of the last one
	known    []driver.Change // those of memories that are in the index
	fresh    []*hippo.Memory // those that have to be indexed
	ready    chan struct{}
	segment  *segment // of fresh, nil if there are none
	codes    []docVector
	stored   map[embed.Model]vectors
	err      error
}

// add adds a change since the snapshot s.
func (b *batch) add(s *snapshot, c driver.Change) {
	b.size++
	b.revision = c.Revision
	at, doc, ok := s.find(c.ID)
	if ok {
		b.known = append(b.known, c)
	}
	if c.Memory != nil && (!ok || !s.parts[at].unchanged(doc, c.Memory)) {
		b.fresh = append(b.fresh, c.Memory)
	}
}

// unchanged reports whether the immutable columns of a document are those of m.
func (p *part) unchanged(doc uint32, m *hippo.Memory) bool {
	r, x := &p.columns.rows[doc], &p.columns.extras[doc]
	y := extraOf(m)
	if !x.same(&y) || r.created != micros(m.CreatedAt) {
		return false
	}
	for _, n := range []struct {
		id   uint32
		name string
	}{
		{r.namespace, m.Namespace},
		{r.project, m.Project},
		{r.kind, m.Type},
		{x.author, m.Source.Author},
		{x.session, m.Source.Session},
		{p.columns.sources[doc], sourceName(&m.Source)},
	} {
		if string(p.names.at(int(n.id))) != n.name {
			return false
		}
	}
	return true
}

// keptVectors says where the vectors of a memory are that is indexed again.
type keptVectors struct {
	id  hippo.ID
	in  *part
	doc uint32
}

// add appends the part of a batch.
func (d *draft) add(b *batch, kept []keptVectors, instant embed.Embedder) {
	hidden := newDocSet(b.segment.docs)
	for i, m := range b.fresh {
		if m.Forgotten() {
			hidden.add(uint32(i))
		}
	}
	p := newPart(b.segment, hidden.complement(b.segment.docs), hidden, len(d.models))
	for k, m := range d.models {
		p.vectors[k] = b.stored[m]
		var list []docVector
		if instant != nil && m == instant.Model() {
			list = b.codes
		} else {
			list = keep(p, kept, k)
		}
		if len(list) > 0 {
			p.vectors[k] = p.vectors[k].with(m, p.docs, list)
		}
	}
	d.append(p)
}

// keep returns the vectors by model k that documents of p had before and do not have yet.
func keep(p *part, kept []keptVectors, k int) []docVector {
	var list []docVector
	for _, o := range kept {
		doc, ok := p.find(o.id)
		if ok && !p.vectors[k].has(doc) && o.in.vectors[k].has(o.doc) && p.columns.extras[doc].text == o.in.columns.extras[o.doc].text {
			list = append(list, docVector{doc, o.in.vectors[k].codes(o.doc)})
		}
	}
	slices.SortFunc(list, func(a, b docVector) int { return int(a.doc) - int(b.doc) })
	return list
}

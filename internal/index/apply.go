package index

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
)

// has reports whether a memory is indexed as it is, its mutable columns apart.
func (s *snapshot) has(m *hippo.Memory) bool {
	at, doc, ok := s.find(m.ID)
	return ok && s.parts[at].unchanged(doc, m)
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
		{r.namespace, m.Namespace}, {r.project, m.Project}, {r.kind, m.Type}, {x.author, m.Source.Author}, {x.session, m.Source.Session},
	} {
		if string(p.names.at(int(n.id))) != n.name {
			return false
		}
	}
	return true
}

// apply publishes a batch.
func (f *follower) apply(b *batch) {
	f.edit(func(d *draft) {
		// Those that are indexed again keep the vectors that are of the same text.
		var kept []keptVectors
		for _, c := range b.changes {
			at, doc, known := d.find(c.ID)
			switch {
			case !known:
			case c.Memory != nil && d.parts[at].unchanged(doc, c.Memory):
				d.update(at, doc, c.Memory)
				continue
			default:
				if c.Memory != nil {
					kept = append(kept, keptVectors{c.ID, d.parts[at], doc})
				}
				d.remove(at, doc)
			}
		}
		if b.segment != nil {
			d.add(b, kept, f.opts.Instant)
		}
		d.revision = max(d.revision, b.changes[len(b.changes)-1].Revision)
		d.mergeSmall()
	})
	f.upkeep.maintain()
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
	p := newPart(b.segment, hidden, len(d.models))
	for k, m := range d.models {
		var list []docVector
		if instant != nil && m == instant.Model() {
			for i, c := range b.codes {
				list = append(list, docVector{uint32(i), c})
			}
		} else {
			list = keep(p, kept, k)
		}
		if len(list) > 0 {
			p.vectors[k] = p.vectors[k].with(m, p.docs, list)
		}
	}
	d.append(p)
}

// keep returns the vectors by model k that documents of p had before.
func keep(p *part, kept []keptVectors, k int) []docVector {
	var list []docVector
	for _, o := range kept {
		doc, ok := p.find(o.id)
		row, has := o.in.vectors[k].row(o.doc)
		if ok && has && p.columns.extras[doc].text == o.in.columns.extras[o.doc].text {
			list = append(list, docVector{doc, o.in.vectors[k].table.At(row)})
		}
	}
	slices.SortFunc(list, func(a, b docVector) int { return int(a.doc) - int(b.doc) })
	return list
}

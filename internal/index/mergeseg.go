package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"

	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// builder writes a base, term by term.
type builder struct {
	base
	work []posting
}

// posting is a decoded posting with its new document.
type posting struct {
	doc    uint32
	counts bm25.Counts
}

// source is a segment that goes into a merge, with its terms in order.
type source struct {
	segment
	newOf []uint32 // its documents' new numbers
	order []uint32 // its terms, sorted
	ids   []uint32 // their new numbers, by old ones; gone where nothing is left
}

// mergeSegments returns a base of the live documents of both segments.
func mergeSegments(m *merger) *base {
	n := m.base.n
	sources := []*source{{segment: m.base, newOf: m.newOf[:n]}, {segment: m.frozen, newOf: m.newOf[n:]}}
	for _, s := range sources {
		s.order, s.ids = sortedTerms(s), make([]uint32, s.terms())
	}
	b := &builder{base: *emptyBase()}
	b.dictEnds, b.postEnds, b.rareEnds, b.elemEnds, b.forwardEnds = nil, nil, nil, nil, nil
	b.room(m.base, m.frozen)
	b.merge(sources[0], sources[1])
	b.documents(m, sources)
	made := b.base
	made.n = len(m.oldOf)
	made.close()
	runtime.KeepAlive(m) // the old base may be a mapping
	return &made
}

// room makes the buffers about as large as they will be.
func (b *builder) room(old *base, d *delta) {
	posts := len(old.posts)
	for _, l := range d.lists {
		posts += len(l.posts)
	}
	b.posts = make([]byte, 0, posts)
	b.dict = make([]byte, 0, len(old.dict)+8*d.terms())
	b.forward = make([]byte, 0, len(old.forward)+len(d.forward))
	for _, ends := range []*[]byte{&b.dictEnds, &b.postEnds, &b.rareEnds} {
		*ends = make([]byte, 0, 4*(old.words+d.terms()+1))
	}
}

// merge walks the sorted terms of both sources.
func (b *builder) merge(x, y *source) {
	for i, j := 0, 0; i < len(x.order) || j < len(y.order); {
		order := 0
		switch {
		case j == len(y.order):
			order = -1
		case i == len(x.order):
			order = 1
		default:
			order = bytes.Compare(x.term(x.order[i]), y.term(y.order[j]))
		}
		var term []byte
		id := uint32(b.words)
		b.work = b.work[:0]
		if order <= 0 {
			term = x.term(x.order[i])
			b.take(x, x.order[i], id)
			i++
		}
		if order >= 0 {
			term = y.term(y.order[j])
			b.take(y, y.order[j], id)
			j++
		}
		b.list(term)
	}
}

// take collects the live postings of a term.
func (b *builder) take(s *source, old, id uint32) {
	before := len(b.work)
	sorted := true
	s.postings(old).each(func(doc uint32, c bm25.Counts) {
		if to := s.newOf[doc]; to != gone {
			sorted = sorted && (len(b.work) == 0 || b.work[len(b.work)-1].doc < to)
			b.work = append(b.work, posting{to, c})
		}
	})
	s.ids[old] = id
	if len(b.work) == before {
		s.ids[old] = gone
	}
	if !sorted {
		slices.SortFunc(b.work, func(p, q posting) int { return cmp.Compare(p.doc, q.doc) })
	}
}

// list writes the collected postings of a term; one without any is left out.
func (b *builder) list(term []byte) {
	if len(b.work) == 0 {
		return
	}
	b.begin()
	b.dict = append(b.dict, term...)
	for _, p := range b.work {
		b.posts, b.rare = appendPosting(b.posts, b.rare, &b.shapes, p.doc, p.counts)
	}
	b.words++
}

// begin notes where the things of the next term begin.
func (b *base) begin() {
	b.dictEnds = appendEnd(b.dictEnds, b.dict)
	b.postEnds = appendEnd(b.postEnds, b.posts)
	b.rareEnds = appendEnd(b.rareEnds, b.rare)
}

// close notes where everything ends.
func (b *base) close() {
	b.begin()
	b.elemEnds = appendEnd(b.elemEnds, b.elems)
	b.forwardEnds = appendEnd(b.forwardEnds, b.forward)
}

func appendEnd(ends, data []byte) []byte {
	return binary.LittleEndian.AppendUint32(ends, uint32(len(data)))
}

// documents writes the situations and pieces of the new documents, in order.
func (b *builder) documents(m *merger, sources []*source) {
	var ids []uint32
	for _, d := range m.oldOf {
		s := sources[0]
		if int(d) >= m.base.n {
			s, d = sources[1], d-uint32(m.base.n)
		}
		b.forwardEnds = appendEnd(b.forwardEnds, b.forward)
		b.forward = appendPieces(b.forward, s.pieces(d))
		b.elemEnds = appendEnd(b.elemEnds, b.elems)
		for rest := s.elements(d); len(rest) > 0; {
			ids, rest = nextElement(ids, rest)
			for i, id := range ids {
				ids[i] = gone // what a damaged snapshot may say
				if int(id) < len(s.ids) {
					ids[i] = s.ids[id]
				}
			}
			slices.Sort(ids)
			b.elems = appendElement(b.elems, ids)
		}
	}
}

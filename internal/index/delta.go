package index

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// wordless begins the term that stands for a situation element without any
// word, "!!!" or the like; the element follows, lower-cased. No analyzer makes
// such a term, so no query text finds it.
const wordless = '\x01'

// delta is the segment that grows: documents that the base does not have yet.
type delta struct {
	ids    map[string]uint32
	names  []string // the terms
	lists  []grown
	shapes shapes
	elems  []byte
	ends   []uint32 // of the documents in elems

	forward     []byte // the pieces of the texts
	forwardEnds []uint32

	// The document that is being added.
	counts []bm25.Counts // by term
	seen   []uint32      // terms with counts
	length bm25.Counts
	field  bm25.Field
	elem   []uint32
	emit   func([]byte)
}

// grown is a list that is appended to.
type grown struct{ posts, rare []byte }

func newDelta() *delta {
	d := &delta{ids: make(map[string]uint32)}
	d.emit = d.occurs
	return d
}

func (d *delta) docs() int  { return len(d.ends) }
func (d *delta) terms() int { return len(d.names) }

func (d *delta) find(term string) (uint32, bool) {
	id, ok := d.ids[term]
	return id, ok
}

func (d *delta) term(id uint32) []byte { return []byte(d.names[id]) }

func (d *delta) postings(id uint32) list {
	return list{posts: d.lists[id].posts, rare: d.lists[id].rare, shapes: &d.shapes}
}

func (d *delta) elements(doc uint32) []byte {
	from := uint32(0)
	if doc > 0 {
		from = d.ends[doc-1]
	}
	return d.elems[from:d.ends[doc]]
}

func (d *delta) containing(part needle, f func(uint32)) {
	for id, name := range d.names {
		if name[0] != wordless && part.in(name) {
			f(uint32(id))
		}
	}
}

// add indexes the text of m, which has these pieces, as the next document
// and returns its lengths.
func (d *delta) add(a bm25.Analyzer, m *hippo.Memory, pieces []byte) bm25.Counts {
	d.length, d.seen = bm25.Counts{}, d.seen[:0]
	d.field = bm25.Content
	a.Terms(m.Content, d.emit)
	d.field = bm25.Tags
	for _, t := range m.Tags {
		a.Terms(t, d.emit)
	}
	d.field = bm25.Situation
	for _, s := range m.Situation {
		d.elem = d.elem[:0]
		a.Terms(s, d.emit)
		if len(d.elem) == 0 {
			d.occurs(wordlessTerm(s))
			d.length[bm25.Situation]--
		}
		slices.Sort(d.elem)
		d.elem = slices.Compact(d.elem)
		d.elems = appendElement(d.elems, d.elem)
	}
	doc := uint32(len(d.ends))
	d.ends = append(d.ends, uint32(len(d.elems)))
	d.forward = appendPieces(d.forward, pieces)
	d.forwardEnds = append(d.forwardEnds, uint32(len(d.forward)))
	for _, id := range d.seen {
		l := &d.lists[id]
		l.posts, l.rare = appendPosting(l.posts, l.rare, &d.shapes, doc, d.counts[id])
		d.counts[id] = bm25.Counts{}
	}
	return d.length
}

// occurs counts one occurrence of a term in the current field.
func (d *delta) occurs(term []byte) {
	id, ok := d.ids[string(term)]
	if !ok {
		name := string(term)
		id = uint32(len(d.names))
		d.ids[name] = id
		d.names = append(d.names, name)
		d.lists = append(d.lists, grown{})
		d.counts = append(d.counts, bm25.Counts{})
	}
	c := &d.counts[id]
	if *c == (bm25.Counts{}) {
		d.seen = append(d.seen, id)
	}
	c[d.field]++
	d.length[d.field]++
	if d.field == bm25.Situation {
		d.elem = append(d.elem, id)
	}
}

// wordlessTerm is the term of a situation element in which the analyzer finds none.
func wordlessTerm(element string) []byte {
	return append([]byte{wordless}, strings.ToLower(element)...)
}

// sortedTerms returns the numbers of all terms, by term.
func sortedTerms(s segment) []uint32 {
	ids := make([]uint32, s.terms())
	for i := range ids {
		ids[i] = uint32(i)
	}
	if _, ok := s.(*base); !ok {
		slices.SortFunc(ids, func(a, b uint32) int { return bytes.Compare(s.term(a), s.term(b)) })
	}
	return ids
}

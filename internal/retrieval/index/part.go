package index

import (
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// part is a segment and its mutable columns as of one snapshot. It is immutable once
// published; a [draft] changes copies.
type part struct {
	*segment
	// live are the documents that can be found, hidden the forgotten ones. Documents in
	// neither are deleted.
	live, hidden docSet
	// archived counts the rows of archived documents, deleted ones included.
	archived int
	// bounded: the validity of some document has a bound.
	bounded bool
	// stored are the mutable columns as the store has them, shown the same with the accesses
	// that are counted but not stored yet.
	stored, shown rowTable
	// vectors are those of the models, in the order of [snapshot.models].
	vectors []vectors
	totals  []docStats // of the live documents, by the number of their project
}

// docStats are statistics of some documents: of all of them, and of those that are neither entities nor summaries.
type docStats struct{ all, insights bm25.Stats }

// scope returns the documents of a scope, or false if the part has none of its namespace.
func (p *part) scope(s *hippo.Scope) (extent, bool) {
	namespace, known := p.names.find(s.Namespace)
	i, ok := p.tenant(namespace)
	if !known || !ok {
		return extent{}, false
	}
	t := p.tenants[i]
	if s.Projects == nil {
		return docsOf(p.segment, t, t.projects), true
	}
	return docsOf(p.segment, t, among(p.segment, t.projects, s.Projects)), true
}

// known reports whether a document is a memory that exists, perhaps a forgotten one.
func (p *part) known(d uint32) bool { return p.live.has(d) || p.hidden.has(d) }

// anyKnown reports whether a range has a memory that exists.
func (p *part) anyKnown(in docRange) bool {
	for d := in.from; d < in.to; d++ {
		if p.known(d) {
			return true
		}
	}
	return false
}

// newPart returns a part of a segment with no changed rows and no vectors, and counts the live
// documents of its projects.
func newPart(s *segment, live, hidden docSet, models int) *part {
	p := &part{segment: s, live: live, hidden: hidden, vectors: make([]vectors, models)}
	p.stored = newRowTable(&s.columns)
	p.shown = p.stored
	for _, t := range s.tenants {
		for _, x := range t.projects {
			p.totals = append(p.totals, docStats{})
			for d := x.from; d < x.to; d++ {
				if live.has(d) {
					p.addTo(&p.totals[x.number], d, 1)
				}
			}
		}
	}
	for i := range s.columns.rows {
		p.archived += s.columns.rows[i].archived()
		p.bounded = p.bounded || s.columns.rows[i].flags&flagBounded != 0
	}
	return p
}

// addTo adds a document to statistics, or with sign -1 takes it out.
func (p *part) addTo(s *docStats, doc uint32, sign int) {
	p.addDoc(&s.all, doc, sign)
	if insights := insightsOf(p.segment); insights == nil || insights.has(doc) {
		p.addDoc(&s.insights, doc, sign)
	}
}

func (p *part) addDoc(s *bm25.Stats, doc uint32, sign int) {
	s.Docs += sign
	o := p.columns.other[doc]
	for f, n := range (bm25.Counts{p.columns.content[doc], o[0], o[1]}) {
		s.Length[f] += uint64(sign * int(n)) // wraps around to a subtraction
	}
}

// updateStats adds a document that becomes live to the statistics of its project, or with sign -1 takes out one that
// no longer is.
func (p *part) updateStats(doc uint32, sign int) { p.addTo(&p.totals[p.project(doc)], doc, sign) }

// archived is 1 for the row of an archived document, else 0.
func (r *row) archived() int {
	if r.flags&flagArchived != 0 {
		return 1
	}
	return 0
}

// clone returns a copy that may be changed; rows are copied when they change.
func (p *part) clone() *part {
	c := *p
	c.live, c.hidden = slices.Clone(p.live), slices.Clone(p.hidden)
	c.stored.chunks, c.shown.chunks = slices.Clone(p.stored.chunks), slices.Clone(p.shown.chunks)
	c.vectors, c.totals = slices.Clone(p.vectors), slices.Clone(p.totals)
	return &c
}

// deleted counts the documents that are neither live nor hidden.
func (p *part) deleted() int { return p.docs - p.live.count() - p.hidden.count() }

// successor returns what supersedes a document, the zero ID if nothing does.
func (p *part) successor(doc uint32) hippo.ID {
	if p.shown.row(doc).flags&flagSuperseded == 0 {
		return hippo.ID{}
	}
	return p.shown.successor(doc)
}

// chunkRows is the number of rows that are copied when one of them changes.
const chunkRows = 16

// rowTable holds the rows of a segment: those of the segment itself, and copies of the chunks
// in which a row has changed.
type rowTable struct {
	columns *columns
	chunks  []*rowChunk // by number of the row / chunkRows; nil: unchanged
}

// rowChunk is a copy of some consecutive rows with what belongs to them. It is immutable once
// published.
type rowChunk struct {
	rows       []row
	uses       []use
	successors []successor
}

func newRowTable(c *columns) rowTable {
	return rowTable{columns: c, chunks: make([]*rowChunk, (len(c.rows)+chunkRows-1)/chunkRows)}
}

// row returns a row; the caller must not change it.
func (t *rowTable) row(doc uint32) *row {
	if c := t.chunks[doc/chunkRows]; c != nil {
		return &c.rows[doc%chunkRows]
	}
	return &t.columns.rows[doc]
}

// uses returns the accesses of a document, ascending by day.
func (t *rowTable) uses(doc uint32) []use {
	r, all := t.row(doc), t.columns.uses
	if c := t.chunks[doc/chunkRows]; c != nil {
		all = c.uses
	}
	return all[r.uses.first:][:r.uses.count]
}

// successor returns what supersedes a document that has a successor.
func (t *rowTable) successor(doc uint32) hippo.ID {
	list := t.columns.successors
	if c := t.chunks[doc/chunkRows]; c != nil {
		list = c.successors
	}
	i, ok := slices.BinarySearchFunc(list, doc, func(s successor, doc uint32) int { return int(s.doc) - int(doc) })
	if !ok {
		return hippo.ID{}
	}
	return list[i].id
}

// superseded yields the documents that have a successor, with that.
func (t *rowTable) superseded() iter.Seq[successor] {
	return func(yield func(successor) bool) {
		for _, s := range t.columns.successors {
			if t.chunks[s.doc/chunkRows] == nil && !yield(s) {
				return
			}
		}
		for _, c := range t.chunks {
			if c == nil {
				continue
			}
			for _, s := range c.successors {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// copyChunk returns a copy of the chunk of a document, whose accesses lie packed.
func (t *rowTable) copyChunk(doc uint32) *rowChunk {
	from := doc / chunkRows * chunkRows
	to := min(from+chunkRows, uint32(len(t.columns.rows)))
	c := &rowChunk{rows: make([]row, 0, to-from)}
	for d := from; d < to; d++ {
		r, list := *t.row(d), t.uses(d)
		r.uses = useListOf(len(c.uses), list)
		c.rows, c.uses = append(c.rows, r), append(c.uses, list...)
		if r.flags&flagSuperseded != 0 {
			c.successors = append(c.successors, successor{d, t.successor(d)})
		}
	}
	return c
}

// set replaces a row, its accesses and its successor; the zero ID: none.
func (c *rowChunk) set(doc uint32, r row, uses []use, by hippo.ID) {
	r.uses = useListOf(len(c.uses), uses)
	c.uses = append(c.uses, uses...)
	c.rows[doc%chunkRows] = r
	i, ok := slices.BinarySearchFunc(c.successors, doc, func(s successor, doc uint32) int { return int(s.doc) - int(doc) })
	switch {
	case ok && by.IsZero():
		c.successors = slices.Delete(c.successors, i, i+1)
	case ok:
		c.successors[i].id = by
	case !by.IsZero():
		c.successors = slices.Insert(c.successors, i, successor{doc, by})
	}
}

// setUses replaces the accesses of a document.
func (c *rowChunk) setUses(doc uint32, list []use) {
	r := &c.rows[doc%chunkRows]
	r.uses = useListOf(len(c.uses), list)
	c.uses = append(c.uses, list...)
}

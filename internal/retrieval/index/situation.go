package index

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

const (
	// minContext is what the context of a match must exceed, partialContext the bound of
	// a match that is not exact. Source: the Hippo design of 2025; docs/ranking.md.
	minContext     = .4
	partialContext = .9
)

// situationFilter are the documents of a part that fit the situation filter.
type situationFilter struct {
	on       bool      // there is a filter
	required bool      // what does not fit is left out, else it has a low context
	docs     docSet    // those that fit
	first    uint32    // document of the namespace
	context  []float64 // by document from first on; at most [minContext] for those that do not fit
}

// of returns the context of a document; 1 if there is no filter.
func (t *situationFilter) of(doc uint32) float64 {
	if !t.on {
		return 1
	}
	return t.context[doc-t.first]
}

// element is one element of a situation filter.
type element struct {
	terms []string // distinct, sorted
	ids   []uint32 // those that the segment at hand has, ascending
}

// situation finds the documents that fit the situation filter of the query, if it has one.
func (f *found) situation() {
	elements := f.pool.analyse(f.query.Situation.Elements)
	similar := f.pool.elements.similar(&f.query.Situation)
	for i := range f.parts {
		p := &f.parts[i]
		p.situation.on = len(elements) > 0
		p.situation.required = p.situation.on && !f.query.Situation.Prefer
		if !p.situation.on || !p.visited(f.query) {
			continue
		}
		p.situation.lexical(p, elements)
		if similar != nil {
			p.situation.semantic(p, f.pool.elements.rows(p.segment), similar)
		}
	}
}

// analyse returns the elements of a situation filter.
func (s *searchPool) analyse(elements []string) []element {
	out := make([]element, len(elements))
	for i, e := range elements {
		s.opts.Analyzer.Terms(e, func(b []byte) {
			out[i].terms = append(out[i].terms, string(b))
		})
		if len(out[i].terms) == 0 {
			out[i].terms = []string{string(wordlessTerm(e))}
		}
		slices.Sort(out[i].terms)
		out[i].terms = slices.Compact(out[i].terms)
	}
	return out
}

// lexical finds the documents that fit by their terms.
func (t *situationFilter) lexical(p *partFound, filter []element) {
	s, in := p.segment, p.scope.hull()
	t.docs, t.first, t.context = newDocSet(s.docs), in.from, make([]float64, in.to-in.from)
	for i := range filter {
		e := &filter[i]
		e.ids = e.ids[:0]
		for _, term := range e.terms {
			if id, ok := s.lexicon.find(term); ok {
				e.ids = append(e.ids, id)
			}
		}
		slices.Sort(e.ids)
		for _, id := range e.ids {
			t.mark(p.postings(id))
		}
	}
	var ids []uint32
	for i, w := range t.docs {
		for ; w != 0; w &= w - 1 {
			doc, best := uint32(i*64+bits.TrailingZeros64(w)), 0.0
			for rest := s.situations.at(int(doc)); len(rest) > 0; {
				ids, rest = nextElement(ids, rest)
				for k := range filter {
					best = max(best, filter[k].match(ids))
				}
			}
			if t.context[doc-t.first] = best; best <= minContext {
				t.docs.remove(doc)
			}
		}
	}
}

// mark adds the documents that have a term in their situation.
func (t *situationFilter) mark(l list) {
	rare := l.rare
	for b := l.posts; len(b) >= postSize; b = b[postSize:] {
		code := byte(binary.LittleEndian.Uint32(b))
		c := l.shapes.counts[code]
		if code == 0 {
			c, rare = rareCounts(rare), rare[rareSize:]
		}
		if c[bm25.Situation] > 0 {
			t.docs.add(docOf(b))
		}
	}
}

// match compares a filter element with the terms of a situation element; see
// [retrieve.Match.Context].
func (e *element) match(ids []uint32) float64 {
	common := 0
	for i, j := 0, 0; i < len(e.ids) && j < len(ids); {
		switch a, b := e.ids[i], ids[j]; {
		case a < b:
			i++
		case a > b:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	if common == 0 {
		return 0
	}
	if common == len(e.terms) && common == len(ids) {
		return 1
	}
	return partialContext * float64(common) / float64(min(len(e.terms), len(ids)))
}

// semantic adds the documents whose situation is similar by vectors. rows are the rows of the
// situation elements, by name, similar what each row is worth.
func (t *situationFilter) semantic(p *partFound, rows []uint32, similar []float64) {
	for doc := range p.scope.all() {
		best := 0.0
		for _, name := range p.columns.elements(&p.columns.extras[doc]) {
			if r := rows[name]; r != 0 && int(r) <= len(similar) {
				best = max(best, min(similar[r-1], partialContext))
			}
		}
		if t.docs.has(doc) {
			best = max(best, t.of(doc))
		}
		if best > minContext {
			t.docs.add(doc)
			t.context[doc-t.first] = best
		}
	}
}

package index

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/hippo-memory/hippo/internal/index/bm25"
)

const (
	// minContext is what the context of a match must exceed, partContext the
	// bound of a match that is not exact. Source: the Hippo design of 2025;
	// docs/ranking.md.
	minContext  = .4
	partContext = .9
)

// situation is one element of a situation filter.
type situation struct {
	terms []string // distinct
	ids   []uint32 // those that the segment at hand has, ascending
}

// situations analyses the elements of a situation filter.
func (s *scratch) situations(elements []string) []situation {
	s.filtered = len(elements) > 0
	out := make([]situation, len(elements))
	for i, e := range elements {
		s.x.analyzer.Terms(e, func(b []byte) {
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

// fitting are the documents of a segment that fit the situation filter.
type fitting struct {
	docs    docSet
	context []float64 // by document, valid for those in docs
}

// contexts finds the documents of a segment that fit the situation filter.
func (s *scratch) contexts(p part, k int, filter []situation) {
	n, fit := p.docs(), &s.fits[k]
	fit.docs.reset(n)
	if cap(fit.context) < n {
		fit.context = make([]float64, n)
	}
	fit.context = fit.context[:n]
	for i := range filter {
		f := &filter[i]
		f.ids = f.ids[:0]
		for _, t := range f.terms {
			if id, ok := p.find(t); ok {
				f.ids = append(f.ids, id)
			}
		}
		slices.Sort(f.ids)
		for _, id := range f.ids {
			fit.mark(p, id)
		}
	}
	for i, w := range fit.docs {
		for ; w != 0; w &= w - 1 {
			bit := bits.TrailingZeros64(w)
			doc := uint32(i*64 + bit)
			if c := s.best(filter, p.elements(doc)); c > minContext {
				fit.context[doc] = c
			} else {
				fit.docs[i] &^= 1 << bit
			}
		}
	}
}

// mark adds the documents that have a term in their situation.
func (f *fitting) mark(p part, id uint32) {
	l := p.postings(id)
	rare := l.rare
	for b := l.posts; len(b) >= postSize; b = b[postSize:] {
		code := byte(binary.LittleEndian.Uint32(b))
		c := l.shapes.counts[code]
		if code == 0 {
			c, rare = rareCounts(rare), rare[rareSize:]
		}
		if c[bm25.Situation] > 0 {
			f.docs.add(binary.LittleEndian.Uint32(b) >> 8)
		}
	}
}

// best returns the best context of any filter element with any of the elements.
func (s *scratch) best(filter []situation, elements []byte) float64 {
	best := 0.0
	for len(elements) > 0 {
		s.ids, elements = nextElement(s.ids, elements)
		for i := range filter {
			best = max(best, contextOf(&filter[i], s.ids))
		}
	}
	return best
}

// contextOf compares a filter element with the terms of a situation element.
func contextOf(f *situation, element []uint32) float64 {
	common := 0
	for i, j := 0, 0; i < len(f.ids) && j < len(element); {
		switch a, b := f.ids[i], element[j]; {
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
	if common == len(f.terms) && common == len(element) {
		return 1
	}
	return partContext * float64(common) / float64(min(len(f.terms), len(element)))
}

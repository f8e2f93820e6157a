package index

import (
	"math"

	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// Rarity returns the idf of a word: of the rarest of its terms, as if at least one
// memory had it; 0 if it has no term. It is asked after a search.
func (v *View) Rarity(word string) float64 {
	x, least := v.x, math.MaxInt
	x.analyzer.Terms(word, func(term []byte) {
		df := 0
		for _, p := range x.parts() {
			if id, ok := p.find(string(term)); ok {
				df += v.last.alive(p.postings(id), p.first)
			}
		}
		least = min(least, df)
	})
	if least == math.MaxInt {
		return 0
	}
	n := x.rows.live.Docs
	return bm25.IDF(n, min(max(least, 1), n))
}

// Length returns the number of terms of a document's content.
func (v *View) Length(doc uint32) int { return int(v.x.rows.content[doc]) }

// MeanLength is the mean of Length over the live documents.
func (v *View) MeanLength() float64 { return v.x.rows.meanLength() }

func (r *rows) meanLength() float64 {
	return float64(r.live.Length[bm25.Content]) / float64(max(r.live.Docs, 1))
}

// Author returns who wrote a document, "" if that is unknown.
func (v *View) Author(doc uint32) string { return v.x.rows.names.list[v.x.rows.cold[doc].author] }

// Admits reports whether a document is live and passes the filters of the latest
// search, whether it matches or not.
func (v *View) Admits(doc uint32) bool {
	s := v.last
	if !v.possible || v.x.rows.dead.has(doc) || !s.keep.all && !s.keep.keeps(v.x.rows, doc) {
		return false
	}
	return !s.filtered || s.fitsAt(v.x.parts(), doc)
}

// Context is [Match.Context] of a document that the latest search admits.
func (v *View) Context(doc uint32) float64 {
	if !v.last.filtered {
		return 1
	}
	k, local := locate(v.x.parts(), doc)
	return v.last.fits[k].context[local]
}

// Text is [TextOf] the memory that the index knows.
func (v *View) Text(doc uint32) uint64 { return v.x.rows.cold[doc].text }

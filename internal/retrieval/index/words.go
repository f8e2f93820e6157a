package index

import (
	"math"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// vocabulary implements [retrieve.Vocabulary] for a search.
type vocabulary struct{ *found }

// IDF implements [retrieve.Vocabulary].
func (f vocabulary) IDF(word string) float64 {
	least := math.MaxInt
	f.pool.opts.Analyzer.Terms(word, func(b []byte) { least = min(least, dictionaries(f.parts).frequency(string(b))) })
	if least == math.MaxInt {
		return 0
	}
	n := f.stats.Docs
	return bm25.IDF(n, min(max(least, 1), n))
}

// Unknown implements [retrieve.Vocabulary].
func (f vocabulary) Unknown(word string) bool {
	terms, known := 0, false
	f.pool.opts.Analyzer.Terms(word, func(b []byte) {
		terms++
		known = known || f.pool.opts.Analyzer.Stop(string(b)) || dictionaries(f.parts).frequency(string(b)) > 0
	})
	return terms > 0 && !known
}

// Misspelt implements [retrieve.Vocabulary]. Cost: see [found.expand].
func (f vocabulary) Misspelt(word string) bool {
	found := false
	f.pool.opts.Analyzer.Terms(word, func(b []byte) {
		limit := maxEdits(utf8.RuneCount(b))
		if found || limit == 0 {
			return
		}
		s := newSpeller(b, limit)
		for i := range f.parts {
			p := &f.parts[i]
			for id := range p.near(s) {
				found = found || p.frequency(p.postings(id)) > 0
			}
		}
	})
	return found
}

package index

import (
	"math"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// vocabulary implements [retrieve.Vocabulary] for a search.
type vocabulary struct{ *found }

// IDF implements [retrieve.Vocabulary].
func (f vocabulary) IDF(word string) float64 {
	least := math.MaxInt
	f.pool.opts.Analyzer.Terms(word, func(b []byte) { least = min(least, f.documentFrequency(string(b))) })
	if least == math.MaxInt {
		return 0
	}
	n := f.stats.Docs
	return bm25.IDF(n, min(max(least, 1), n))
}

// documentFrequency counts the live documents of the scope that have a term.
func (f vocabulary) documentFrequency(term string) int {
	n := 0
	for i := range f.parts {
		p := &f.parts[i]
		if p.outside {
			continue
		}
		if id, ok := p.lexicon.find(term); ok {
			n += p.frequency(p.lexicon.postings(id))
		}
	}
	return n
}

// Unknown implements [retrieve.Vocabulary].
func (f vocabulary) Unknown(word string) bool {
	terms, known := 0, false
	f.pool.opts.Analyzer.Terms(word, func(b []byte) {
		terms++
		known = known || f.pool.opts.Analyzer.Stop(string(b)) || f.documentFrequency(string(b)) > 0
	})
	return terms > 0 && !known
}

// Misspelt implements [retrieve.Vocabulary]. Cost: some 20 ns a term of the dictionaries.
func (f vocabulary) Misspelt(word string) bool {
	found, limit := false, maxEdits(utf8.RuneCountInString(word))
	f.pool.opts.Analyzer.Terms(word, func(b []byte) {
		found = found || limit > 0 && f.within(b, limit)
	})
	return found
}

// within reports whether some document of the scope has a term within an edit distance of one.
func (f vocabulary) within(term []byte, limit int) bool {
	want := []rune(string(term))
	for i := range f.parts {
		p := &f.parts[i]
		if p.outside {
			continue
		}
		for id := range p.lexicon.terms.len() {
			name := p.lexicon.terms.at(id)
			if d := len(name) - len(term); d > utf8.UTFMax*limit || d < -utf8.UTFMax*limit || name[0] == wordless {
				continue
			}
			if editDistanceWithin([]rune(string(name)), want, limit) && p.frequency(p.lexicon.postings(uint32(id))) > 0 {
				return true
			}
		}
	}
	return false
}

// maxEdits is the number of edits that make a typo in a word of this many letters.
func maxEdits(letters int) int {
	switch {
	case letters < 4:
		return 0
	case letters < 8:
		return 1
	default:
		return 2
	}
}

// editDistanceWithin reports whether the optimal string alignment distance of two words (an
// insertion, deletion, substitution or swap of neighbours counts one) is at most limit.
// Source: Damerau 1964.
func editDistanceWithin(a, b []rune, limit int) bool {
	if d := len(a) - len(b); d > limit || d < -limit {
		return false
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return false
		}
	}
	return rows[(len(a)+1)%3][len(b)] <= limit
}

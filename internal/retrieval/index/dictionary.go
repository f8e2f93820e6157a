package index

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

// term is a term of a query.
type term struct {
	text           string
	idf            float64
	lists          []list // by part
	stop, function bool
	// stems are those of the word in other languages than English.
	stems []string
	// variants stand for the term where a document lacks it.
	variants []variant
	// extra: the term adds to the score and not to the coverage; those come last.
	extra bool
}

// variant is a term that counts like another one, with a weight of at most 1.
type variant struct {
	weight float64
	lists  []list // by part
}

// addStem adds a stem of the word.
func (t *term) addStem(stem string) {
	if !slices.Contains(t.stems, stem) {
		t.stems = append(t.stems, stem)
	}
}

// dictionaries are those of the parts of a search.
type dictionaries []partFound

// lookup returns the postings of a term by part, and its document frequency.
func (d dictionaries) lookup(text string) (lists []list, df int) {
	lists = make([]list, len(d))
	for k := range d {
		p := &d[k]
		if id, ok := p.lexicon.find(text); ok && !p.outside {
			lists[k] = p.postings(id)
			df += p.frequency(lists[k])
		}
	}
	return lists, df
}

// stems makes variants of the stems of a term, and returns the document frequency of the most frequent
// one.
func (d dictionaries) stems(t *term) (df int) {
	for _, stem := range t.stems {
		if lists, n := d.lookup(stem); n > 0 {
			t.variants = append(t.variants, variant{1, lists})
			df = max(df, n)
		}
	}
	return df
}

// frequency counts the live documents of the scope that have a term.
func (d dictionaries) frequency(text string) (df int) {
	for k := range d {
		p := &d[k]
		if p.outside {
			continue
		}
		if id, ok := p.lexicon.find(text); ok {
			df += p.frequency(p.postings(id))
		}
	}
	return df
}

// frequency counts the live documents of the scope in a list.
func (p *partFound) frequency(l list) int {
	if p.whole {
		return l.len()
	}
	return l.in(p.scope.ranges, p.filter.scope)
}

// frequentLanguage is the share of the documents that a language must have for a query of no
// plausible language to be searched in it.
const frequentLanguage = .05

// languagesOf returns the languages other than English that a query may be in, of those that documents
// of the scope are in. Cost: a binary search a part if all documents are in English.
func (d dictionaries) languagesOf(query string, docs int) (set detect.Set) {
	var frequencies [detect.MaxLatin + 1]int
	for k := range d {
		x := &d[k].lexicon
		first, _ := x.find(string(language))
		for id := int(first); id < x.terms.len() && !d[k].outside; id++ {
			tag, ok := strings.CutPrefix(string(x.terms.at(id)), string(language))
			if !ok {
				break
			}
			if l := detect.Parse(tag); l <= detect.MaxLatin {
				frequencies[l] += d[k].frequency(d[k].postings(uint32(id)))
			}
		}
	}
	var frequent detect.Set
	for l, n := range frequencies {
		if n > 0 {
			set |= detect.SetOf(detect.Language(l))
		}
		if float64(n) > frequentLanguage*float64(docs) {
			frequent |= detect.SetOf(detect.Language(l))
		}
	}
	if set == 0 {
		return 0
	}
	if plausible := detect.Plausible(query); plausible != 0 {
		return set & plausible
	}
	return frequent
}

package index

import (
	"bytes"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

const (
	// minPart is the least length of a part of a compound, minRest that of what a compound has beside
	// the word that is looked for.
	minPart, minRest = 4, 3
	// partWeight is the weight of a part of a compound in the query. A compound that has the query's
	// word in it counts by the share of its letters. Chosen on the development sets.
	partWeight = .6
)

// compounding returns the languages that write compounds as one word.
func compounding() detect.Set {
	return 1<<detect.Danish | 1<<detect.Dutch | 1<<detect.Finnish | 1<<detect.German | 1<<detect.Hungarian | 1<<detect.Norwegian | 1<<detect.Swedish
}

// compounds adds variants to a term of a language that writes compounds as one word: its two parts, if
// both are terms, and terms that begin or end with it. It returns the document frequency of the most
// frequent one. Cost: a pass over the dictionaries, at about a gigabyte a second.
func (d dictionaries) compounds(t *term) (df int) {
	c, forms := make(candidates), append([]string{t.text}, t.stems...)
	for _, form := range forms {
		if len(form) < minPart || !isLetters([]byte(form)) {
			continue
		}
		for k := range d {
			if p := &d[k]; !p.outside {
				vocabularyOf(p.segment, p.scope.tenant).compoundsOf([]byte(form), c)
			}
		}
		for _, part := range d.split(form) {
			c.add([]byte(part), partWeight)
		}
	}
	for _, form := range forms {
		delete(c, form)
	}
	for _, v := range c.best() {
		if len(t.variants) >= maxVariants {
			break
		}
		if lists, n := d.lookup(v.text); n > 0 {
			t.variants = append(t.variants, variant{v.weight, lists})
			df = max(df, n)
		}
	}
	return df
}

// split returns the parts of a compound: the longest beginning that is a term, with or without letters
// that link it to the rest, which is also a term. Nil: there are none.
func (d dictionaries) split(compound string) []string {
	for i := len(compound) - minPart; i >= minPart; i-- {
		left, right := compound[:i], compound[i:]
		if d.frequency(right) == 0 {
			continue
		}
		for _, link := range []string{"", "s", "es", "n", "en", "er", "e"} {
			if l, ok := strings.CutSuffix(left, link); ok && len(l) >= minPart && d.frequency(l) > 0 {
				return []string{l, right}
			}
		}
	}
	return nil
}

// compoundsOf adds the terms that begin or end with a part and have something beside it.
func (t terms) compoundsOf(part []byte, into candidates) {
	for i := range t.len() {
		name := t.text(i)
		if len(name) >= len(part)+minRest && (bytes.HasPrefix(name, part) || bytes.HasSuffix(name, part)) && isLetters(name) {
			into.add(name, float64(len(part))/float64(len(name)))
		}
	}
}

// isLetters reports whether a term is lower-case letters of ASCII only, as folded words are.
func isLetters(term []byte) bool {
	for _, c := range term {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

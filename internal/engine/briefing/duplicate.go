package briefing

import (
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
)

const (
	// maxCosine is the cosine from which two texts count as the same statement in other words.
	maxCosine = .93
	// maxShared is the share of the words of the shorter text from which the words decide whether two texts are duplicates, and the vectors
	// do not. Texts with the same structure have similar vectors even if they name different subjects or values.
	maxShared = .5
)

// wordsOf is the set of words of the beginning of a text, in lower case.
func wordsOf(text string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsFuncSeq(strings.ToLower(beginning(text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		set[w] = true
	}
	return set
}

// duplicates are the memories that were selected, to compare others with.
type duplicates struct {
	in     *Input
	chosen []*hippo.Memory
	terms  []map[string]bool
}

// termsOf is the set of words of the beginning of a text that say what it is about.
func (d *duplicates) termsOf(text string) map[string]bool {
	if d.in.Terms == nil {
		return wordsOf(text)
	}
	return d.in.Terms(beginning(text))
}

// has reports whether a memory with these words says the same as one that was selected.
func (d *duplicates) has(m *hippo.Memory, terms map[string]bool) bool {
	for i, o := range d.chosen {
		if o.ContentHash == m.ContentHash || d.same(o, m, d.terms[i], terms) {
			return true
		}
	}
	return false
}

// same reports whether two memories say the same. If they share most words, all of them decide, else the vectors do, unless each has a
// number that the other one lacks.
func (d *duplicates) same(x, y *hippo.Memory, a, b map[string]bool) bool {
	shared := 0
	for w := range a {
		if b[w] {
			shared++
		}
	}
	if shared > 0 && float64(shared) >= maxShared*float64(min(len(a), len(b))) {
		return shared == len(a) && shared == len(b)
	}
	return d.in.Similar != nil && !numbersDiffer(a, b) && d.in.Similar(x.ID, y.ID) >= maxCosine
}

// numbersDiffer reports whether each of two texts has a number that the other one lacks.
func numbersDiffer(a, b map[string]bool) bool { return hasOther(a, b) && hasOther(b, a) }

// hasOther reports whether a has a word with a digit that b lacks.
func hasOther(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] && strings.ContainsFunc(w, unicode.IsDigit) {
			return true
		}
	}
	return false
}

func (d *duplicates) add(m *hippo.Memory, terms map[string]bool) {
	d.chosen, d.terms = append(d.chosen, m), append(d.terms, terms)
}

package briefing

import (
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
)

const (
	// maxOverlap is the share of the words of the shorter of two texts, and maxCosine the
	// cosine of their vectors, from which on they are duplicates.
	maxOverlap, maxCosine = .8, .93
	// minOverlapWords is how many words the shorter one must have to be compared by them.
	minOverlapWords = 4
)

// wordsOf is the set of words of the beginning of a text, in lower case.
func wordsOf(text string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsFuncSeq(strings.ToLower(beginning(text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		set[w] = true
	}
	return set
}

// overlap is the share of the words of the smaller of two sets that the other one has.
func overlap(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < minOverlapWords || len(b) > 2*len(a) {
		return 0
	}
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// duplicates are the memories that were selected, to compare others with.
type duplicates struct {
	similar func(a, b hippo.ID) float64
	chosen  []*hippo.Memory
	words   []map[string]bool
}

// has reports whether a memory with these words says the same as one that was selected.
func (d *duplicates) has(m *hippo.Memory, words map[string]bool) bool {
	for i, o := range d.chosen {
		if o.ContentHash == m.ContentHash || overlap(words, d.words[i]) >= maxOverlap || d.similar != nil && d.similar(o.ID, m.ID) >= maxCosine {
			return true
		}
	}
	return false
}

func (d *duplicates) add(m *hippo.Memory, words map[string]bool) {
	d.chosen, d.words = append(d.chosen, m), append(d.words, words)
}

package index

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/sound"
)

const (
	// prefixWeight is the weight of a term that the query has a prefix of, times the share of its
	// letters that the prefix has.
	prefixWeight = .8
	// minPrefix is the least number of letters of a prefix.
	minPrefix = 4
	// minSounds is the least number of sounds of a name that is looked for in other scripts, and
	// minUnlike of one that may differ by a sound. soundWeight is the weight of a name for each
	// sound, and once more, up to that of a typo.
	minSounds, minUnlike = 3, 5
	soundWeight          = .1
	// maxVariants is the number of variants of a term.
	maxVariants = 16
)

// typoWeight is the weight of a term at an edit distance of the query's.
// All weights were chosen on the development sets of docs/benchmarks.md.
func typoWeight(distance int) float64 {
	if distance <= 1 {
		return .6
	}
	return .4
}

// candidate is a term that may become a variant.
type candidate struct {
	text   string
	weight float64
}

// candidates maps terms to the weights that they count with as variants.
type candidates map[string]float64

// add adds a term, or raises its weight.
func (c candidates) add(term []byte, weight float64) { c[string(term)] = max(c[string(term)], weight) }

// best returns the terms, those of the largest weights first.
func (c candidates) best() []candidate {
	list := make([]candidate, 0, len(c))
	for text, weight := range c {
		list = append(list, candidate{text, weight})
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.text, b.text))
	})
	return list
}

// expand adds variants to a term that no document of the scope has: terms that it is a prefix of,
// that it may be a typo of, or that are the same name in another script. It returns the sum of their document frequencies.
// Cost: some 2 ns a term of the dictionaries.
func (d dictionaries) expand(t *term) (df int) {
	c := make(candidates)
	d.prefixed(t.text, c)
	d.misspelt(t.text, c)
	d.sounding(t.text, c)
	for _, v := range c.best() {
		lists, n := d.lookup(v.text)
		if n == 0 { // only documents that are deleted or outside of the scope have it
			continue
		}
		t.variants = append(t.variants, variant{v.weight, lists})
		if df += n; len(t.variants) == maxVariants {
			break
		}
	}
	return df
}

// prefixed finds the terms that a term is a prefix of.
func (d dictionaries) prefixed(text string, into candidates) {
	letters := utf8.RuneCountInString(text)
	if letters < minPrefix {
		return
	}
	for name := range d.beginning(text) {
		into.add(name, prefixWeight*float64(letters)/float64(utf8.RuneCount(name)))
	}
}

// misspelt finds the terms that a term may be a typo of. Numbers have none: another number means
// something else.
func (d dictionaries) misspelt(text string, into candidates) {
	limit := maxEdits(utf8.RuneCountInString(text))
	if limit == 0 || !strings.ContainsFunc(text, unicode.IsLetter) {
		return
	}
	s := newSpeller([]byte(text), limit)
	for i := range d {
		p := &d[i]
		for id, distance := range p.near(s) {
			into.add(p.lexicon.terms.at(int(id)), typoWeight(distance))
		}
	}
}

// sounding finds the terms of other scripts that may be the same name: those that sound alike, and of
// longer ones also those that differ by one sound.
func (d dictionaries) sounding(text string, into candidates) {
	key, script := sound.Key(text), sound.ScriptOf(text)
	if len(key) < minSounds || script == sound.Latin && !d.otherScripts() {
		return
	}
	s := newSpeller([]byte(key), 1)
	sound.Beginnings(script, key, func(beginning string) {
		for name := range d.beginning(beginning) {
			switch other := sound.Key(string(name)); {
			case other == key:
				into.add(name, min(soundWeight*float64(1+len(key)), typoWeight(1)))
			case len(key) >= minUnlike && other != "" && s.distance([]byte(other)) <= 1:
				into.add(name, typoWeight(2))
			}
		}
	})
}

// otherScripts reports whether there may be terms in Cyrillic or Arabic letters.
func (d dictionaries) otherScripts() bool {
	for range d.between("Ѐ", "\u0700") {
		return true
	}
	return false
}

// beginning yields the terms that begin with a text.
func (d dictionaries) beginning(text string) iter.Seq[[]byte] {
	return d.between(text, text+"\U0010FFFF")
}

// between yields the terms of the parts from one text until before another one.
func (d dictionaries) between(from, until string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range d {
			if d[i].outside {
				continue
			}
			t := vocabularyOf(d[i].segment, d[i].scope.tenant)
			for i := t.from(from); i < t.len(); i++ {
				name := t.text(i)
				if string(name) >= until {
					break
				}
				if !yield(name) {
					return
				}
			}
		}
	}
}

// near yields the terms of a part within the limit, and their distances.
func (p *partFound) near(s *speller) iter.Seq2[uint32, int] {
	return func(yield func(uint32, int) bool) {
		if p.outside {
			return
		}
		signs, t := p.termSignatures(), vocabularyOf(p.segment, p.scope.tenant)
		for i := range t.len() {
			id := t.at(i)
			if !s.possible(signs[id]) {
				continue
			}
			name := p.lexicon.terms.at(int(id))
			if d := s.distance(name); d <= s.limit && name[0] > ' ' && !yield(id, d) {
				return
			}
		}
	}
}

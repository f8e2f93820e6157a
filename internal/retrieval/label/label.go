// Package label names a group of texts by the words that tell it from the rest.
package label

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// shortest is the number of letters of a word of a label; one of a script without spaces is shorter.
const shortest = 3

// Term is a term that texts have, stop words apart.
type Term struct {
	// Text is the term as the analyzer made it, Word the word that stands for it: its most frequent one in lower case.
	Text, Word string
	// Texts is the number of texts that have the term.
	Texts int

	words map[string]int
	last  int // the text that it was counted in last, from 1
}

// Of returns the words of the n terms with the largest weights above 0, the largest first; equal ones by the alphabet. Words of
// several terms, such as identifiers, and those without a letter name nothing.
//
// Cost: an analysis of the texts.
func Of(a bm25.Analyzer, texts []string, n int, weight func(*Term) float64) []string {
	type candidate struct {
		word   string
		weight float64
	}
	var list []candidate
	for _, t := range termsOf(a, texts) {
		t.Word = mostFrequent(t.words)
		if w := weight(t); w > 0 {
			list = append(list, candidate{t.Word, w})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.word, b.word)) })
	var out []string
	for _, x := range list[:min(len(list), n)] {
		out = append(out, x.word)
	}
	return out
}

// termsOf returns the terms of texts by their text.
func termsOf(a bm25.Analyzer, texts []string) map[string]*Term {
	out := make(map[string]*Term)
	for i, text := range texts {
		for word := range strings.FieldsFuncSeq(text, between) {
			word = strings.ToLower(word)
			term, ok := only(a, word)
			if !ok || utf8.RuneCountInString(word) < shortest && word[0] < utf8.RuneSelf || !strings.ContainsFunc(word, unicode.IsLetter) {
				continue
			}
			t := out[term]
			if t == nil {
				t = &Term{Text: term, words: make(map[string]int)}
				out[term] = t
			}
			if t.words[word]++; t.last != i+1 {
				t.Texts, t.last = t.Texts+1, i+1
			}
		}
	}
	return out
}

// between reports whether a character separates words of a label.
func between(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }

// only returns the term of a word; not ok if it has several or none, or is a stop word.
func only(a bm25.Analyzer, word string) (term string, ok bool) {
	n := 0
	a.Terms(word, func(t []byte) {
		n++
		term = string(t)
	})
	return term, n == 1 && !a.Stop(term)
}

// mostFrequent returns the word with the largest count, the first of the alphabet among equals.
func mostFrequent(words map[string]int) (best string) {
	for w, n := range words {
		if best == "" || n > words[best] || n == words[best] && w < best {
			best = w
		}
	}
	return best
}

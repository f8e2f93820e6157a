package cue

import (
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// NamesNothing reports whether a query names no subject: it has no word but those of the lists "ask anything", as in "what did
// we do?", or none at all, as in "*". Cost: as that of [Of].
func NamesNothing(query string) bool { return Named(query, 1) == 0 }

// Named returns how many words of a query name something: those that are not in the lists "ask anything". It counts no further than
// most. Cost: as that of [Of].
func Named(query string, most int) (n int) {
	t := vocabulary()
	s := scanner{text: query}
	for n < most && s.next(t) {
		if s.role(t)&isEmpty == 0 && !emptyRun(t, query[s.word.from:s.word.to]) {
			n++
		}
	}
	return n
}

// emptyRun reports whether a word of a script without spaces consists of phrases that name no subject.
func emptyRun(t *tables, word string) bool {
	for len(word) > 0 {
		r, _ := utf8.DecodeRuneInString(word)
		if !lexicon.Unspaced(r) {
			break
		}
		n := t.emptyAt(word, r)
		if n == 0 {
			return false
		}
		word = word[n:]
	}
	return word == "" || t.words[strings.ToLower(word)]&isEmpty != 0
}

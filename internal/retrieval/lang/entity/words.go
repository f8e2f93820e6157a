package entity

import (
	_ "embed"
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

//go:embed lexicon.txt
var lexiconText string

// vocabulary is the parsed lexicon, which describes its lists.
type vocabulary struct{ common, empty, extensions, particles, statements, titles map[string]int }

// words returns the vocabulary, which must not be changed.
var words = sync.OnceValue(func() *vocabulary { //nolint:gochecknoglobals // it is parsed once and never changes
	lists := lexicon.Parse(lexiconText)
	v := &vocabulary{
		common: lists.Positions("common"), empty: lists.Positions("empty"), extensions: lists.Positions("extension"),
		particles: lists.Positions("particle"), statements: lists.Positions("statement"), titles: lists.Positions("title"),
	}
	for _, l := range lexicon.Languages() {
		for _, name := range []string{"cue time", "cue nouns"} {
			for word, n := range l.Lists.Positions(name) {
				if len(word) > 2 {
					v.empty[word] = n
				}
			}
		}
	}
	return v
})

// isCommon reports whether a lower-case English word often begins a sentence and is rarely
// part of a term.
func isCommon(w string) bool { return words().common[w] > 0 || isEmpty(w) }

// isEmpty reports whether a lower-case word is no name even with a capital: an English word, or a
// time of another language, or a German function word.
func isEmpty(w string) bool { return words().empty[w] > 0 }

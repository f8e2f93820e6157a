package when

import (
	"maps"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// tables are the languages other than English, and the words that may be part of a time in one
// of them.
type tables struct {
	// languages are built when they are needed first, in about 1 ms each.
	languages []func() *language
	// triggers has a bit for each language, by its place. They have no word of the English lexicon.
	triggers map[string]uint
	// han and kana are the languages with words in these scripts.
	han, kana uint
	// particles are the function words of the languages that have Han and no Kana.
	particles map[string]bool
}

// others returns the tables, which must not be changed.
var others = sync.OnceValue(func() *tables { //nolint:gochecknoglobals // it is built once and never changes
	t := &tables{triggers: make(map[string]uint), particles: make(map[string]bool)}
	all := lexicon.Languages()
	for i, l := range all {
		t.languages = append(t.languages, sync.OnceValue(func() *language { return newLanguage(l.Lists) }))
		eachWord(l.Lists, func(word string) {
			first := []rune(word)[0]
			switch {
			case unicode.In(first, unicode.Hiragana, unicode.Katakana):
				t.kana |= 1 << i
			case lexicon.Unspaced(first):
				t.han |= 1 << i
			case words().beginnings[word] == 0 && words().clauses[word] == 0 && words().common[word] == 0:
				t.triggers[word] |= 1 << i
			}
		})
	}
	for i, l := range all {
		if t.han&^t.kana&(1<<i) != 0 {
			maps.Copy(t.particles, set(l.Lists["COMMON"]))
		}
	}
	return t
})

// eachWord calls yield for the words with which a language is tried on a text: those of its
// patterns, the first ones of the classes with which patterns begin, and its function words.
func eachWord(lists lexicon.Lists, yield func(word string)) {
	first := make(map[string]bool) // classes
	for name, list := range lists {
		if !strings.HasPrefix(name, rulePrefix) {
			continue
		}
		for _, source := range list {
			for i, word := range lexicon.Pieces(source[0]) {
				a, b, compound := strings.Cut(word, "+")
				switch {
				case compound:
					pairs(lists[a], lists[b], func(_, _ int, word string) { yield(word) })
				case !isClass(word) && word != stop:
					yield(word)
				case i == 0:
					first[word] = true
				}
			}
		}
	}
	if first["CLOCK"] || first["HOUR"] || first["YEAR"] {
		first["NUMBER"] = true
	}
	for name, list := range lists {
		if class, _ := className(name); !first[class] && class != "COMMON" {
			continue
		}
		for word := range set(list) {
			if word != nothing && !digit(rune(word[0])) {
				yield(lexicon.Pieces(word)[0])
			}
		}
	}
}

// pairs calls yield for every word of a list followed by one of another, written as one word.
func pairs(a, b [][]string, yield func(i, j int, word string)) {
	for i, first := range a {
		for j, second := range b {
			for _, x := range first {
				for _, y := range second {
					yield(i, j, x+y)
				}
			}
		}
	}
}

// triggered returns the languages, a bit each, that a text has words of.
func (t *tables) triggered(text string) uint {
	const most = 24 // bytes of a word
	var small [most]byte
	var mask uint
	n := 0
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = text[i]
		}
		switch low := c | 0x20; {
		case low >= 'a' && low <= 'z':
			if n < most {
				small[n] = low
			}
			n++
			continue
		case c >= utf8.RuneSelf:
			return mask | t.triggeredFar(text[i-min(n, i):])
		}
		if n > 1 && n <= most {
			mask |= t.triggers[string(small[:n])]
		}
		n = 0
	}
	return mask
}

// triggeredFar is triggered for a text with characters outside of ASCII. A text with Kana is of no
// language that has only Han, and one with function words of such a language is of no other.
func (t *tables) triggeredFar(text string) uint {
	var mask uint
	kana, chinese := false, false
	for _, s := range scanForeign(text) {
		if s.text == "" {
			continue
		}
		mask |= t.triggers[s.text]
		switch r, _ := utf8.DecodeRuneInString(s.text); {
		case r < utf8.RuneSelf:
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			mask, kana = mask|t.kana, true
		case lexicon.Unspaced(r):
			mask |= t.han
			chinese = chinese || t.particles[s.text]
		}
	}
	switch {
	case kana:
		mask &^= t.han &^ t.kana
	case chinese:
		mask &^= t.kana
	}
	return mask
}

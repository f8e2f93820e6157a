// Package detect detects the language of a text, and of a query of a few words. It counts function
// words and letters that few languages have; other scripts than Latin need little more. It keeps no
// state and knows no other package.
package detect

import (
	"iter"
	"math/bits"
	"strings"
)

// Language is a language that the package knows.
type Language uint8

// The languages. Those up to [MaxLatin] are written in Latin letters.
const (
	Unknown Language = iota
	English
	Danish
	Dutch
	Finnish
	French
	German
	Hungarian
	Irish
	Italian
	Norwegian
	Portuguese
	Romanian
	Spanish
	Swedish
	Turkish
	Polish
	Czech
	Arabic
	Chinese
	Greek
	Hebrew
	Hindi
	Japanese
	Korean
	Persian
	Russian
	Tamil
	Thai
	Ukrainian

	// MaxLatin is the last language that is written in Latin letters.
	MaxLatin = Czech
	numLatin = MaxLatin + 1
	// NumLanguages is the number of languages, with Unknown.
	NumLanguages = Ukrainian + 1
)

// tags returns the BCP 47 tags of the languages.
func tags() [NumLanguages]string {
	return [NumLanguages]string{
		"und", "en", "da", "nl", "fi", "fr", "de", "hu", "ga", "it", "no", "pt", "ro", "es", "sv", "tr", "pl", "cs",
		"ar", "zh", "el", "he", "hi", "ja", "ko", "fa", "ru", "ta", "th", "uk",
	}
}

// String returns the BCP 47 tag, "und" for Unknown.
func (l Language) String() string {
	if l >= NumLanguages {
		return tags()[Unknown]
	}
	return tags()[l]
}

// Parse returns the language of a BCP 47 tag, Unknown if the package does not know it.
func Parse(tag string) Language {
	for l, name := range tags() {
		if name == tag {
			return Language(l)
		}
	}
	return Unknown
}

// Set is a set of languages in Latin letters: bit l stands for Language l.
type Set uint32

// SetOf returns the set of a language, which is empty for Unknown and for other scripts.
func SetOf(l Language) Set {
	if l == Unknown || l >= numLatin {
		return 0
	}
	return 1 << l
}

// Has reports whether a language is in the set.
func (s Set) Has(l Language) bool { return s&SetOf(l) != 0 }

// Only returns the language of a set of one, else Unknown.
func (s Set) Only() Language {
	if bits.OnesCount32(uint32(s)) != 1 {
		return Unknown
	}
	return Language(bits.TrailingZeros32(uint32(s)))
}

// All yields the languages of a set.
func (s Set) All() iter.Seq[Language] {
	return func(yield func(Language) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(Language(bits.TrailingZeros32(uint32(s)))) {
				return
			}
		}
	}
}

// Hint is the set of the languages in Latin letters that a word hints at.
type Hint uint32

// functionWord is set for function words; the other bits are those of a [Set].
const functionWord Hint = 1 << 31

// Languages returns the languages of the hint; none: the word may be of any.
func (e Hint) Languages() Set { return Set(e &^ functionWord) }

// FunctionWord reports whether the word is a function word of a language: an article, a pronoun, an
// auxiliary, a preposition or the like.
func (e Hint) FunctionWord(l Language) bool { return e&functionWord != 0 && e.Languages().Has(l) }

// Tally is the score of each language for the words of a text of up to 100 MB. The zero value is empty.
type Tally [numLatin]uint32

const (
	// functionWeight is what a function word counts, letterWeight what a word with letters of few
	// languages does; the languages of a word share it.
	functionWeight = 60
	letterWeight   = 48
	// minScore is the least score of a language that is plausible.
	minScore = 12
	// A plausible language has more than leadShare / leadOf of the best score.
	leadShare, leadOf = 10, 13
)

// Add adds the hint of a word.
func (t *Tally) Add(e Hint) {
	set := uint32(e.Languages())
	if set == 0 {
		return
	}
	weight := letterWeight
	if e&functionWord != 0 {
		weight = functionWeight
	}
	share := uint32(weight / bits.OnesCount32(set))
	for ; set != 0; set &= set - 1 {
		t[bits.TrailingZeros32(set)] += share
	}
}

// Plausible returns the languages with the best score and those near it; none if all scores are low.
func (t *Tally) Plausible() (s Set) {
	best := uint32(0)
	for _, n := range t {
		best = max(best, n)
	}
	if best < minScore {
		return 0
	}
	for l, n := range t {
		if leadOf*uint64(n) > leadShare*uint64(best) {
			s |= 1 << l
		}
	}
	return s
}

// Language returns the plausible language; Unknown: there are none or several.
func (t *Tally) Language() Language { return t.Plausible().Only() }

// Of returns the language of a text, Unknown if that is not clear. A text of several scripts has the
// language of the one with most letters. Cost: about 30 ns a word, no allocation.
func Of(text string) Language {
	var t Tally
	var s scripts
	for w := range strings.FieldsSeq(text) {
		s.count(w)
		t.Add(HintOf(w))
	}
	if l := s.language(); l != Unknown {
		return l
	}
	return t.Language()
}

// Plausible returns the languages in Latin letters that a text may be in; see [Tally.Plausible].
func Plausible(text string) Set {
	var t Tally
	for w := range strings.FieldsSeq(text) {
		t.Add(HintOf(w))
	}
	return t.Plausible()
}

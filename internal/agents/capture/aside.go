package capture

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/base/typo"
)

//go:embed asides.txt
var asideText string

// class is a set of the classes of words of asides.txt.
type class uint32

const (
	classOther class = 1 << iota
	classNot
	classKeep
	classMemory
	classForget
	classDelete
	classSecret
	classUnsay
	classThis
	classSaid
	classLast
	classLater
	classOnly
	classNow
	classYours
	classBut
	classNever
	classUntil
	classWhy
	classAbout
)

// asideClasses has the classes by their names in asides.txt.
func asideClasses() map[string]class {
	return map[string]class{
		"other": classOther, "not": classNot, "keep": classKeep, "memory": classMemory, "forget": classForget, "delete": classDelete,
		"secret": classSecret, "unsay": classUnsay, "this": classThis, "said": classSaid, "last": classLast, "later": classLater,
		"only": classOnly, "now": classNow, "yours": classYours, "but": classBut, "never": classNever, "until": classUntil, "why": classWhy, "about": classAbout,
	}
}

// vocabulary has the words of asides of one language.
type vocabulary struct {
	unspaced bool
	// exact has words and phrases, of spaced languages with one space between words; stems the beginnings of words.
	exact, stems map[string]class
	// longest is the number of words of the longest phrase, or of its bytes in an unspaced language.
	longest int
	// mended are the words whose typos are mended, by their first byte.
	mended map[byte][]string
}

// mendable is the length of a word whose typos are mended, in bytes.
const mendable = 6

// vocabularies returns those of all languages, which must not be changed.
var vocabularies = sync.OnceValue(func() map[string]*vocabulary { //nolint:gochecknoglobals // it is built once and never changes
	all, classes := map[string]*vocabulary{}, asideClasses()
	for line := range strings.Lines(asideText) {
		language, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, list, ok := strings.Cut(rest, " ")
		if !ok || language == "#" {
			continue
		}
		v := all[language]
		if v == nil {
			v = &vocabulary{unspaced: language == "zh" || language == "ja", exact: map[string]class{}, stems: map[string]class{}, mended: map[byte][]string{}}
			all[language] = v
		}
		for phrase := range strings.SplitSeq(list, "|") {
			if stem, ok := strings.CutSuffix(phrase, "*"); ok {
				v.stems[stem] |= classes[name]
				continue
			}
			if v.exact[phrase] == 0 && len(phrase) >= mendable && !strings.Contains(phrase, " ") {
				v.mended[phrase[0]] = append(v.mended[phrase[0]], phrase)
			}
			v.exact[phrase] |= classes[name]
			if n := strings.Count(phrase, " ") + 1; !v.unspaced {
				v.longest = max(v.longest, n)
			} else {
				v.longest = max(v.longest, len(phrase))
			}
		}
	}
	return all
})

// aside is what a sentence says of the conversation and of what is kept of it.
type aside struct {
	// keep: this turn must not be kept; back: the one before must not; said: it names what was said before; passing: it
	// holds for this session only.
	keep, back, said, passing bool
	// only: the sentence says nothing else; otherwise rest is the number of words of its other clauses.
	only bool
	rest int
}

// asideOf returns what a sentence says beside the work. It is read clause by clause: a clause counts if all of its words are
// those of asides, so "don't store passwords in git" does not.
func asideOf(r request) aside {
	var out aside
	for _, v := range vocabularies() {
		var a aside
		if v.unspaced {
			a = v.readUnspaced(r.inner)
		} else {
			a = v.readSpaced(strings.Fields(r.spaced))
		}
		if a.keep || a.back {
			out.rest = a.rest
		}
		out.keep, out.back, out.said, out.passing, out.only = out.keep || a.keep, out.back || a.back, out.said || a.said, out.passing || a.passing, out.only || a.only
	}
	return out
}

// clause is a part of a sentence that is read.
type clause struct {
	found class
	words int
	// covered: all words are those of asides, but for those of a topic ("what I said about the invoices").
	covered, topic, topical bool
	// first: nothing stands before it in the sentence; tail is what begins after it without a mark.
	first bool
	tail  class
}

// readSpaced reads the words and marks of a sentence.
func (v *vocabulary) readSpaced(tokens []string) aside {
	out := aside{only: len(tokens) > 0}
	c := clause{covered: true, first: true}
	end := func(tail class) {
		if c.tail = tail; c.words > 0 {
			out.add(c)
			c.first = false
		}
		c = clause{covered: true, first: c.first}
	}
	for i, skip := 0, false; i < len(tokens); {
		if !strings.ContainsFunc(tokens[i], alphanumeric) {
			end(0)
			i, skip = i+1, false
			continue
		}
		found, n := v.match(tokens[i:])
		i += n
		switch {
		case found&classBut != 0:
			end(0)
			skip = false
		case skip:
		case found&(classUntil|classWhy) != 0 && c.words > 0: // the rest is a clause about when or why
			end(found & (classUntil | classWhy))
			skip = true
		default:
			c.add(found, n)
		}
	}
	end(0)
	return out
}

// add adds some words of a class.
func (c *clause) add(found class, n int) {
	c.words += n
	switch {
	case found == 0 && c.topic:
		c.topical = true
	case found == 0:
		c.covered = false
	case found&classAbout != 0:
		c.topic = true
	case found&(classNot|classKeep|classSaid|classMemory|classYours) != 0:
		c.topic = false
	}
	c.found |= found
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// match returns the classes of the longest phrase that the words begin with, and its number of words; 0 and 1 for none.
func (v *vocabulary) match(words []string) (class, int) {
	for n := min(v.longest, len(words)); n > 0; n-- {
		if c := v.exact[strings.Join(words[:n], " ")]; c != 0 {
			return c, n
		}
	}
	const least = 3 // bytes of a stem
	for n := len(words[0]); n >= least; n-- {
		if c := v.stems[words[0][:n]]; c != 0 {
			return c, 1
		}
	}
	if len(words[0]) >= mendable {
		for _, w := range v.mended[words[0][0]] {
			if w+"s" != words[0] && typo.Distance(w, words[0], 1) <= 1 {
				return v.exact[w], 1
			}
		}
	}
	return 0, 1
}

// readUnspaced reads a sentence of a language without spaces.
func (v *vocabulary) readUnspaced(text string) aside {
	out := aside{only: text != ""}
	for text := range strings.FieldsFuncSeq(text, func(r rune) bool { return !alphanumeric(r) && r != 'ー' }) {
		c := clause{covered: true, first: true, words: words(text)}
		for len(text) > 0 {
			n := min(v.longest, len(text))
			for n > 0 && v.exact[text[:n]] == 0 {
				n--
			}
			if n == 0 {
				c.covered = false
				_, n = utf8.DecodeRuneInString(text)
			}
			c.found |= v.exact[text[:n]]
			text = text[n:]
		}
		out.add(c)
	}
	return out
}

// add adds what a clause says.
func (a *aside) add(c clause) {
	has := func(any class) bool { return c.found&any != 0 }
	covered := c.covered && (!c.topical || has(classSaid))
	if c.tail != 0 && !has(classThis|classSaid|classLast|classMemory|classYours|classSecret|classOnly) || // "do not save until it is valid"
		!c.first && has(classNever) && !has(classThis|classSaid|classLast|classMemory|classYours|classSecret) { // "the token is secret, never log it"
		covered = false
	}
	if a.only = a.only && covered; !covered {
		a.rest += c.words
	}
	switch {
	case !covered:
		a.keep = a.keep || has(classYours) && has(classNot) && !has(classForget|classDelete)
		a.back = a.back || has(classYours) && has(classForget|classDelete) && !has(classNot)
	case has(classUnsay):
		a.back = true
	case has(classNot) && has(classForget):
	case has(classSecret), has(classNot) && has(classKeep|classYours), has(classForget|classDelete) && (has(classLater) || c.tail == classUntil):
		a.keep = true
		a.said = a.said || has(classLast)
	case has(classNot):
	case has(classForget) && has(classThis|classSaid|classLast|classMemory|classYours), has(classDelete) && has(classSaid|classLast|classMemory|classYours):
		a.back = true
	case has(classOnly) && (has(classNow) || c.tail == classUntil):
		a.passing = true
	}
}

// onlyAsides reports whether all sentences speak of the conversation alone.
func onlyAsides(all []aside) bool {
	return !slices.ContainsFunc(all, func(a aside) bool { return !a.only })
}

package cue

import (
	_ "embed"
	"encoding/binary"
	"maps"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// role is a set of what a word, or a phrase, means for a text or a query.
type role uint16

const (
	isTimeWord role = 1 << iota
	isNumeralWord
	// isNounsWord is a function word of a language in which every noun has a capital.
	isNounsWord
	// isTitle is a title, after which a capital begins a name.
	isTitle
	// The rest is what the answer to a query with the word should have.
	asksTime
	asksNumber
	asksName
	asksFormer
	asksFirst
	asksNow
	// isEmpty is a word that names no subject.
	isEmpty
	// isEnglish is a word of the English list.
	isEnglish
)

// first is the word before the first one of a query, in phrases.
const first = "^"

// tables are the words of all languages. What English queries ask for is in code.
type tables struct {
	// words are single words, and pairs with a space between them, in lower case.
	words map[string]role
	// filter has a bit for the hash of every word that is plain ASCII.
	filter [filterBits / 64]uint64
	// phrases are those of scripts without spaces, by their first character.
	phrases map[rune][]phrase
	// questions are the ends of questions without a question mark.
	questions []string
}

// phrase is a run of characters, and what it means.
type phrase struct {
	text string
	role role
}

//go:embed lexicon.txt
var lexiconText string

// vocabulary returns the tables of all languages, which must not be changed.
var vocabulary = sync.OnceValue(func() *tables { //nolint:gochecknoglobals // it is built once and never changes
	t := &tables{words: make(map[string]role), phrases: make(map[rune][]phrase)}
	roles := map[string]role{
		"cue time": isTimeWord, "cue number": isNumeralWord, "cue nouns": isNounsWord, "cue title": isTitle,
		"ask time": asksTime, "ask number": asksNumber, "ask name": asksName, "ask former": asksFormer, "ask first": asksFormer | asksFirst, "ask now": asksNow, "ask anything": isEmpty,
	}
	english := lexicon.Parse(lexiconText)
	for name, r := range map[string]role{"cue time": isTimeWord | isEnglish, "cue number": isNumeralWord | isEnglish, "ask former": asksFormer, "ask first": asksFormer | asksFirst, "ask now": asksNow, "ask anything": isEmpty} {
		for word := range english.Positions(name) {
			t.add(word, r)
		}
	}
	for _, l := range lexicon.Languages() {
		for name, r := range maps.All(roles) {
			for _, element := range l.Lists[name] {
				for _, word := range element {
					t.add(word, r)
				}
			}
		}
		for _, numeral := range l.Lists["cue numeral"] {
			for _, counter := range l.Lists["cue counter"] {
				t.add(numeral[0]+counter[0], isNumeralWord)
			}
		}
		for _, element := range l.Lists["cue question"] {
			t.questions = append(t.questions, element...)
		}
	}
	return t
})

// add adds a word or a phrase.
func (t *tables) add(text string, r role) {
	if c, _ := utf8.DecodeRuneInString(text); lexicon.Unspaced(c) {
		t.phrases[c] = append(t.phrases[c], phrase{text, r})
		return
	}
	text = strings.ReplaceAll(text, "_", " ")
	t.words[text] |= r
	if len(text) <= longest {
		var small [longest]byte
		copy(small[:], text)
		i := hash(&small, len(text))
		t.filter[i/64] |= 1 << (i % 64)
	}
}

// filterBits is the size of the filter: some thirty bits for each word.
const filterBits = 1 << 15

// hash returns a bit of the filter for the first eight letters of a word.
func hash(small *[longest]byte, size int) uint64 {
	x := binary.LittleEndian.Uint64(small[:8])
	x &= 1<<(8*min(size, 8)) - 1
	return (x + uint64(size)) * 0x9E3779B97F4A7C15 >> 49
}

// mayHave reports whether the tables may have a word that is plain ASCII. It rejects most others
// in about 2 ns.
func (t *tables) mayHave(small *[longest]byte, size int) bool {
	i := hash(small, size)
	return t.filter[i/64]>>(i%64)&1 != 0
}

// role returns the roles of the current word.
func (s *scanner) role(t *tables) role {
	switch {
	case !s.plain:
		return t.words[strings.ToLower(s.text[s.word.from:s.word.to])]
	case s.size <= longest:
		return t.words[string(s.small[:s.size])]
	default:
		return 0
	}
}

// roleAt returns the role of the phrases that begin at a place.
func (t *tables) roleAt(text string, r rune) role {
	var out role
	for _, p := range t.phrases[r] {
		if strings.HasPrefix(text, p.text) {
			out |= p.role
		}
	}
	return out
}

// emptyAt returns the length of the longest phrase at the beginning of a text that names no subject; 0 for none.
func (t *tables) emptyAt(text string, r rune) (n int) {
	for _, p := range t.phrases[r] {
		if p.role&isEmpty != 0 && len(p.text) > n && strings.HasPrefix(text, p.text) {
			n = len(p.text)
		}
	}
	return n
}

// answer returns the cues that a query with a word of a role asks for.
func (r role) answer() Cues {
	var c Cues
	if r&asksTime != 0 {
		c |= HasTime
	}
	if r&asksNumber != 0 {
		c |= HasNumber
	}
	if r&asksName != 0 {
		c |= HasName
	}
	if r&asksFormer != 0 {
		c |= AsksFormer
	}
	if r&asksFirst != 0 {
		c |= AsksFirst
	}
	if r&asksNow != 0 {
		c |= AsksNow
	}
	return c
}

package detect

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxWord is the length in bytes of the longest word that hints at a language.
const maxWord = 32

// functionWords are the function words of the languages in Latin letters, sorted by bytes: a line has
// a word and the tags of its languages. Those of da, de, es, fi, fr, hu, it, nl, no, pt, ro and sv are
// the lists of Snowball and, for ro, of Jacques Savoy; docs/dependencies.md has the licences.
//
//go:embed words.txt
var functionWords string

// HintOf returns the hint of a word, which may be in capitals and have punctuation around it.
func HintOf(word string) Hint {
	word = strings.TrimFunc(word, notLetter)
	if word == "" || len(word) > maxWord {
		return 0
	}
	var buf [2 * maxWord]byte
	lower, letters := buf[:0], ^Set(0)
	for _, r := range word {
		switch {
		case r == '\'':
		case r == '’':
			r = '\''
		case r >= utf8.RuneSelf:
			r = unicode.ToLower(r)
			if s := having(r); s != 0 {
				letters &= s
			}
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r < 'a' || r > 'z':
			return 0 // an identifier, a path, a number
		}
		lower = utf8.AppendRune(lower, r)
	}
	if e := find(lower); e != 0 {
		return e
	}
	if i := bytes.IndexByte(lower, '\''); i > 0 { // l'eau, quest'anno
		if e := find(lower[:i+1]); e != 0 {
			return e
		}
	}
	if letters == ^Set(0) {
		return 0
	}
	return Hint(letters)
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// slots is the size of the hash table of function words, a power of 2.
const slots = 1 << 13

// table finds function words and the languages of tags.
type table struct {
	lines [slots]uint16     // by the hash of a word, or in the next free place: where its line begins, plus 1
	tags  [26 * 26]Language // by the two letters of a tag
}

var functionTable = sync.OnceValue(func() *table { //nolint:gochecknoglobals // it is built once and never changes
	t := &table{}
	for l, tag := range tags() {
		if len(tag) == 2 {
			t.tags[tagIndex(tag)] = Language(l)
		}
	}
	for from := 0; from < len(functionWords); {
		line, _, _ := strings.Cut(functionWords[from:], "\n")
		word, _, _ := strings.Cut(line, " ")
		at := slotOf([]byte(word))
		for t.lines[at] != 0 {
			at = (at + 1) % slots
		}
		t.lines[at] = uint16(from + 1)
		from += len(line) + 1
	}
	return t
})

// tagIndex numbers the tags of two lower-case letters.
func tagIndex(tag string) int { return int(tag[0]-'a')*26 + int(tag[1]-'a') }

// slotOf returns the place of a word in the table: its FNV-1a hash.
func slotOf(word []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range word {
		h = (h ^ uint32(c)) * 16777619
	}
	return (h ^ h>>15) % slots
}

// find returns the hint of a function word, 0 if it is none.
func find(word []byte) Hint {
	t := functionTable()
	for at := slotOf(word); t.lines[at] != 0; at = (at + 1) % slots {
		line := functionWords[t.lines[at]-1:]
		if len(line) > len(word) && line[len(word)] == ' ' && line[:len(word)] == string(word) {
			return functionWord | Hint(t.parse(line[len(word):]))
		}
	}
	return 0
}

// parse returns the languages of the tags at the beginning of a text, each with a space before it.
func (t *table) parse(text string) (s Set) {
	for ; len(text) >= 3 && text[0] == ' '; text = text[3:] {
		s |= SetOf(t.tags[tagIndex(text[1:3])])
	}
	return s
}

// rareLetters are letters that few languages have.
type rareLetters struct {
	letters   string
	languages Set
}

// lettersOfFew returns the letters beyond ASCII of the languages, but those that too many have.
func lettersOfFew() [22]rareLetters {
	const (
		da, nl, fi, fr, de, hu = 1 << Danish, 1 << Dutch, 1 << Finnish, 1 << French, 1 << German, 1 << Hungarian
		it, no, pt, ro, es, sv = 1 << Italian, 1 << Norwegian, 1 << Portuguese, 1 << Romanian, 1 << Spanish, 1 << Swedish
		ga, tr, pl, cs         = 1 << Irish, 1 << Turkish, 1 << Polish, 1 << Czech
	)
	return [22]rareLetters{
		{"ß", de},
		{"ä", de | fi | sv},
		{"ö", de | fi | sv | hu | tr},
		{"ü", de | hu | tr},
		{"å", da | no | sv},
		{"æø", da | no},
		{"ñ", es},
		{"ãõ", pt},
		{"ç", fr | pt | tr},
		{"êô", fr | pt},
		{"èà", fr | it},
		{"ùìò", it},
		{"ûœ", fr},
		{"ëï", fr | nl},
		{"îâ", fr | ro},
		{"é", fr | es | pt | hu | cs | ga},
		{"áíóú", es | pt | hu | cs | ga},
		{"őű", hu},
		{"ğış", tr},
		{"ășțţ", ro},
		{"ąęłńśźżć", pl},
		{"čěřšžůďťňý", cs},
	}
}

// having returns the languages that have a letter; none: too many do.
func having(r rune) Set {
	for _, t := range lettersOfFew() {
		if strings.ContainsRune(t.letters, r) {
			return t.languages
		}
	}
	return 0
}

package detect

import (
	"bytes"
	_ "embed"
	"strings"
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

// find returns the hint of a function word, 0 if it is none.
func find(word []byte) Hint {
	for low, high := 0, len(functionWords); low < high; {
		from := strings.LastIndexByte(functionWords[low:(low+high)/2], '\n') + 1 + low
		to := from + strings.IndexByte(functionWords[from:], '\n')
		name, languages, _ := strings.Cut(functionWords[from:to], " ")
		switch {
		case name == string(word):
			return functionWord | Hint(parse(languages))
		case name < string(word):
			low = to + 1
		default:
			high = from
		}
	}
	return 0
}

// parse returns the languages of tags with spaces between them.
func parse(list string) (s Set) {
	for tag := range strings.FieldsSeq(list) {
		s |= SetOf(Parse(tag))
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

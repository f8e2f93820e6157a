package contradict

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// table is the phrases of a language other than English, by their first word, the longest first.
type table struct {
	phrases map[string][]phrase
	// paired are words that deny after one of pairs only: "plus" after "ne".
	paired, pairs map[string]int
	// auxiliary are verbs that mean nothing of their own if the sentence ends with a participle,
	// which has one of the endings.
	auxiliary, participles map[string]int
}

// phrase is a phrase, and the English words for it that the rules know; none: it is a word that
// only looks like a phrase.
type phrase struct {
	words, english []string
	// text is the words without spaces between them.
	text string
}

// tables are the languages other than English.
type tables struct {
	// spaced are those with spaces between words; words has a bit for each, by its place.
	spaced []*table
	words  map[string]uint
	// han and kana are those without: one with Han alone, one with Kana.
	han, kana *table
	// months are the names before which a full stop after a number makes it an ordinal one.
	months map[string]int
}

// noPhrase is what stands for a word that only looks like a phrase.
const noPhrase = "word"

// others returns the tables, which must not be changed.
var others = sync.OnceValue(func() *tables { //nolint:gochecknoglobals // it is built once and never changes
	t := &tables{words: make(map[string]uint), months: make(map[string]int)}
	for _, l := range lexicon.Languages() {
		one := newTable(l.Lists)
		switch kana, han := one.scripts(); {
		case kana:
			t.kana = one
		case han:
			t.han = one
		default:
			for word := range one.phrases {
				t.words[word] |= 1 << len(t.spaced)
			}
			t.spaced = append(t.spaced, one)
		}
		if slices.ContainsFunc(l.Lists["SUFFIX"], func(s []string) bool { return s[0] == "." }) {
			maps.Copy(t.months, l.Lists.Positions("MONTH"))
		}
	}
	return t
})

// newTable builds the phrases of a language.
func newTable(lists lexicon.Lists) *table {
	t := &table{
		phrases: make(map[string][]phrase),
		paired:  lists.Positions("negates after"), pairs: lists.Positions("negates first"),
		auxiliary: lists.Positions("auxiliary"), participles: lists.Positions("participle"),
	}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		for i, element := range lists[name] {
			if english := englishOf(name, i, element[0]); english != nil {
				t.add(element, english, name == "WEEKDAY")
			}
		}
	}
	for _, phrases := range t.phrases {
		slices.SortStableFunc(phrases, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
	return t
}

// englishOf returns the English words for an element of a list; nil if the rules need none.
func englishOf(list string, i int, word string) []string {
	first, _ := utf8.DecodeRuneInString(word)
	kind, start, _ := strings.Cut(list, " ")
	switch {
	case kind == "say" && start == noPhrase:
		return []string{}
	case kind == "say":
		return strings.Fields(start)
	case list == "WEEKDAY":
		return []string{strings.ToLower(time.Weekday((i + 1) % 7).String())}
	case lexicon.Unspaced(first) || unicode.IsDigit(first):
		return nil
	case list == "MONTH":
		return []string{time.Month(i + 1).String()}
	case list == "NUMBER" && i == 0:
		return []string{"the"} // it is an article as well
	case kind == "NUMBER":
		n, err := strconv.Atoi(start)
		if err != nil {
			n = 1
		}
		return []string{strconv.Itoa(n + i)}
	default:
		return nil
	}
}

func (t *table) add(element, english []string, hyphen bool) {
	for _, text := range element {
		words := lexicon.Pieces(text)
		t.phrases[words[0]] = append(t.phrases[words[0]], phrase{words, english, strings.Join(words, "")})
		if hyphenated := strings.Join(words, "-"); strings.Contains(text, "_") && hyphen {
			t.phrases[hyphenated] = append(t.phrases[hyphenated], phrase{words: []string{hyphenated}, english: english})
		}
	}
}

// scripts reports whether the phrases of a language have Kana, and whether they have Han.
func (t *table) scripts() (kana, han bool) {
	for word := range t.phrases {
		r, _ := utf8.DecodeRuneInString(word)
		kana = kana || unicode.In(r, unicode.Hiragana, unicode.Katakana)
		han = han || unicode.Is(unicode.Han, r)
	}
	return kana, han
}

// tableOf returns the table of the language that a text is in; nil for English, and for a
// language without a table.
func (t *tables) tableOf(text string) *table {
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			continue
		}
		if table := t.unspaced(text[i:]); table != nil {
			return table
		}
		break
	}
	const most = 8 // languages
	var counts [most]int
	best := 0
	eachWord(text, func(word []byte) {
		if len(word) == 1 && strings.IndexByte("aeoy", word[0]) < 0 {
			return // the s of a possessive, the name of a variable
		}
		for mask, i := t.words[string(word)], 0; mask != 0 && i < most; mask, i = mask>>1, i+1 {
			if counts[i] += int(mask & 1); counts[i] > counts[best] {
				best = i
			}
		}
	})
	if counts[best] < 2 {
		return nil
	}
	english := 0
	eachWord(text, func(word []byte) {
		if words().classes[string(word)] != 0 {
			english++
		}
	})
	if english >= counts[best] {
		return nil
	}
	return t.spaced[best]
}

// unspaced returns the table of a language without spaces between words; nil for other texts.
func (t *tables) unspaced(text string) *table {
	var out *table
	for _, r := range text {
		if unicode.In(r, unicode.Hiragana, unicode.Katakana) {
			return t.kana
		}
		if lexicon.Unspaced(r) {
			out = t.han
		}
	}
	return out
}

// eachWord calls yield for the words of a text in lower case, up to 24 bytes each.
func eachWord(text string, yield func(word []byte)) {
	const most = 24
	var buffer [most + utf8.UTFMax]byte
	n := 0
	for at := 0; at < len(text); at++ {
		c := text[at]
		if low := c | 0x20; low >= 'a' && low <= 'z' {
			if n < most {
				buffer[n] = low
				n++
			}
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[at:])
			if at += size - 1; unicode.IsLetter(r) {
				if n < most {
					n += utf8.EncodeRune(buffer[n:], unicode.ToLower(r))
				}
				continue
			}
		}
		if n > 0 {
			yield(buffer[:n])
			n = 0
		}
	}
	if n > 0 {
		yield(buffer[:n])
	}
}

package screen

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed phrases.txt
var phraseList string

// phraseWords returns the table of phrases.
//
//nolint:gochecknoglobals // it is built once and never changes
var phraseWords = sync.OnceValue(newPhraseTable)

func newPhraseTable() *phraseTable {
	t := &phraseTable{}
	numbers := make(map[string]int)
	for line := range strings.Lines(phraseList) {
		kind, parts, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		lists := strings.Split(parts, " + ")
		for i, list := range lists {
			for entry := range strings.SplitSeq(list, ", ") {
				t.add(numbers, entry, phrasePart{phrase: len(t.kinds), part: i})
			}
		}
		t.kinds, t.sizes = append(t.kinds, FlagKind(kind)), append(t.sizes, len(lists))
	}
	words := make([]string, len(numbers))
	for w, n := range numbers {
		words[n] = w
	}
	t.words = newMatcher(words)
	return t
}

// add adds an entry of a list. The numbers of the words so far are in numbers.
func (t *phraseTable) add(numbers map[string]int, entry string, p phrasePart) {
	entry, p.prefix = strings.CutSuffix(entry, "*")
	entry, p.atLineStart = strings.CutPrefix(entry, "^")
	for _, p.word = range cases(entry) {
		n, ok := numbers[p.word]
		if !ok {
			n = len(numbers)
			numbers[p.word] = n
			t.parts = append(t.parts, nil)
		}
		t.parts[n] = append(t.parts[n], p)
	}
}

// cases returns the ways in which a word in lower case is written; a matcher ignores the case of ASCII letters.
func cases(word string) []string {
	if isASCII(word) {
		return []string{word}
	}
	first := []rune(word)
	list := []string{word, lowerASCII(strings.ToUpper(string(first[0])) + string(first[1:])), lowerASCII(strings.ToUpper(word))}
	slices.Sort(list)
	return slices.Compact(list)
}

// lowerASCII returns s with its ASCII letters in lower case.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

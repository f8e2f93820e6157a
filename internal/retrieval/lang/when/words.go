package when

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

//go:embed lexicon.txt
var lexiconText string

// vocabulary is the parsed lexicon: the numbers of words by list.
type vocabulary struct {
	months, weekdays, units, cardinals, ordinals map[string]int

	clauses, named, common, abbreviations, beginnings map[string]int
	// full are the full names of months, weekdays and units, by list.
	full map[string][]string
}

// words returns the vocabulary, which must not be changed.
var words = sync.OnceValue(func() *vocabulary { //nolint:gochecknoglobals // it is parsed once and never changes
	lists := lexicon.Parse(lexiconText)
	v := &vocabulary{
		months: lists.Positions("month"), weekdays: lists.Positions("weekday"), units: lists.Positions("unit"),
		cardinals: lists.Positions("cardinal"), ordinals: lists.Positions("ordinal"),
		clauses: lists.Positions("clause"), named: lists.Positions("named"), common: lists.Positions("common"),
		abbreviations: make(map[string]int), beginnings: lists.Positions("beginning"),
		full: make(map[string][]string),
	}
	for _, element := range slices.Concat(lists["month"], lists["weekday"]) {
		for _, word := range element[1:] {
			v.abbreviations[word] = 1
		}
	}
	for _, name := range []string{"month", "weekday", "unit"} {
		for _, element := range lists[name] {
			v.full[name] = append(v.full[name], element[0])
		}
	}
	for _, list := range []map[string]int{v.months, v.weekdays, v.units, v.cardinals, v.ordinals} {
		maps.Copy(v.beginnings, list)
	}
	return v
})

// monthOf parses the name of a month, full or abbreviated.
func monthOf(word string) (time.Month, bool) {
	n := words().months[word]
	return time.Month(n), n > 0
}

// weekdayOf parses the name of a day of the week, full or abbreviated.
func weekdayOf(word string) (time.Weekday, bool) {
	n := words().weekdays[word]
	return time.Weekday(n % 7), n > 0
}

// isAbbreviation reports whether a word abbreviates the name of a month or a weekday.
func isAbbreviation(word string) bool { return words().abbreviations[word] > 0 }

func unitOf(word string) (unit, bool) {
	n := words().units[word]
	return unit(n), n > 0
}

// cardinal returns the number of a numeral up to twenty or a multiple of ten; 0 for another
// word.
func cardinal(word string) int {
	n := words().cardinals[word]
	if n > 20 {
		return 10 * (n - 18)
	}
	return n
}

// ordinalWord returns the number of an ordinal from first to twentieth; 0 for another word.
func ordinalWord(word string) int { return words().ordinals[word] }

// canBegin reports whether an expression may begin with a word. It rejects most words of a
// question, in about 20 ns.
func canBegin(word string) bool {
	return word != "" && (digit(rune(word[0])) || words().beginnings[word] > 0)
}

// count is a number of units, or a range of numbers.
type count struct{ low, high int }

// parseNumber reads digits, at most four, or words: two, twenty-one, a, a couple of, a few.
func parseNumber(p *parser, i int) (count, int) {
	w := p.at(i)
	switch w {
	case "a", "an":
		if w := p.at(i + 1); w == "couple" || w == "few" {
			return parseNumber(p, i+1)
		}
		return count{1, 1}, i + 1
	case "couple":
		if p.at(i+1) == "of" {
			i++
		}
		return count{2, 2}, i + 1
	case "few":
		return count{2, 5}, i + 1
	case "several":
		return count{3, 7}, i + 1
	}
	if digits(w) && len(w) <= 4 {
		n, err := strconv.Atoi(w)
		return count{n, n}, indexOrZero(err == nil, i+1)
	}
	n := cardinal(w)
	if m := cardinal(p.at(i + 1)); n >= 20 && m > 0 && m < 10 {
		return count{n + m, n + m}, i + 2
	}
	return count{n, n}, indexOrZero(n > 0, i+1)
}

// parseNumbers reads a number or a range of numbers: 2 or 3, two to three.
func parseNumbers(p *parser, i int) (count, int) {
	n, next := parseNumber(p, i)
	if w := p.at(next); next > 0 && (w == "or" || w == "to" || w == dots) {
		if m, end := parseNumber(p, next+1); end > 0 && m.low >= n.high {
			return count{n.low, m.high}, end
		}
	}
	if low, high, ok := strings.Cut(p.at(i), "-"); next == 0 && ok && digits(low) && digits(high) && len(low) < 4 && len(high) < 4 {
		a, _ := strconv.Atoi(low)
		b, _ := strconv.Atoi(high)
		return count{a, b}, indexOrZero(a <= b, i+1)
	}
	return n, next
}

// parseOrdinal reads 7th, 21st, seventh, twenty-first.
func parseOrdinal(p *parser, i int) (n, next int) {
	w := p.at(i)
	if n := ordinalWord(w); n > 0 {
		return n, i + 1
	}
	if tens, ones := cardinal(w), ordinalWord(p.at(i+1)); (tens == 20 || tens == 30) && ones > 0 && ones < 10 {
		return tens + ones, i + 2
	}
	if len(w) < 3 || len(w) > 4 || !digits(w[:len(w)-2]) {
		return 0, 0
	}
	n, err := strconv.Atoi(w[:len(w)-2])
	return n, indexOrZero(err == nil && w[len(w)-2:] == ordinalSuffix(n), i+1)
}

// ordinalSuffix returns the letters after a number that make it an ordinal one.
func ordinalSuffix(n int) string {
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// parseYearNumber reads a year in four digits, from 1000 on.
func parseYearNumber(p *parser, i int) (y, next int) {
	w := p.at(i)
	if len(w) != 4 || !digits(w) {
		return 0, 0
	}
	y, err := strconv.Atoi(w)
	return y, indexOrZero(err == nil && y >= 1000 && y < 3000, i+1)
}

// indexOrZero returns the index after the tokens that were read, or 0 if ok is false.
func indexOrZero(ok bool, next int) int {
	if ok {
		return next
	}
	return 0
}

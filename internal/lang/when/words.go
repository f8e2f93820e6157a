package when

import (
	"strconv"
	"strings"
	"time"
)

// monthOf parses the name of a month, full or abbreviated.
func monthOf(word string) (time.Month, bool) {
	switch word {
	case "january", "jan":
		return time.January, true
	case "february", "feb":
		return time.February, true
	case "march", "mar":
		return time.March, true
	case "april", "apr":
		return time.April, true
	case "may":
		return time.May, true
	case "june", "jun":
		return time.June, true
	case "july", "jul":
		return time.July, true
	case "august", "aug":
		return time.August, true
	case "september", "sep", "sept":
		return time.September, true
	case "october", "oct":
		return time.October, true
	case "november", "nov":
		return time.November, true
	case "december", "dec":
		return time.December, true
	default:
		return 0, false
	}
}

// weekdayOf parses the name of a day of the week, full or abbreviated.
func weekdayOf(word string) (time.Weekday, bool) {
	switch word {
	case "sunday", "sun":
		return time.Sunday, true
	case "monday", "mon":
		return time.Monday, true
	case "tuesday", "tue", "tues":
		return time.Tuesday, true
	case "wednesday", "wed":
		return time.Wednesday, true
	case "thursday", "thu", "thur", "thurs":
		return time.Thursday, true
	case "friday", "fri":
		return time.Friday, true
	case "saturday", "sat":
		return time.Saturday, true
	default:
		return 0, false
	}
}

// isAbbreviation reports whether a word abbreviates the name of a month or a weekday.
func isAbbreviation(word string) bool {
	if len(word) > 5 {
		return false
	}
	m, isMonth := monthOf(word)
	d, isDay := weekdayOf(word)
	return isMonth && len(word) < len(m.String()) || isDay && len(word) < len(d.String())
}

func unitOf(word string) (unit, bool) {
	switch word {
	case "s", "sec", "secs", "second", "seconds":
		return second, true
	case "min", "mins", "minute", "minutes":
		return minute, true
	case "h", "hr", "hrs", "hour", "hours":
		return hour, true
	case "d", "day", "days":
		return day, true
	case "w", "wk", "wks", "week", "weeks":
		return week, true
	case "fortnight", "fortnights":
		return fortnight, true
	case "weekend", "weekends":
		return weekend, true
	case "month", "months":
		return month, true
	case "quarter", "quarters":
		return quarter, true
	case "y", "yr", "yrs", "year", "years":
		return year, true
	default:
		return 0, false
	}
}

// cardinal returns the number of a numeral up to twenty or a multiple of ten; 0 for another
// word.
func cardinal(word string) int {
	const names = " one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
	n := positionIn(names, word)
	if n > 20 {
		return 10 * (n - 18)
	}
	return n
}

// ordinalWord returns the number of an ordinal from first to twentieth; 0 for another word.
func ordinalWord(word string) int {
	const names = " first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
	return positionIn(names, word)
}

// positionIn returns the position of a word in a list, from 1; 0 if it is absent.
func positionIn(names, word string) int {
	if len(word) < 3 {
		return 0
	}
	i := strings.Index(names, " "+word+" ")
	return strings.Count(names[:i+1], " ")
}

// canBegin reports whether an expression may begin with a word. It rejects most words of a
// question, in about 50 ns.
func canBegin(word string) bool {
	switch word {
	case "":
		return false
	case "the", "a", "an", "this", "these", "last", "past", "previous", "prior", "preceding", "current", "half", "couple", "few", "several",
		"today", "yesterday", "tonight", "day", "morning", "noon", "midday", "lunchtime", "afternoon", "evening", "night", "midnight",
		"recently", "lately", "recent", "at", "around", "about", "in", "early", "mid", "late", "beginning", "start", "middle", "end", "other",
		"spring", "summer", "fall", "autumn", "winter", "christmas", "xmas", "newyear", "newyears", "new", "valentine", "valentines",
		"halloween", "thanksgiving", "easter", "q1", "q2", "q3", "q4", "h1", "h2":
		return true
	}
	if digit(rune(word[0])) {
		return true
	}
	_, isMonth := monthOf(word)
	_, isDay := weekdayOf(word)
	_, isUnit := unitOf(word)
	return isMonth || isDay || isUnit || cardinal(word) > 0 || ordinalWord(word) > 0
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
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return n, indexOrZero(err == nil && w[len(w)-2:] == suffix, i+1)
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

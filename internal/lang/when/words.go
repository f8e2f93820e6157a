package when

import (
	"strconv"
	"strings"
	"time"
)

// monthOf reads the name of a month, whole or short.
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

// weekdayOf reads the name of a day of the week, whole or short.
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

// shortened reports whether a word is the short name of a month or a day.
func shortened(word string) bool {
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

// small reads the words of the numbers up to twenty, and of the tens; 0 if it is none.
func small(word string) int {
	const names = " one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
	n := place(names, word)
	if n > 20 {
		return 10 * (n - 18)
	}
	return n
}

// rank reads the words from first to twentieth; 0 if it is none.
func rank(word string) int {
	const names = " first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
	return place(names, word)
}

// place is the number of a word in a list of words, from 1 on; 0 if it is not there.
func place(names, word string) int {
	if len(word) < 3 {
		return 0
	}
	i := strings.Index(names, " "+word+" ")
	return strings.Count(names[:i+1], " ")
}

// begins reports whether a time may begin with a word. Most words of a question are
// passed over here, in some 50 ns.
func begins(word string) bool {
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
	return isMonth || isDay || isUnit || small(word) > 0 || rank(word) > 0
}

// count is a number of units, or what it may lie between.
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
		return count{n, n}, over(err == nil, i+1)
	}
	n := small(w)
	if m := small(p.at(i + 1)); n >= 20 && m > 0 && m < 10 {
		return count{n + m, n + m}, i + 2
	}
	return count{n, n}, over(n > 0, i+1)
}

// parseNumbers reads a number, or two of which one is meant: 2 or 3, two to three.
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
		return count{a, b}, over(a <= b, i+1)
	}
	return n, next
}

// parseOrdinal reads 7th, 21st, seventh, twenty-first.
func parseOrdinal(p *parser, i int) (n, next int) {
	w := p.at(i)
	if n := rank(w); n > 0 {
		return n, i + 1
	}
	if tens, ones := small(w), rank(p.at(i+1)); (tens == 20 || tens == 30) && ones > 0 && ones < 10 {
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
	return n, over(err == nil && w[len(w)-2:] == suffix, i+1)
}

// parseYearNumber reads a year in four digits, from 1000 on.
func parseYearNumber(p *parser, i int) (y, next int) {
	w := p.at(i)
	if len(w) != 4 || !digits(w) {
		return 0, 0
	}
	y, err := strconv.Atoi(w)
	return y, over(err == nil && y >= 1000 && y < 3000, i+1)
}

// over is the index after what was read, or 0 if it was not.
func over(ok bool, next int) int {
	if ok {
		return next
	}
	return 0
}

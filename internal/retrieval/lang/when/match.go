package when

import (
	"slices"
	"strconv"
	"strings"
)

// capture is a phrase of a class in a text, in English words.
type capture struct {
	class  string
	output []string
}

// match reads a pattern at a token, and returns the index after it, or 0.
func (t *translation) match(p *pattern, i int) (found []capture, next int) {
	for _, e := range p.source {
		if i >= len(t.source) {
			return nil, 0
		}
		if e.class == "" {
			if t.source[i].text != e.word {
				return nil, 0
			}
			i++
			continue
		}
		output, end := t.read(e.class, i)
		if end == 0 {
			return nil, 0
		}
		if output != nil {
			found = append(found, capture{meaning(e.class), output})
		}
		i = end
	}
	return found, i
}

// read reads a phrase of a class.
func (t *translation) read(class string, i int) (output []string, next int) {
	w := t.source[i].text
	switch class {
	case "NUMBER":
		return t.number(i)
	case "CLOCK":
		if output, next = t.number(i); next > 0 {
			if hour, err := strconv.Atoi(output[0]); err == nil && hour < 25 {
				return []string{twelveHours(hour % 24)}, next
			}
		}
		return nil, 0
	case "HOUR", "MINUTE":
		output, next = t.number(i)
		if next == 0 || len(output[0]) > 2 {
			return nil, 0
		}
		if class == "MINUTE" && len(output[0]) == 1 {
			output = []string{"0" + output[0]}
		}
		return output, next
	case "YEAR":
		return t.year(i)
	case "DATE", "DAYMONTH":
		output = numericDate(w, class == "DATE")
		return output, indexOrZero(output != nil, i+1)
	case "TIME":
		output = timeOf(w)
		return output, indexOrZero(output != nil, i+1)
	case "ORDINAL":
		if output, next = t.ordinal(i); next > 0 {
			return output, next
		}
	}
	return t.entry(class, i)
}

// entry reads the longest phrase of a class in the table.
func (t *translation) entry(class string, i int) (output []string, next int) {
	c := t.classes[class]
	if c == nil {
		return nil, 0
	}
	for _, e := range c.entries[t.source[i].text] {
		if end := i + len(e.words); end <= len(t.source) && slices.EqualFunc(e.words, t.source[i:end], func(w string, s token) bool { return w == s.text }) {
			return e.output, end
		}
	}
	return nil, 0
}

// number reads digits, at most four, a range of two numbers, or a numeral.
func (t *translation) number(i int) (output []string, next int) {
	w := t.source[i].text
	if digits(w) && len(w) <= 4 {
		return []string{w}, i + 1
	}
	if low, high, ok := strings.Cut(w, "-"); ok && digits(low) && digits(high) && len(low) < 4 && len(high) < 4 {
		return []string{w}, i + 1
	}
	if n, end := t.hanNumber(i); end > 0 {
		return []string{n}, end
	}
	return t.entry("NUMBER", i)
}

const (
	// hanDigits are the Chinese digits from 0, three bytes each.
	hanDigits = "\u3007\u4E00\u4E8C\u4E09\u56DB\u4E94\u516D\u4E03\u516B\u4E5D"
	// hanTen and hanHundred are the Chinese numerals for 10 and 100.
	hanTen, hanHundred = "\u5341", "\u767E"
)

// hanDigit returns the value of a Chinese digit; -1 for another word.
func hanDigit(w string) int {
	if len(w) != 3 {
		return -1
	}
	switch w {
	case "\u4E24", "\u5169": // two of something
		return 2
	case "\u96F6": // another zero
		return 0
	}
	if i := strings.Index(hanDigits, w); i >= 0 && i%3 == 0 {
		return i / 3
	}
	return -1
}

// hanNumber reads a Chinese numeral up to 999: 三, 十二, 二十一, 三百, or two digits in a row: 二三 is
// two or three.
func (t *translation) hanNumber(i int) (n string, next int) {
	total, last, read := 0, -1, 0
	for ; i < len(t.source); i++ {
		w := t.source[i].text
		d := hanDigit(w)
		switch {
		case d >= 0 && last < 0:
			last = d
		case d == last+1 && read == 1 && total == 0:
			return strconv.Itoa(last) + "-" + strconv.Itoa(d), i + 1
		case d >= 0:
			return "", 0
		case w == hanTen:
			total, last = total+10*times(last), -1
		case w == hanHundred && total == 0:
			total, last = 100*times(last), -1
		default:
			return strconv.Itoa(total + max(last, 0)), indexOrZero(read > 0, i)
		}
		read++
	}
	return strconv.Itoa(total + max(last, 0)), indexOrZero(read > 0, i)
}

// times returns the digit before a ten or hundred; -1 for none, which counts one of them.
func times(digit int) int {
	if digit < 0 {
		return 1
	}
	return digit
}

// year reads four digits, in ASCII or Chinese.
func (t *translation) year(i int) (output []string, next int) {
	if w := t.source[i].text; len(w) == 4 && digits(w) && w[0] >= '1' && w[0] < '3' {
		return []string{w}, i + 1
	}
	y := ""
	for ; i < len(t.source) && len(y) < 4; i++ {
		d := hanDigit(t.source[i].text)
		if d < 0 {
			return nil, 0
		}
		y += strconv.Itoa(d)
	}
	if len(y) < 4 || y[0] != '1' && y[0] != '2' {
		return nil, 0
	}
	return []string{y}, i
}

// ordinal reads digits with an ordinal suffix: 3., 1er, 2º.
func (t *translation) ordinal(i int) (output []string, next int) {
	w := t.source[i].text
	number := len(w) - len(strings.TrimLeft(w, "0123456789"))
	if number == 0 || number > 2 {
		return nil, 0
	}
	n, _ := strconv.Atoi(w[:number])
	suffix := t.classes["SUFFIX"]
	switch {
	case suffix == nil:
		return nil, 0
	case number < len(w):
		return []string{ordinalOf(n)}, indexOrZero(len(suffix.entries[w[number:]]) > 0, i+1)
	case i+1 < len(t.source) && t.source[i+1].text == stop:
		return []string{ordinalOf(n)}, indexOrZero(len(suffix.entries[stop]) > 0, i+2)
	}
	return nil, 0
}

// numericDate reads a date in digits, the day first: 3.4.2026, 3/4/26; or, without a year, 3.4 and
// 3/4.
func numericDate(w string, dated bool) []string {
	sep := strings.IndexAny(w, "./-")
	if sep < 1 {
		return nil
	}
	parts := strings.Split(w, w[sep:sep+1])
	for _, part := range parts {
		if !digits(part) {
			return nil
		}
	}
	if len(parts[0]) > 2 || len(parts[1]) > 2 {
		return nil
	}
	d, _ := strconv.Atoi(parts[0])
	m, _ := strconv.Atoi(parts[1])
	if d < 1 || d > 31 || m < 1 || m > 12 {
		return nil
	}
	switch {
	case !dated && len(parts) == 2 && w[sep] != '-':
		return []string{ordinalOf(d), words().full["month"][m-1]}
	case dated && len(parts) == 3 && (len(parts[2]) == 4 || len(parts[2]) == 2 && w[sep] != '-'):
		return []string{ordinalOf(d), words().full["month"][m-1], fullYear(parts[2])}
	default:
		return nil
	}
}

// timeOf reads a time of day that is one word: 15:30, 15h30, 15h.
func timeOf(w string) []string {
	hour, minutes, found := strings.Cut(w, "h")
	if found && minutes == "" {
		if n, err := strconv.Atoi(hour); err == nil && n < 25 {
			return []string{twelveHours(n % 24)}
		}
		return nil
	}
	if found {
		w = hour + ":" + minutes
	}
	if _, ok := clockOf(w); ok {
		return []string{w}
	}
	return nil
}

// twelveHours writes an hour as the English grammar reads a whole one: 3pm.
func twelveHours(hour int) string {
	half := "am"
	if hour >= 12 {
		half = "pm"
	}
	return strconv.Itoa((hour+11)%12+1) + half
}

// fill returns the English words for a word of a target, which may name a class, or two with a
// dot between them, an hour and a minute. A class that occurs more often than in the source repeats the last one.
func fill(word string, found []capture) []string {
	if !isClass(word) {
		return []string{word}
	}
	if hour, minute, ok := strings.Cut(word, "."); ok {
		return []string{fill(hour, found)[0] + ":" + fill(minute, found)[0]}
	}
	for _, c := range found {
		if c.class == word {
			return c.output
		}
	}
	return nil
}

// used removes the capture that a word of a target took, if another of its class follows.
func used(word string, found []capture) []capture {
	same := func(c capture) bool { return c.class == word }
	at := slices.IndexFunc(found, same)
	if at < 0 || !slices.ContainsFunc(found[at+1:], same) {
		return found
	}
	return slices.Delete(slices.Clone(found), at, at+1)
}

package contradict

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// valueOf returns the token of a word: a value, or a plain word.
func valueOf(core, lower string) token {
	named := strings.ContainsAny(core, "/\\.")
	if named && strings.Contains(core, "://") {
		return token{kind: link, text: strings.TrimRight(lower, "/")}
	}
	if named && isPath(core) {
		return token{kind: path, text: strings.TrimPrefix(core, "./")}
	}
	if n, ok := numeral(lower); ok {
		return token{kind: number, value: n, text: lower}
	}
	if d, ok := month(strings.TrimSuffix(lower, ".")); ok && unicode.IsUpper(rune(core[0])) {
		return token{kind: date, text: "-" + d}
	}
	if day := strings.TrimSuffix(lower, "s"); strings.HasSuffix(day, "day") && classOf(day).has(weekday) {
		return token{kind: date, text: day}
	}
	if c := lower[0]; c >= 'a' && c <= 'z' && (c != 'v' || len(lower) > 12) || !strings.ContainsAny(lower, "0123456789") {
		return token{}
	}
	return numeric(lower)
}

// numeric parses a word with digits: a date, a time, a version or a number.
func numeric(s string) token {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, s)
	switch digits {
	case "0000-00-00", "0000-00":
		return token{kind: date, text: s}
	case "00:00", "0:00", "00:00:00":
		return token{kind: clock, text: strings.TrimPrefix(s, "0")}
	case "0000":
		if s >= "1900" && s < "2100" {
			return token{kind: date, text: s}
		}
	}
	v := strings.TrimPrefix(digits, "v")
	if strings.Trim(v, "0.") == "" && (strings.Count(v, ".") > 1 || v != digits) && !strings.HasSuffix(v, ".") {
		return token{kind: version, text: strings.TrimPrefix(s, "v")}
	}
	return quantity(s)
}

// quantity parses a number with its prefix or suffix: $5, 30s, 80%.
func quantity(s string) token {
	body := strings.TrimLeft(s, "$€£~<>≈")
	prefix := strings.TrimPrefix(s[:len(s)-len(body)], "~")
	end := strings.IndexFunc(body, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' })
	suffix := ""
	if end >= 0 {
		body, suffix = body[:end], body[end:]
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(body, ",", ""), 64)
	if err != nil {
		return token{}
	}
	t := token{kind: number, value: n, text: body, approximate: strings.HasPrefix(s, "~")}
	if t.ordinal(suffix) || suffix != "" && !t.measure(suffix) || prefix != "" && !t.measure(prefix) {
		return token{}
	}
	return t
}

// ordinal reports whether a word is an ordinal number, which names a thing: 1st, 2nd.
func (t *token) ordinal(suffix string) bool {
	return suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th"
}

// measure sets the unit of a number; false: the word is not a unit.
func (t *token) measure(name string) bool {
	u, ok := unitOf(name)
	if !ok {
		if u, ok = unitOf(strings.ToLower(name)); !ok {
			return false
		}
	}
	t.unit, t.scale = u.dimension, strings.ToLower(name)
	t.value *= u.size
	return true
}

// dates adds a day or a year to the month t.
func (t *token) dates(next *token) bool {
	isMonth := func(x *token) bool { return x.kind == date && strings.HasPrefix(x.text, "-") && len(x.text) == 3 }
	isDay := func(x *token) bool {
		return x.kind == number && x.unit == "" && x.value >= 1 && x.value <= 31 && x.value == math.Trunc(x.value)
	}
	two := func(n float64) string { return string([]byte{'-', '0' + byte(n)/10, '0' + byte(n)%10}) }
	switch {
	case isMonth(t) && isDay(next):
		t.text += two(next.value)
	case isDay(t) && isMonth(next):
		t.kind, t.text = date, next.text+two(t.value)
	case t.kind == date && strings.HasPrefix(t.text, "-") && next.kind == date && len(next.text) == 4 && next.text[0] != '-':
		t.text = next.text + t.text
	default:
		return false
	}
	t.raw = joined(t.raw, next.raw)
	t.listed = next.listed
	return true
}

// isPath reports whether a word is the path of a file.
func isPath(s string) bool {
	if strings.ContainsAny(s, "<>|") || len(s) < 3 {
		return false
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") ||
		strings.Count(s, "/") > 1 || strings.Contains(s, ":\\") {
		return !strings.ContainsFunc(s[:1], unicode.IsDigit)
	}
	dot := strings.LastIndexByte(s, '.')
	return dot > 0 && classOf(strings.ToLower(s[dot+1:])).has(extension)
}

// same reports whether two tokens may have the same meaning.
func (t *token) same(o *token) bool {
	if t.kind != o.kind {
		return false
	}
	switch t.kind {
	case number:
		if t.unit != o.unit {
			return false
		}
		slack := 1e-9
		switch {
		case t.approximate || o.approximate:
			slack = .25
		case t.scale != o.scale: // a kilobyte has 1,000 bytes or 1,024
			slack = .1
		}
		return math.Abs(t.value-o.value) <= slack*max(math.Abs(t.value), math.Abs(o.value))
	case version, date:
		return isLessPrecise(t.text, o.text)
	case path:
		return t.text == o.text || strings.HasSuffix(t.text, "/"+o.text) || strings.HasSuffix(o.text, "/"+t.text)
	default:
		return t.text == o.text
	}
}

// isLessPrecise reports whether one of two dates or versions is a less precise form of the
// other: a prefix, or a date without its year.
func isLessPrecise(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, a) && (len(a) == len(b) || b[len(a)] == '.' || b[len(a)] == '-') ||
		strings.HasPrefix(a, "-") && len(b) > 4 && strings.HasPrefix(b[4:], a)
}

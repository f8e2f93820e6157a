package when

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a part of a hyphenated word, or punctuation.
type token struct {
	// text is in lower case, without a possessive 's; "" is a token that matches no rule,
	// "." the end of a clause, ".." a range.
	text       string
	start, end int
	// head and tail: a word between spaces begins or ends with this token.
	head, tail bool
	// Of a text in another language: plain, the token stands for a phrase of the language, and has
	// no other meaning; weak, the phrase also occurs in other languages; closing, it must end a
	// clause; article, the token is an article, which may belong to the time after it.
	plain, weak, closing, article bool
}

const (
	stop  = "."
	comma = ","
	dots  = ".."
	// clauseWord is a word of another language that begins a clause.
	clauseWord = "|"

	opening = "\"'([{\u201C\u2018\u00AB"
	closing = "\"')]}\u201D\u2019\u00BB"
	marks   = "\"'()[]{}\u201C\u201D\u2018\u2019\u00AB\u00BB.,;:!?\u2026"
)

func (t *token) punctuation() bool { return t.text == stop || t.text == comma || t.text == dots }

// scan splits a text into tokens.
func scan(text string) []token {
	var out []token
	for start := 0; start < len(text); {
		r, n := utf8.DecodeRuneInString(text[start:])
		if unicode.IsSpace(r) {
			start += n
			continue
		}
		end := strings.IndexFunc(text[start:], unicode.IsSpace)
		if end < 0 {
			end = len(text) - start
		}
		out = field(out, text, start, start+end)
		start += end
	}
	return out
}

// field appends the tokens of the text between two spaces.
func field(out []token, text string, start, end int) []token {
	switch word := text[start:end]; word {
	case "-", "\u2013", "\u2014", dots:
		return append(out, token{text: dots, start: start, end: end})
	}
	left := len(text[start:end]) - len(strings.TrimLeft(text[start:end], opening))
	core := strings.TrimRight(text[start+left:end], marks)
	if left > 0 || core == "" {
		out = append(out, token{text: stop, start: start, end: start + left})
	}
	if core == "" {
		return out
	}
	start += left
	after := text[start+len(core) : end]
	out = word(out, core, start)
	switch abbreviated := isAbbreviation(out[len(out)-1].text); {
	case after == "" || after == stop && abbreviated:
	case after == comma:
		out = append(out, token{text: comma, start: start + len(core), end: end})
	default:
		out = append(out, token{text: stop, start: start + len(core), end: end})
	}
	return out
}

// word appends the tokens of a word without the punctuation around it.
func word(out []token, core string, start int) []token {
	first := len(out)
	base := strings.TrimSuffix(strings.TrimSuffix(core, "'s"), "\u2019s")
	if i, n := rangeMark(base); n > 0 {
		out = single(out, base[:i], start)
		out = append(out, token{text: dots, start: start + i, end: start + i + n})
		out = single(out, base[i+n:], start+i+n)
	} else {
		out = single(out, base, start)
	}
	out[first].head, out[len(out)-1].tail = true, true
	out[len(out)-1].end = start + len(core)
	return out
}

// single appends the tokens of a word that is not a range.
func single(out []token, core string, start int) []token {
	first := len(out)
	add := func(text string, from, to int) {
		out = append(out, token{text: strings.ToLower(text), start: start + from, end: start + to})
	}
	switch low := strings.ToLower(core); {
	case low == "a.m" || low == "p.m":
		add(low[:1]+"m", 0, len(core))
	case whole(low):
		add(core, 0, len(core))
	default:
		pieces(core, add)
	}
	if len(out) == first {
		out = append(out, token{start: start, end: start + len(core)})
	}
	return out
}

// rangeMark returns the position and length of a range separator within a word.
func rangeMark(word string) (at, length int) {
	for _, mark := range []string{dots, "\u2013", "\u2014"} {
		if i := strings.Index(word, mark); i > 0 && i+len(mark) < len(word) {
			return i, len(mark)
		}
	}
	if len(word) == 9 && word[4] == '-' && digits(word[:4]) && digits(word[5:]) {
		return 4, 1
	}
	return 0, 0
}

// whole reports whether a word is one token: a date or a time in digits.
func whole(word string) bool {
	if len(word) > 15 && word[10] == 't' && word[4] == '-' && digits(word[:4]) {
		return true
	}
	if _, ok := clockOf(word); ok {
		return true
	}
	numeric := strings.IndexFunc(word, func(r rune) bool { return !digit(r) && r != '-' && r != '/' && r != ':' }) < 0
	_, n := rangeMark(word)
	return numeric && n == 0
}

// pieces splits a word at hyphens, and a number from its unit. A word with other
// characters than letters and digits yields nothing.
func pieces(word string, add func(text string, from, to int)) {
	if strings.ContainsFunc(word, func(r rune) bool { return r != '-' && !digit(r) && !unicode.In(r, unicode.L, unicode.M) }) ||
		strings.HasPrefix(word, "-") || strings.HasSuffix(word, "-") || strings.Contains(word, "--") {
		return
	}
	from := 0
	for piece := range strings.SplitSeq(word, "-") {
		number := len(piece) - len(strings.TrimLeft(piece, "0123456789"))
		if _, ok := unitOf(strings.ToLower(piece[number:])); ok && number > 0 {
			add(piece[:number], from, from+number)
			add(piece[number:], from+number, from+len(piece))
		} else {
			add(piece, from, from+len(piece))
		}
		from += len(piece) + 1
	}
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// digits reports whether s is a number without a sign.
func digits(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !digit(r) }) < 0
}

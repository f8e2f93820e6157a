package contradict

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// field is a word of a sentence with the punctuation around it. If it stands for a word of
// another language, raw is that word.
type field struct{ text, raw string }

// fields splits a sentence into words, and replaces those that the rules know by English ones.
func (t *table) fields(text string) []field {
	if t == others().han || t == others().kana {
		return t.characters(text)
	}
	return t.words(text)
}

const (
	openers = "([{\"'`\u201C\u2018\u201E\u00AB*_\u00BF\u00A1"
	closers = ")]}\"'`\u201D\u2019\u201C\u00BB*_,.;:!?\u2026"
)

// piece is a word without the punctuation before and after it.
type piece struct{ before, core, low, after string }

// piecesOf splits a text at spaces, and at apostrophes after a word of the table: l'API.
func (t *table) piecesOf(text string) []piece {
	var pieces []piece
	for w := range strings.FieldsSeq(text) {
		core := strings.TrimLeft(w, openers)
		before := w[:len(w)-len(core)]
		core = strings.TrimRight(core, closers)
		after := w[len(before)+len(core):]
		if i := strings.IndexAny(core, "'\u2019"); i > 0 && len(t.phrases[strings.ToLower(core[:i])]) > 0 {
			_, n := utf8.DecodeRuneInString(core[i:])
			pieces = append(pieces, piece{before, core[:i], strings.ToLower(core[:i]), ""})
			before, core = "", core[i+n:]
		}
		pieces = append(pieces, piece{before, core, strings.ToLower(core), after})
	}
	return pieces
}

// words returns the fields of a text with spaces between words.
func (t *table) words(text string) []field {
	pieces := t.piecesOf(text)
	var out []field
	paired := false
	for i := 0; i < len(pieces); {
		p := pieces[i]
		english, n := t.match(pieces[i:])
		switch {
		case paired && t.paired[p.low] > 0:
			english, n = []string{"not"}, 1
		case t.auxiliary[p.low] > 0 && t.isParticiple(pieces[len(pieces)-1]):
			english, n = []string{"the"}, 1
		case n > 0 && len(out) > 0 && english[0] == "of" && t.isDate(out[len(out)-1].text, pieces[i+n:]): // 5 de marzo
			i += n
			continue
		case n == 0 || len(english) == 0:
			out = append(out, field{p.before + decimal(p.core) + p.after, p.core})
			i++
			continue
		}
		paired = paired || t.pairs[p.low] > 0
		raw := coresOf(pieces[i : i+n])
		for j, word := range english {
			f := field{word, raw}
			if j == 0 {
				f.text = p.before + f.text
			}
			if j == len(english)-1 {
				f.text += pieces[i+n-1].after
			}
			out = append(out, f)
		}
		i += n
	}
	return out
}

// coresOf returns the words of pieces with spaces between them.
func coresOf(pieces []piece) string {
	out := make([]string, len(pieces))
	for i, p := range pieces {
		out[i] = p.core
	}
	return strings.Join(out, " ")
}

// isDate reports whether a word is a number, and the pieces after it begin with a month.
func (t *table) isDate(day string, after []piece) bool {
	if len(after) == 0 || len(day) > 2 || strings.Trim(day, "0123456789") != "" {
		return false
	}
	english, _ := t.match(after)
	if len(english) != 1 {
		return false
	}
	_, ok := month(strings.ToLower(english[0]))
	return ok
}

// isParticiple reports whether the last word of a sentence is the participle of its auxiliary.
func (t *table) isParticiple(p piece) bool {
	for ending := range t.participles {
		if p.core == p.low && strings.HasSuffix(p.low, ending) {
			return true
		}
	}
	return false
}

// match returns the English words for the longest phrase with which pieces begin, and the number
// of its words.
func (t *table) match(pieces []piece) (english []string, n int) {
	for _, p := range t.phrases[pieces[0].low] {
		if len(p.words) > len(pieces) {
			continue
		}
		same := true
		for i, w := range p.words {
			same = same && pieces[i].low == w && (i == 0 || pieces[i].before == "" && pieces[i-1].after == "")
		}
		if same {
			return p.english, len(p.words)
		}
	}
	return nil, 0
}

// decimal writes a number with a decimal comma, or with full stops between thousands, as English does.
func decimal(core string) string {
	if core == "" || !unicode.IsDigit(rune(core[0])) {
		return core
	}
	whole, fraction, found := strings.Cut(core, ",")
	switch {
	case found && strings.Trim(whole+fraction, "0123456789.%") == "" && !strings.Contains(fraction, "."):
		return strings.ReplaceAll(whole, ".", "") + "." + fraction
	case !found && thousands().MatchString(core):
		return strings.ReplaceAll(core, ".", "")
	default:
		return core
	}
}

// characters returns the fields of a text without spaces between words: phrases of the table, and
// the runs of one script between them. Hiragana after Han is the ending of a word, and left out.
func (t *table) characters(text string) []field {
	var out []field
	run := 0 // where the current run begins
	flush := func(at int) {
		if run < at {
			out = append(out, field{text[run:at], ""})
		}
		run = at
	}
	last := rune(0)
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if !lexicon.Unspaced(r) || !unicode.IsLetter(r) {
			flush(at)
			mark, fields, end := foreign(text, at)
			if mark != "" && len(out) > 0 {
				out[len(out)-1].text += mark
			}
			out = append(out, fields...)
			at, run, last = end, end, 0
			continue
		}
		if english, size := t.prefix(text[at:]); size > 0 {
			if len(english) > 0 {
				flush(at)
				for _, word := range english {
					out = append(out, field{word, text[at : at+size]})
				}
				run = at + size
			}
			at, last = at+size, 0
			continue
		}
		switch {
		case unicode.Is(unicode.Hiragana, r) && unicode.Is(unicode.Han, last):
			flush(at)
			run = at + n
		case last != 0 && scriptOf(r) != scriptOf(last):
			flush(at)
			last = r
		default:
			last = r
		}
		at += n
	}
	flush(len(text))
	return out
}

func scriptOf(r rune) int {
	switch {
	case unicode.Is(unicode.Hiragana, r):
		return 1
	case unicode.Is(unicode.Katakana, r) || r == '\u30FC':
		return 2
	default:
		return 3
	}
}

// prefix returns the English words for the longest phrase with which a text begins, and its length.
func (t *table) prefix(text string) (english []string, size int) {
	_, n := utf8.DecodeRuneInString(text)
	for _, p := range t.phrases[text[:n]] {
		if strings.HasPrefix(text, p.text) {
			return p.english, len(p.text)
		}
	}
	return nil, 0
}

// foreign reads a comma or colon, a number with the characters of a date, or a word of another
// script, and returns where it ends.
func foreign(text string, at int) (mark string, fields []field, end int) {
	r, n := utf8.DecodeRuneInString(text[at:])
	switch {
	case r == '\uFF0C' || r == '\u3001' || r == ',':
		return ",", nil, at + n
	case r == '\uFF1A':
		return ":", nil, at + n
	case unicode.IsSpace(r) || r >= utf8.RuneSelf && !unicode.In(r, unicode.L, unicode.Nd, unicode.Sc):
		return "", nil, at + n
	}
	if m := characterDate().FindStringSubmatch(text[at:]); m[0] != "" {
		return "", dateOf(m), at + len(m[0])
	}
	for end = at + n; end < len(text); end += n {
		if r, n = utf8.DecodeRuneInString(text[end:]); unicode.IsSpace(r) || r >= 0x3000 {
			break
		}
	}
	return "", []field{{text[at:end], ""}}, end
}

// characterDate matches a date with the characters for year, month and day.
var characterDate = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // it is compiled once
	return regexp.MustCompile(`^(?:(\d{4})年)?(?:(\d{1,2})月(?:(\d{1,2})[日号號])?)?`)
})

// thousands matches a whole number with full stops between thousands.
var thousands = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // it is compiled once
	return regexp.MustCompile(`^\d{1,3}(\.\d{3})+$`)
})

// dateOf returns the fields of a date that characterDate matches: 2026-03-05, or March 5.
func dateOf(m []string) []field {
	year, month, day := m[1], m[2], m[3]
	n, _ := strconv.Atoi(month)
	name := time.Month(min(max(n, 1), 12)).String()
	switch {
	case year == "" && day == "":
		return []field{{name, m[0]}}
	case year == "":
		return []field{{name, month + "\u6708"}, {day, day + "\u65E5"}}
	case month == "":
		return []field{{year, m[0]}}
	case day == "":
		return []field{{year + "-" + twoDigits(month), m[0]}}
	default:
		return []field{{year + "-" + twoDigits(month) + "-" + twoDigits(day), m[0]}}
	}
}

func twoDigits(n string) string {
	if len(n) == 1 {
		return "0" + n
	}
	return n
}

// isQuestion reports whether a sentence is a question.
func isQuestion(text string) bool {
	for _, end := range [...]string{"?", "\uFF1F", "\u5417", "\u55CE", "\u304B", "\u5462"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

// wideStop returns the end of a sentence that ends with a mark of full width at a position, and
// where the next one begins; 0 if there is none.
func wideStop(text string, at int) (end, next int) {
	switch r, n := utf8.DecodeRuneInString(text[at:]); r {
	case '\u3002', '\uFF01', '\uFF1B':
		return at, at + n
	case '\uFF1F':
		return at + n, at + n
	default:
		return 0, 0
	}
}

// isDayBefore reports whether a full stop at a position belongs to the day before a month: 5. März.
func isDayBefore(text string, at int) bool {
	day := strings.TrimRight(text[:at], "0123456789")
	if n := at - len(day); n == 0 || n > 2 || day != "" && day[len(day)-1] != ' ' {
		return false
	}
	month, _, _ := strings.Cut(strings.TrimLeft(text[at+1:], " "), " ")
	return others().months[strings.ToLower(strings.TrimRight(month, closers))] > 0
}

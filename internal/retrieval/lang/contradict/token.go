package contradict

import (
	"strings"
	"unicode"
)

// kind is the kind of a token.
type kind uint8

const (
	word    kind = iota
	number       // with or without a unit
	version      // 1.2.3, v2
	date         // or a part of one: a year, a month, a weekday
	clock        // 10:30
	path         // of a file, or its name
	link         // a URL
	mark         // = or :
)

// token is a word, a value or a mark of a sentence.
type token struct {
	kind        kind
	text        string // normalized, for comparison
	raw         string // as written
	lower       string // that in lower case
	class       class  // of that; a value or quoted word is no function word
	value       float64
	unit        string // of a number: its dimension, "" for none
	scale       string // of a number: its unit as written
	approximate bool   // of a number
	listed      bool   // part of an enumeration
	quoted      bool
}

// sentence is a parsed sentence: its tokens without negations, and the positions of the
// content tokens.
type sentence struct {
	all      []token
	content  []int
	words    int  // words among content
	negated  bool // an odd number of negations
	question bool
	no       bool // the word before was "no"
	// clause is the first token after if, when and the like; len(all): there is none.
	clause int
}

// parse parses a sentence; false: it has nothing to compare.
func parse(text string) (sentence, bool) {
	s := sentence{question: isQuestion(text), clause: -1}
	if s.question {
		return s, false
	}
	if table := others().tableOf(text); table != nil {
		s.translate(table.fields(text))
	} else if words := strings.Fields(text); len(words) <= maxWords {
		s.all = make([]token, 0, len(words)+2)
		for _, w := range words {
			if !s.read(w) {
				break
			}
		}
	}
	s.all = fold(s.all)
	if s.clause < 0 {
		s.clause = len(s.all)
	}
	for i := range s.all {
		if t := &s.all[i]; !t.class.has(functionWord) && t.kind != mark {
			s.content = append(s.content, i)
			if t.kind == word {
				s.words++
			}
		}
	}
	return s, s.words > 0
}

// translate reads the fields of a sentence in another language.
func (s *sentence) translate(fields []field) {
	if len(fields) > maxWords {
		return
	}
	for _, f := range fields {
		n, negated := len(s.all), s.negated
		if !s.read(f.text) {
			if f.raw != "" && n > 0 {
				s.all[n-1].listed = false // the comma is before the explanation
			}
			break
		}
		if f.raw != "" && len(s.all) > n {
			s.all[len(s.all)-1].raw = f.raw
		}
		s.negated = s.negated || f.raw != "" && negated // two negations are one
	}
}

// read adds the text between two spaces; false: the rest of the sentence is an explanation.
func (s *sentence) read(field string) bool {
	core := strings.TrimLeft(field, "([{\"'`“‘*_")
	quoted := core != field && strings.ContainsAny(field[:len(field)-len(core)], "\"'`“‘")
	listed := strings.HasSuffix(core, ",")
	colon := strings.HasSuffix(core, ":")
	core = strings.TrimRight(core, ")]}\"'`”’*_,.;:!?…")
	lower := strings.ToLower(core)
	classes, before := classOf(lower), s.no
	s.no = lower == "no"
	switch {
	case field == "→" || field == "->":
		core, lower = "to", "to"
	case before && (lower == "longer" || lower == "more"):
		return true
	case core == "=" || field == "=" || field == ":=" || field == ":" || field == "==":
		s.mark()
		return true
	case core == "":
		return true
	case colon && len(s.all) == 0 && classes.has(preface):
		return true
	case classes.has(explanation):
		return false
	case lower == "no" && listed: // it answers something
		return true
	case classes.has(negation), strings.HasSuffix(lower, "n't"), strings.HasSuffix(lower, "n’t"):
		s.negated = !s.negated
		return true
	case classes.has(condition) && s.clause < 0:
		s.clause = len(s.all)
	}
	key, value, ok := assignment(core)
	if ok {
		s.add(key, strings.ToLower(key), false)
		s.mark()
		core, lower = value, strings.ToLower(value)
	}
	s.add(core, lower, quoted)
	last := &s.all[len(s.all)-1]
	last.listed = listed || lower == "and" || lower == "or"
	if colon {
		s.mark()
	}
	return true
}

// assignment splits key=value, and key:value if the key is a word.
func assignment(core string) (key, value string, ok bool) {
	if strings.Contains(core, "://") {
		return "", "", false
	}
	key, value, ok = strings.Cut(core, "=")
	if !ok {
		key, value, ok = strings.Cut(core, ":")
		ok = ok && len(key) > 2 && strings.IndexFunc(key, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	}
	return key, strings.Trim(value, "=\"'`"), ok && key != "" && strings.Trim(value, "=\"'`") != ""
}

func (s *sentence) mark() {
	if n := len(s.all); n > 0 && s.all[n-1].kind != mark {
		s.all = append(s.all, token{kind: mark, text: "=", raw: "=", lower: "="})
	}
}

func (s *sentence) add(core, lower string, quoted bool) {
	t := valueOf(core, lower)
	t.raw, t.lower, t.class, t.quoted = core, lower, classOf(lower), quoted
	if t.kind == word {
		t.text = stem(lower)
	}
	if t.kind != word || quoted {
		t.class &^= functionWord
	}
	s.all = append(s.all, t)
}

// stem strips the endings of plurals, verbs and possessives.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	default:
		return w
	}
}

// fold joins the tokens of one value, such as a number and its unit or the parts of a date;
// replaces on and off by states; and drops the old value of a change.
func fold(all []token) []token {
	out := all[:0]
	for i := range all {
		t := all[i]
		if t.kind == word && (t.text == "on" || t.text == "off") {
			if t.class |= functionWord; switches(all, i) {
				t.class &^= functionWord
			}
		}
		if n := len(out); n > 0 {
			last := &out[n-1]
			switch {
			case last.kind == number && last.unit == "" && t.kind == word && (last.measure(t.raw) || last.measure(t.lower)):
				last.raw = joined(last.raw, t.raw)
				last.listed = t.listed
				continue
			case t.kind == number && classOf(last.text).has(approximate):
				t.approximate = true
			case last.dates(&t):
				continue
			}
		}
		if n := len(out); n >= 2 && t.text == "to" && (out[n-2].text == "from" || out[n-2].text == "of" && out[n-2].raw != "of") && out[n-1].kind != word {
			out = out[:n-2]
		}
		out = append(out, t)
	}
	return out
}

// switches reports whether "on" or "off" is a state rather than a preposition.
func switches(all []token, i int) bool {
	if i == 0 {
		return false
	}
	before, last := all[i-1], i == len(all)-1
	switch before.text {
	case "turn", "turned", "switch", "switched":
		return true
	default:
		return last && (before.kind == mark || before.class.has(functionWord) || before.text == "stay")
	}
}

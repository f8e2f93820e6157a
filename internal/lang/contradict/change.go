package contradict

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Statement is a text, parsed once to be compared with others. The zero value changes nothing.
type Statement struct{ plain }

// StatementOf parses a text; one that is too long for a statement yields the zero value.
func StatementOf(text string) Statement {
	if len(text) > maxBytes {
		return Statement{}
	}
	return Statement{plainOf(text)}
}

// ChangedBy reports whether a newer text probably changes a value of this one, so that both do not hold side by side. It has more
// recall than [Text.Revised]: words that speak of a change ("switched to", "no longer", "now") let it compare sentences that are
// worded otherwise. The result is a suggestion. Cost: some microseconds.
func (s Statement) ChangedBy(newer Statement) bool {
	a, b := s.plain, newer.plain
	if len(a.words) == 0 || len(b.words) == 0 || slices.Equal(a.words, b.words) && a.denied == b.denied || b.adds {
		return false
	}
	if a.denied != b.denied {
		return overlaps(&a, &b) && sameSubject(&a, &b)
	}
	if b.changes && sameSubject(&a, &b) {
		return overlaps(&a, &b) || a.topic != "" && a.topic == b.topic
	}
	return slotDiffers(&a, &b)
}

// plain is the content words of a text without those that speak of a change or deny.
type plain struct {
	words   []string
	names   []bool // by word: it is written like a name
	changes bool   // a word speaks of a change
	denied  bool
	adds    bool // a word says that something is added
	several bool // the verb takes several objects
	topic   string
}

func plainOf(text string) plain {
	most := len(text)/shortWord + 1
	p := plain{words: make([]string, 0, most), names: make([]bool, 0, most)}
	article, first := false, true
	for f := range strings.FieldsFuncSeq(text, separates) {
		f = strings.Trim(f, ".:-'’/")
		low := strings.ToLower(f)
		said := changeWords()[low]
		if said.topic != "" && p.topic == "" {
			p.topic = said.topic
		}
		switch said.kind {
		case 'c':
			p.changes = true
		case 'd':
			p.denied = !p.denied
		case 'a':
			p.adds = true
		case 's':
			p.several = true
			p.add(low, false)
		case 'f':
			article = said.article
			continue
		default:
			if f != "" {
				r, _ := utf8.DecodeRuneInString(f)
				p.add(stemOf(low), first || article || unicode.IsUpper(r))
			}
		}
		first = false
	}
	if p.changes { // "no longer" and "not any more" change a value as "now" does
		p.denied = false
	}
	return p
}

// shortWord is how many bytes a word has, with the space after it, where words are short.
const shortWord = 5

// separates reports whether a rune separates words.
func separates(r rune) bool {
	if r < utf8.RuneSelf {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.IndexByte("-_/'.:", byte(r)) >= 0)
	}
	return r != '’' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

func (p *plain) add(word string, name bool) {
	p.words, p.names = append(p.words, word), append(p.names, name)
}

// stemOf drops the ending of a third person or a plural.
func stemOf(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && strings.IndexFunc(w, unicode.IsDigit) < 0 {
		return w[:len(w)-1]
	}
	return w
}

// shared is how many words two texts have in common.
func shared(a, b *plain) (n int) {
	for _, w := range a.words {
		if slices.Contains(b.words, w) {
			n++
		}
	}
	return n
}

// overlaps reports whether two texts have half of the words of the shorter one in common.
func overlaps(a, b *plain) bool { return 2*shared(a, b) >= min(len(a.words), len(b.words)) }

// sameSubject reports whether two texts may speak of one subject: they begin with the same word, or one has no subject, but begins
// with a word that names a topic or speaks of a change.
func sameSubject(a, b *plain) bool {
	if a.words[0] == b.words[0] {
		return true
	}
	has := func(p *plain) bool { return changeWords()[p.words[0]].topic == "" && p.names[0] }
	return !has(a) || !has(b) || slices.Contains(a.words, b.words[0]) || slices.Contains(b.words, a.words[0])
}

// maxSlot is how many words a value has at most.
const maxSlot = 3

// slotDiffers reports whether two texts are equal but for one place after the subject, which a verb of one value fills.
func slotDiffers(a, b *plain) bool {
	from, x, y := 0, len(a.words), len(b.words)
	for from < min(x, y) && a.words[from] == b.words[from] {
		from++
	}
	for x > from && y > from && a.words[x-1] == b.words[y-1] {
		x, y = x-1, y-1
	}
	if from < x && from > 0 && changeWords()[a.words[from-1]].steps {
		return false
	}
	equal := from + len(a.words) - x
	return from > 0 && equal > 1-indicator(from == 1 && len(a.words) == len(b.words) && changeWords()[a.words[0]].topic != "") &&
		x > from && y > from && x-from <= maxSlot && y-from <= maxSlot && !a.several && !b.several
}

func indicator(is bool) int {
	if is {
		return 1
	}
	return 0
}

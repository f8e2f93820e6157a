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
	if len(text) > MaxBytes {
		return Statement{}
	}
	return Statement{plainOf(text)}
}

// Changes reports whether a word of the text speaks of a change: "now", "switched", "no longer".
func (s Statement) Changes() bool { return s.changes && !s.adds }

// Likeness is what is known, beside the words, of whether two texts speak of one thing.
type Likeness struct {
	// Cosine is that of their vectors, 0 if it is not known.
	Cosine float64
	// Answer: one question was asked, and both answer it about as well.
	Answer bool
}

// minSimilar is the cosine from which on a text that speaks of a change changes a value of one that has few of its words. It was chosen
// on the development half of pairs of texts.
const minSimilar = .35

// near reports whether two texts are alike enough for one to change a value of the other: about one subject, or, with an
// answer, in other words throughout. Where they have some words in common, different subjects are different things.
func (l Likeness) near(a, b *plain) bool {
	return l.Cosine >= minSimilar && (l.Answer && shared(a, b) == 0 || sameSubject(a, b) && subjectShared(a, b))
}

// ChangedBy reports whether a newer text probably changes a value of this one, so that both do not hold side by side. It has more
// recall than [Text.Revised]: words that speak of a change ("switched to", "no longer", "now") let it compare sentences that are
// worded otherwise; of those that have few words in common, it needs what else is known of them. The result is a
// suggestion. Cost: some microseconds.
func (s Statement) ChangedBy(newer Statement, l Likeness) bool {
	a, b := s.plain, newer.plain
	if len(a.words) == 0 || len(b.words) == 0 || slices.Equal(a.words, b.words) && a.denied == b.denied || b.adds {
		return false
	}
	switch {
	case a.denied != b.denied:
		return overlaps(&a, &b) && sameSubject(&a, &b)
	case b.changes && (!a.several || !b.several || b.ends) && (!b.ends && l.near(&a, &b) || sameSubject(&a, &b) && overlaps(&a, &b)):
		return true
	default:
		return slotDiffers(&a, &b)
	}
}

// plain is the content words of a text without those that speak of a change or deny.
type plain struct {
	words   []string
	bound   []bool // by word: a preposition is before it
	subject int    // how many words are before the first verb
	stated  bool   // a verb, or what stands for it, was read: it is a sentence, not a list of words
	changes bool   // a word speaks of a change
	ends    bool   // that of an end, of what the text says
	denied  bool
	adds    bool // a word says that something is added
	several bool // the verb takes several objects
}

func plainOf(text string) plain {
	most := len(text)/shortWord + 1
	r := reader{plain: plain{words: make([]string, 0, most), bound: make([]bool, 0, most)}}
	for f := range strings.FieldsFuncSeq(text, separates) {
		r.read(f)
	}
	if r.changes { // "no longer" and "not any more" change a value as "now" does
		r.denied = false
	}
	return r.plain
}

// reader reads the words of a text.
type reader struct {
	plain
	preposition bool // one was read before the next word
}

func (r *reader) read(f string) {
	colon := strings.HasSuffix(f, ":")
	low := strings.ToLower(strings.Trim(f, ".:-'’/"))
	low = strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "’s")
	said := changeWords()[low]
	if stem := stemOf(low); said.kind == 0 && len(stem) < len(low) {
		low, said = stem, changeWords()[stem]
	}
	switch said.kind {
	case 'c', 'e':
		r.changes, r.ends = true, r.ends || said.kind == 'e'
	case 'd':
		r.denied = !r.denied
	case 'a':
		r.adds = true
	case 'p':
		r.preposition = true
	case 's':
		r.several = true
		fallthrough
	case 'v':
		r.begins()
		r.add(low)
	default:
		if said.kind != 'f' && low != "" {
			if !r.stated && r.isVerb(f, low) {
				r.begins()
			}
			r.add(low)
		}
	}
	if said.verb {
		r.begins()
	}
	if colon {
		r.begins()
	}
}

// isVerb reports whether a word, and its stem, may be a verb: it is a known one, or has the ending of one and follows a noun.
func (r *reader) isVerb(f, stem string) bool {
	return strings.HasSuffix(stem, "ed") || classOf(stem).has(stative) || classOf(strings.ToLower(f)).has(stative) ||
		len(r.words) > 0 && len(stem) < len(f) && strings.HasSuffix(f, "s")
}

// begins notes that the first verb, or what stands for it, is here: the words before it are the subject.
func (r *reader) begins() {
	if !r.stated {
		r.stated, r.subject = true, len(r.words)
	}
}

func (r *reader) add(word string) {
	r.words, r.bound = append(r.words, word), append(r.bound, r.preposition)
	r.preposition = false
}

// shortWord is how many bytes a word has, with the space after it, where words are short.
const shortWord = 5

// separates reports whether a rune separates words.
func separates(r rune) bool {
	if r < utf8.RuneSelf {
		word := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.IndexByte("-_/'.:", byte(r)) >= 0
		return !word
	}
	return r != '’' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
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

// sameSubject reports whether two texts may speak of one subject: one has none, or one has all words of the other's.
func sameSubject(a, b *plain) bool {
	return a.subject == 0 || b.subject == 0 || has(a, b.words[:b.subject]) || has(b, a.words[:a.subject])
}

// subjectShared reports whether the subjects of two texts have a word in common, or one has none.
func subjectShared(a, b *plain) bool {
	return a.subject == 0 || b.subject == 0 || slices.ContainsFunc(a.words[:a.subject], func(w string) bool { return slices.Contains(b.words[:b.subject], w) })
}

// has reports whether a text has all these words.
func has(p *plain, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(p.words, w) })
}

// maxSlot is how many words a value has at most.
const maxSlot = 4

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
	return a.stated && b.stated && from > 0 && equal > 1 && from >= max(a.subject, b.subject) && isValue(a, from, x) && isValue(b, from, y) && !a.several && !b.several
}

// isValue reports whether these words of a text are one value: few, and no preposition is between them.
func isValue(p *plain, from, to int) bool {
	return from < to && to-from <= maxSlot && !slices.Contains(p.bound[from+1:to], true)
}

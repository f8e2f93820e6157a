package contradict

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Fact is a relation of which its subject has one at a time: "Ana works_at Globex". Names are in lower case and without accents.
type Fact struct {
	Subject []string // its names
	Kind    string
	Object  []string // its names
}

// factVerbs are the words for a kind of relation, its object last; inverse are those with the object first.
type factVerbs struct{ direct, inverse []string }

// verbsOf returns the words for a kind; none for one that a text can state in too many ways, or of which several hold side by side.
func verbsOf(kind string) factVerbs {
	switch kind {
	case "works_at", "works_for":
		return factVerbs{direct: []string{"works at", "works for", "is working at", "is working for", "is employed at", "is employed by"}}
	case "lives_in":
		return factVerbs{direct: []string{"lives in", "is living in", "resides in"}}
	case "reports_to":
		return factVerbs{direct: []string{"reports to"}}
	case "married_to":
		return factVerbs{direct: []string{"is married to"}}
	case "located_in":
		return factVerbs{direct: []string{"is located in", "is based in"}}
	case "owned_by":
		return factVerbs{direct: []string{"is owned by", "belongs to"}, inverse: []string{"owns"}}
	case "assigned_to":
		return factVerbs{direct: []string{"is assigned to"}}
	case "led_by":
		return factVerbs{direct: []string{"is led by", "is headed by"}, inverse: []string{"leads", "heads"}}
	default:
		return factVerbs{}
	}
}

// Stated reports whether a text in lower case may state a fact of a kind of which there is one at a time. It is quick.
func Stated(lower string) bool {
	for _, verb := range []string{"works ", "working ", "employed ", "lives in", "living in", "resides in", "reports to", "married to", "located in", "based in", "own", "belongs to", "assigned to", "led by", "head", "leads "} {
		if strings.Contains(lower, verb) {
			return true
		}
	}
	return false
}

const (
	// maxFactText bounds a text that is compared with facts: a longer one is a document.
	maxFactText = 2000
	// maxName is how many words a name in a text has.
	maxName = 4
)

// DeniedBy reports whether a text, without accents, states another object of the fact. known reports whether a name in lower case is
// that of something; a word with a capital letter or a digit is a name anyway. It prefers precision: the sentence begins with its
// subject, says the fact in plain words of now, and ends soon. The rules are English.
func (f *Fact) DeniedBy(text string, known func(name string) bool) bool {
	verbs := verbsOf(f.Kind)
	if len(text) > maxFactText || len(verbs.direct) == 0 {
		return false
	}
	for _, sentence := range split(text) {
		if strings.HasSuffix(sentence, "?") {
			continue
		}
		words := factWords(sentence)
		if hedged(words) || f.names(words, f.Object) {
			continue
		}
		for _, verb := range verbs.direct {
			if rest, ok := follows(words, f.Subject, verb); ok && f.another(rest, known) {
				return true
			}
		}
		for _, verb := range verbs.inverse {
			if f.anotherBefore(words, verb, known) {
				return true
			}
		}
	}
	return false
}

// factWord is a word of a sentence: raw as it was written, low in small letters to be compared. end: it is followed by punctuation that ends a clause.
type factWord struct {
	raw, low string
	end      bool
}

func factWords(sentence string) []factWord {
	var out []factWord
	for f := range strings.FieldsSeq(sentence) {
		raw := strings.Trim(f, `"'*_().,;:!`)
		if raw == "" {
			continue
		}
		last := strings.TrimRight(f, `"'*_`)
		out = append(out, factWord{raw, strings.ToLower(raw), strings.HasPrefix(f, "(") || strings.ContainsAny(last[max(0, len(last)-1):], ".,;:!)")})
	}
	return out
}

// hedged reports whether a sentence is of another time, or says no plain fact.
func hedged(words []factWord) bool {
	return slices.ContainsFunc(words, func(w factWord) bool {
		return strings.HasSuffix(w.low, "n't") || strings.HasSuffix(w.low, "n’t") || hedges()[w.low]
	})
}

// hedges are words with which a sentence says no plain fact of now.
//
//nolint:gochecknoglobals // it is built once and never changes
var hedges = sync.OnceValue(func() map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(`not never no nor without except was were had used formerly former previously once until till before ended left quit
		will would may might could can should shall if when whenever whether unless perhaps maybe probably likely possibly rumour rumor
		plans wants hopes considers also too both either sometimes partly occasionally part-time mondays tuesdays wednesdays thursdays
		fridays saturdays sundays weekends says said thinks thought believes claims pretends example imagine suppose instead`) {
		out[w] = true
	}
	return out
})

// names reports whether a sentence has one of some names.
func (f *Fact) names(words []factWord, names []string) bool {
	low := make([]string, len(words))
	for i, w := range words {
		low[i] = strings.TrimSuffix(strings.TrimSuffix(w.low, "'s"), "’s")
	}
	text := " " + strings.Join(low, " ") + " "
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, " "+name+" ") })
}

// openings are words that may be before the subject of a plain sentence.
func openings() []string {
	return []string{"the", "our", "fyi", "note", "update", "and", "so", "now", "today", "currently", "actually", "dr", "mr", "mrs", "ms"}
}

// fillers are words that may be between the subject and the verb.
func fillers() []string { return []string{"now", "currently", "still", "today"} }

// after returns the words behind a phrase at the beginning.
func after(words []factWord, phrase string) ([]factWord, bool) {
	n := 0
	for p := range strings.FieldsSeq(phrase) {
		if n == len(words) || words[n].low != p || n > 0 && words[n-1].end {
			return nil, false
		}
		n++
	}
	return words[n:], n > 0
}

// skip leaves out words at the beginning, and a label that ends in a colon.
func skip(words []factWord, list []string) []factWord {
	for len(words) > 0 && slices.Contains(list, words[0].low) {
		words = words[1:]
	}
	return words
}

// follows returns what follows the verb in a sentence that begins with the subject.
func follows(words []factWord, subject []string, verb string) ([]factWord, bool) {
	words = skip(words, openings())
	for _, name := range subject {
		rest, ok := after(words, name)
		if !ok || len(rest) == 0 {
			continue
		}
		first, second, _ := strings.Cut(verb, " ")
		if rest, ok = after(skip(rest, fillers()), first); !ok || second == "" {
			if ok {
				return rest, true
			}
			continue
		}
		if rest, ok = after(skip(rest, fillers()), second); ok {
			return rest, true
		}
	}
	return nil, false
}

// another reports whether words begin with the name of another object, and the sentence ends soon after it.
func (f *Fact) another(words []factWord, known func(string) bool) bool {
	words = skip(words, []string{"the"})
	n := f.name(words, known)
	if n == 0 {
		return false
	}
	return n == len(words) || words[n-1].end || slices.Contains([]string{"as", "since", "now", "and", "in", "from", "with"}, words[n].low)
}

// name returns how many words the name at the beginning has that is not one of the object's; 0 if there is none.
func (f *Fact) name(words []factWord, known func(string) bool) int {
	n := 0
	for n < min(len(words), maxName) && isName(words[n].raw) && (n == 0 || !words[n-1].end) {
		n++
	}
	for k := min(len(words), maxName); n == 0 && k > 0; k-- {
		if known(joinedLow(words[:k])) {
			n = k
		}
	}
	if n == 0 {
		return 0
	}
	name := joinedLow(words[:n])
	same := func(other string) bool {
		return strings.HasPrefix(name+" ", other+" ") || strings.HasPrefix(other+" ", name+" ")
	}
	if strings.HasSuffix(name, "'s") || strings.HasSuffix(name, "’s") || slices.ContainsFunc(f.Object, same) || slices.ContainsFunc(f.Subject, same) {
		return 0
	}
	return n
}

func joinedLow(words []factWord) string {
	low := make([]string, len(words))
	for i, w := range words {
		low[i] = w.low
	}
	return strings.Join(low, " ")
}

// isName reports whether a word looks like a name: it begins with a capital letter or a digit.
func isName(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r) || unicode.IsDigit(r)
	}
	return false
}

// anotherBefore reports whether a sentence is of the form "Ben leads the platform team", with another name than that of the object.
func (f *Fact) anotherBefore(words []factWord, verb string, known func(string) bool) bool {
	words = skip(words, openings())
	n := f.name(words, known)
	if n == 0 || n == len(words) || words[n-1].end {
		return false
	}
	rest, ok := after(skip(words[n:], fillers()), verb)
	if !ok {
		return false
	}
	rest = skip(rest, []string{"the", "our"})
	return slices.ContainsFunc(f.Subject, func(name string) bool {
		tail, ok := after(rest, name)
		return ok && (len(tail) == 0 || rest[len(rest)-len(tail)-1].end || slices.Contains([]string{"since", "now", "and"}, tail[0].low))
	})
}

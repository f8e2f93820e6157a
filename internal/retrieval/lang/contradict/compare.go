package contradict

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// hunk is a place where two sentences differ: content tokens of each.
type hunk struct{ a, b []int }

// compare reports whether two sentences contradict each other.
func compare(a, b *sentence, loose bool) (Reason, bool) {
	if d := len(a.content) - len(b.content); d > 3 || d < -3 {
		return "", false
	}
	hunks, common := diff(a, b)
	switch {
	case len(hunks) == 0 && a.negated != b.negated:
		if len(a.content) < 2 || a.clause < len(a.all) || b.clause < len(b.all) || a.asymmetric(b) {
			return "", false
		}
		return negated, true
	case len(hunks) != 1 || a.negated != b.negated || common == 0:
		return "", false
	}
	h := hunks[0]
	if len(h.a) == 0 || len(h.b) == 0 || h.a[0] >= a.clause || h.b[0] >= b.clause {
		return "", false
	}
	x, y := pair{a, h.a}, pair{b, h.b}
	if !x.differs(&y, common, loose) {
		return "", false
	}
	return Reason(x.raw() + " / " + y.raw()), true
}

// asymmetric: one of two sentences that differ in a negation contains "only" or a similar
// word, so that the negation does not apply to the rest.
func (s *sentence) asymmetric(o *sentence) bool {
	for _, x := range []*sentence{s, o} {
		for i := range x.all {
			if classOf(x.all[i].text).has(qualifying) {
				return true
			}
		}
	}
	return false
}

// diff aligns the content tokens of two sentences and returns the hunks and the number of
// words in common. It stops early when there are too many differences.
func diff(a, b *sentence) (hunks []hunk, common int) {
	n, m := len(a.content), len(b.content)
	at := func(i, j int) bool { return a.all[a.content[i]].same(&b.all[b.content[j]]) }
	from := 0
	for from < n && from < m && at(from, from) {
		if a.all[a.content[from]].kind == word {
			common++
		}
		from++
	}
	for n > from && m > from && at(n-1, m-1) {
		n, m = n-1, m-1
		if a.all[a.content[n]].kind == word {
			common++
		}
	}
	if n == from && m == from {
		return nil, common
	}
	// Only sentences with one hunk are compared further: the rest between must be it.
	for i := from; i < n; i++ {
		for j := from; j < m; j++ {
			if at(i, j) {
				return make([]hunk, 2), common
			}
		}
	}
	return []hunk{{a.content[from:n], b.content[from:m]}}, common
}

// pair is a sentence and its tokens that differ from another sentence.
type pair struct {
	*sentence
	at []int
}

func (p *pair) first() *token { return &p.all[p.at[0]] }

func (p *pair) raw() string {
	out := ""
	for _, n := range p.at {
		out = joined(out, p.all[n].raw)
	}
	return out
}

// joined joins two words with a space between them, if their script has spaces.
func joined(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	if first, _ := utf8.DecodeRuneInString(b); a == "" || lexicon.Unspaced(last) || lexicon.Unspaced(first) {
		return a + b
	}
	return a + " " + b
}

// differs reports whether the differing tokens exclude each other.
func (p *pair) differs(o *pair, common int, loose bool) bool {
	if len(p.at) == 1 && len(o.at) == 1 {
		x, y := p.first(), o.first()
		switch {
		case x.kind != word && x.kind == y.kind:
			return x.unit == y.unit && p.isValue(common) && o.isValue(common)
		case x.kind != word || y.kind != word:
			return false
		case opposite(x.lower, y.lower):
			return common > 1 || p.marker() != nil && o.marker() != nil
		}
	}
	return p.isName(common, loose) && o.isName(common, loose) && !sameName(p.raw(), o.raw()) && p.named(o, loose)
}

// marker returns the word or sign before the value at the first token: "is", "=", "takes";
// nil if there is none. Function words may come between, and one noun that belongs to the
// value: "listens on port 80", "uses Go 1.25".
func (p *pair) marker() *token {
	skipped := false
	for i := p.at[0] - 1; i >= 0; i-- {
		t := &p.all[i]
		switch {
		case t.kind == mark || t.class.has(stative):
			return t
		case t.text == "to" && i > 0 && p.all[i-1].class.has(change):
			return t
		case t.class.has(functionWord):
		case skipped || t.kind != word:
			return nil
		case classOf(t.text).has(label), p.first().kind == version, p.first().kind == number && strings.Contains(p.first().raw, ".") && capital(t.raw):
			skipped = true
		default:
			return nil
		}
	}
	return nil
}

// isValue reports whether the differing token is the value of the subject of the sentence,
// rather than the name or number of a thing.
func (p *pair) isValue(common int) bool {
	m, t := p.marker(), p.first()
	if m == nil || common < 2 && !m.defines() {
		return false
	}
	if t.kind == date && !m.defines() && !classOf(stem(m.lower)).has(scheduling) {
		return false
	}
	i := p.at[0]
	if i > 0 {
		before := &p.all[i-1]
		if before.kind == mark && i > 1 {
			before = &p.all[i-2]
		}
		if before.kind == t.kind || before.listed || classOf(before.text).has(identifier) {
			return false
		}
	}
	if t.listed || i+1 == len(p.all) {
		return !t.listed
	}
	after := &p.all[i+1]
	return after.kind != t.kind && (!after.listed || !after.class.has(functionWord))
}

// isName reports whether the differing tokens are a name at the end of a sentence
// that says what something is.
func (p *pair) isName(common int, loose bool) bool {
	last := p.at[len(p.at)-1]
	if len(p.at) > 2 || last != p.content[len(p.content)-1] || last-p.at[0] != len(p.at)-1 {
		return false
	}
	for _, i := range p.at {
		if t := &p.all[i]; t.listed || t.kind == number || t.kind == date {
			return false
		}
	}
	m := p.marker()
	if m == nil || p.at[0] > 0 && p.all[p.at[0]-1].listed {
		return false
	}
	return m.defines() || loose && common > 1 && classOf(stem(m.lower)).has(tool)
}

// defines reports whether a marker defines a value: "is", "=", "set to".
func (t *token) defines() bool { return t.kind == mark || t.class.has(copula) || t.text == "to" }

// named reports whether the differing tokens are names, or values of a single-valued key.
func (p *pair) named(o *pair, loose bool) bool {
	m := p.marker()
	both := p.nameLike() && o.nameLike()
	key := p.key()
	switch {
	case m.kind == mark && o.marker().kind == mark && key != nil && strings.ContainsAny(key.raw, "_-."):
		return true // a setting
	case key != nil && classOf(key.text).has(unique):
		return true
	case key != nil && classOf(key.text).has(naming):
		return both
	default:
		return loose && (both && p.words > 2 || classOf(stem(m.lower)).has(tool))
	}
}

// nameLike reports whether all differing tokens look like names.
func (p *pair) nameLike() bool {
	for _, i := range p.at {
		t := &p.all[i]
		if !t.quoted && !capital(t.raw) && strings.IndexFunc(t.raw, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			return false
		}
	}
	return true
}

// key returns the noun that the value belongs to: the one before the marker, or before "of"
// or "for" if that comes first; nil if there is none.
func (p *pair) key() *token {
	var key *token
	for i := range p.at[0] {
		t := &p.all[i]
		switch low := t.lower; {
		case t.kind == mark, t.class.has(copula), key != nil && (low == "of" || low == "for" || low == "in"), t.class.has(change):
			if key != nil {
				return key
			}
		case t.kind == word && !t.class.has(functionWord):
			key = t
		}
	}
	return key
}

// capital reports whether a word begins with a capital letter.
func capital(s string) bool {
	return s != "" && strings.ToUpper(s[:1]) == s[:1] && strings.ToLower(s[:1]) != s[:1]
}

// sameName reports whether two names may be a short and a long form of one name.
func sameName(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

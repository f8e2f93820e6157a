package capture

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/base/typo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/prose"
)

// maxAsked is how many bytes of the beginning and of the end of a turn are searched for a refusal.
const maxAsked = 2000

// requestOf returns a sentence in lower case, without accents and with its typos mended: a space is behind each word and
// each mark.
func requestOf(sentence string) request {
	text := []rune(norm.NFC.String(strings.Map(plainLetter, norm.NFD.String(strings.ToLower(sentence)))))
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\'' || r == '’' || r == '´' || r == '`':
			if !contraction(text[i+1:]) {
				b.WriteByte(' ')
			}
		case alphanumeric(r), r == '-' || r == '_' || r == '/', r == '.' && i+1 < len(text) && alphanumeric(text[i+1]):
			b.WriteRune(r)
		case unicode.IsSpace(r) || strings.ContainsRune("*\"“”„«»", r):
			b.WriteByte(' ')
		default:
			b.WriteString(" " + string(r) + " ")
		}
	}
	var out strings.Builder
	for word := range strings.FieldsSeq(b.String()) {
		out.WriteString(mended(word) + " ")
	}
	r := request{spaced: out.String()}
	if strings.ContainsFunc(sentence, wide) {
		r.inner = strings.Join(strings.Fields(sentence), "")
	}
	return r
}

// plainLetter drops an accent, and returns the plain form of letters that no accent makes.
func plainLetter(r rune) rune {
	switch {
	case r >= 0x300 && r <= 0x36f:
		return -1
	case r == 'ł':
		return 'l'
	case r == 'ı':
		return 'i'
	case r == 'ø':
		return 'o'
	}
	return r
}

// contraction reports whether what follows an apostrophe belongs to the word before it: "don't", "I'd", "it's".
func contraction(rest []rune) bool {
	n := 0
	for n < len(rest) && unicode.IsLetter(rest[n]) {
		n++
	}
	switch string(rest[:n]) {
	case "t", "s", "d", "m", "re", "ve", "ll":
		return true
	}
	return false
}

// mended returns the word of the grammar that a misspelt one is near to, else the word itself.
func mended(word string) string {
	g := refusals()
	if len(word) < 4 || g.known[word] {
		return word
	}
	for _, w := range g.words {
		switch {
		case w[0] != word[0]:
		case len(w) < 6 && len(w) == len(word) && swapped(w, word), len(w) >= 6 && typo.Distance(w, word, 1) <= 1, len(w) >= 8 && typo.Distance(w, word, 2) <= 2:
			return w
		}
	}
	return word
}

// swapped reports whether two words of one length differ in the order of two neighbours.
func swapped(a, b string) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// asked returns the sentences of a turn in which a refusal is looked for: also of headings, quotes and bold type.
func asked(text string) []string {
	if len(text) > 2*maxAsked {
		text = text[:maxAsked] + "\n" + text[len(text)-maxAsked:]
	}
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, prose.Sentences(bullet(strings.Trim(strings.TrimSpace(line), "*_#> ")))...)
	}
	return out
}

// refusal is what a turn of the user says must not be kept.
type refusal struct {
	// turn is the turn itself, back the turn of the user before it, ahead the one after it.
	turn, back, ahead bool
}

// refusalOf returns what a text of the user refuses.
func refusalOf(text string) refusal {
	var out refusal
	all := asked(text)
	requests, asides := make([]request, len(all)), make([]aside, len(all))
	for i, s := range all {
		requests[i] = requestOf(s)
		asides[i] = asideOf(requests[i])
	}
	alone := onlyAsides(asides) || len(all) == 1 && words(all[0]) <= 12 && asides[0].rest < fewOthers
	for i, r := range requests {
		keep := asides[i].keep || r.has("keep")
		if asides[i].back || r.has("back") { // behind what would be kept it means that; behind anything else it also means the turn before
			means := slices.ContainsFunc(all[:i], keeps)
			out.turn = out.turn || i > 0
			out.back = out.back || !means || asides[i].said || r.has("said")
		}
		if !keep {
			continue
		}
		said, next := asides[i].said || r.has("said"), r.has("ahead")
		out.turn = true
		out.back = out.back || said || alone && !next
		out.ahead = out.ahead || next && !said || i == len(all)-1 && strings.HasSuffix(all[i], ":") || alone && !said && !asides[i].back
	}
	return out
}

// fewOthers is how many words beside a refusal say something.
const fewOthers = 4

// keeps reports whether a sentence has what makes a memory.
func keeps(text string) bool {
	return words(text) >= fewOthers && cuesOf(text)&(hasRule|hasDuty|hasPreference|hasDecision|hasFact|hasProhibition|hasScope|hasContrast) != 0
}

// lastingOf returns the sentences of a turn that are not about this session alone; a sentence that only says so means those
// beside it. Those about the private life of people are left out unless the user asks to remember something.
func lastingOf(ss []sentence) []sentence {
	const few = 6 // words of "just for now, though"
	drop, private := make([]bool, len(ss)), []int{}
	asks := false
	for i := range ss {
		r := requestOf(ss[i].text)
		asks = asks || r.has("asks")
		if r.has("private") && !r.has("product") {
			private = append(private, i)
		}
		a := asideOf(r)
		if drop[i] = drop[i] || a.back || r.has("back"); !a.passing && !r.has("passing") || r.has("product") {
			continue
		}
		drop[i] = true
		if words(ss[i].text) > few {
			continue
		}
		if i+1 < len(ss) && (i == 0 || strings.HasSuffix(ss[i].text, ":")) {
			drop[i+1] = true
		} else if i > 0 {
			drop[i-1] = true
		}
	}
	for _, i := range private {
		drop[i] = drop[i] || !asks
	}
	var out []sentence
	for i := range ss {
		if !drop[i] {
			out = append(out, ss[i])
		}
	}
	return out
}

// Refused reports for each turn of a conversation whether the user asked that it is not kept: the turn that says so, what
// it speaks of, and what the assistant and its tools answered.
func Refused(turns []transcript.Turn) []bool {
	out := make([]bool, len(turns))
	var said []int // the turns of the user
	for i := range turns {
		if t := &turns[i]; t.Role == transcript.RoleUser && !t.Sidechain && t.Text != "" {
			said = append(said, i)
		}
	}
	refuse := func(k int) {
		if k < 0 || k >= len(said) {
			return
		}
		end := len(turns)
		if k+1 < len(said) {
			end = said[k+1]
		}
		for i := said[k]; i < end; i++ {
			out[i] = true
		}
	}
	for k, i := range said {
		r := refusalOf(turns[i].Text)
		if r.turn {
			refuse(k)
		}
		if r.back {
			refuse(k - 1)
		}
		if r.ahead {
			refuse(k + 1)
		}
	}
	return out
}

// allowed returns the turns with nothing in those that the user refused, and what was said there.
func allowed(turns []transcript.Turn) (out []transcript.Turn, unwanted []string) {
	out = slices.Clone(turns)
	for i, refused := range Refused(turns) {
		if t := &out[i]; refused {
			if t.Role == transcript.RoleUser {
				unwanted = append(unwanted, t.Text)
			}
			t.Text, t.Calls, t.Results = "", nil, nil
		}
	}
	return out, unwanted
}

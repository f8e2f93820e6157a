package recall

import (
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/prose"
)

const (
	// leadingWords is the number of words of a question that say what it asks for: "how much", "in what year".
	leadingWords = 4
	// mostRead is the number of bytes up to which a text is read: a longer one has a time, a number and a name.
	mostRead = 4 << 10
)

// Doubt completes the judgement of an answer by what its best hit says: where a question begins by asking for a time, a number or a name, and
// that hit has none but those of the question, the hit is about the subject and does not answer. hits are those of the first page.
func Doubt(p *Plan, j hippo.Judgement, hits []hippo.Hit) hippo.Judgement {
	if j.Weak != "" || p.ranker != hippo.RankerHippo || len(hits) == 0 {
		return j
	}
	if detail := missing(p.search.Text, hits[0].Memory.Content); detail != "" {
		j.Weak = "the first hit has no " + detail
	}
	return j
}

// missing names the detail that a question begins by asking for and a text lacks, "" if there is none.
func missing(question, text string) string {
	wants := wanted(question)
	if wants == 0 || len(text) > mostRead {
		return ""
	}
	rest := without(text, question)
	if wants == cue.HasNumber {
		rest = hours().ReplaceAllString(rest, "at it")
	}
	switch has := cue.Of(rest); {
	case has&wants != 0, wants&cue.HasTime != 0 && has&cue.HasNumber != 0:
		return "" // "after 180 days" is a time
	case wants&cue.HasTime != 0:
		return "time"
	case wants&cue.HasNumber != 0:
		return "number"
	case begins(rest):
		return ""
	default:
		return "name"
	}
}

// wanted returns the details that a question begins by asking for. Where things are is often said without a name, and other languages than English
// write names in other ways.
func wanted(question string) cue.Cues {
	words := strings.Fields(question)
	wants := cue.Expected(strings.Join(firstOf(words, leadingWords), " ")) & details
	if cue.IsForeign(question) || len(words) == 0 || strings.EqualFold(words[0], "where") {
		wants &^= cue.HasName
	}
	return wants
}

// without returns a text with another word in the place of each that a question has. Endings do not count.
func without(text, question string) string {
	said := make(map[string]bool)
	for w := range wordsIn(question) {
		said[stem(w)] = true
	}
	var b strings.Builder
	at := 0
	for w := range wordsIn(text) {
		from := at + strings.Index(text[at:], w)
		b.WriteString(text[at:from])
		if at = from + len(w); said[stem(w)] {
			w = "it"
		}
		b.WriteString(w)
	}
	b.WriteString(text[at:])
	return b.String()
}

// stem returns the beginning of a word in small letters, which its forms share.
func stem(word string) string {
	const letters = 5
	r := []rune(strings.ToLower(word))
	return string(r[:min(len(r), letters)])
}

// begins reports whether a sentence of a text begins with a word that may be a name, which its capital does not tell.
func begins(text string) bool {
	for _, s := range prose.Sentences(text) {
		for w := range wordsIn(s) {
			if strings.IndexFunc(w, unicode.IsUpper) == 0 && cue.Named(w, 1) > 0 {
				return true
			}
			break
		}
	}
	return false
}

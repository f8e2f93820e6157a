// Package contradict reports whether two short texts say nearly the same and differ in
// what cannot both be true: a number of the same thing, a version, a date, a path, a
// negation, an opposite ("enabled" and "disabled"), or the value of the same key.
//
// The rules are lexical and prefer precision over recall. They are English; the tables of other
// languages, in package lexicon, replace the words that the rules know by English ones. The content words of
// two sentences must be equal except in one place. The package is pure and has no state.
//
// Invariant: a contradicts b if and only if b contradicts a, and no text contradicts itself.
package contradict

import "strings"

// Reason is the difference of two texts: "30 s / 60 s", the first text first.
type Reason string

// negated is the reason when one text negates the other.
const negated Reason = "one denies it"

// Text is a parsed text. The zero value contradicts nothing.
type Text struct{ sentences []sentence }

const (
	// MaxBytes is the largest length of a text that is parsed, and maxSentences its largest number of sentences. A longer one is a
	// document, whose sentences depend on headings and on each other.
	MaxBytes, maxSentences = 600, 6
	// maxWords is the longest sentence that is compared.
	maxWords = 32
)

// Parse parses a text. A document, or source code, yields an empty Text. Cost: about .5 us a
// word.
func Parse(text string) Text {
	if len(text) > MaxBytes || isCode(text) {
		return Text{}
	}
	sentences := split(strings.ToValidUTF8(text, ""))
	if len(sentences) > maxSentences {
		return Text{}
	}
	var t Text
	for _, s := range sentences {
		if p, ok := parse(s); ok {
			t.sentences = append(t.sentences, p)
		}
	}
	return t
}

// Empty reports whether the text has no sentence to compare, so that it contradicts nothing.
func (t Text) Empty() bool { return len(t.sentences) == 0 }

// Contradicts reports whether some sentence of t and one of other contradict each
// other, and in what. Cost: some microseconds if the two are much alike, else less.
func (t Text) Contradicts(other Text) (Reason, bool) { return t.against(other, false) }

// Revised reports whether newer probably gives another value to what t states. It has more
// recall and less precision than Contradicts, because a thing may "use" or "be" several. The
// result is a suggestion to ask about, not a finding.
func (t Text) Revised(newer Text) (Reason, bool) { return t.against(newer, true) }

func (t Text) against(other Text, loose bool) (Reason, bool) {
	for i := range t.sentences {
		for j := range other.sentences {
			if r, ok := compare(&t.sentences[i], &other.sentences[j], loose); ok {
				return r, true
			}
		}
	}
	return "", false
}

// isCode reports whether a text of several lines looks like source code.
func isCode(text string) bool {
	if strings.Count(text, "\n") < 2 {
		return false
	}
	for _, sign := range []string{"\nreturn ", " return ", "\treturn ", "def ", "func ", "import ", ";\n", "{\n", "};", "#include"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// split splits a text into sentences; a question keeps its question mark.
func split(text string) []string {
	var out []string
	start := 0
	cut := func(end, next int) {
		if s := strings.TrimLeft(strings.TrimSpace(text[start:end]), "-*• \t"); s != "" {
			out = append(out, s)
		}
		start = next
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			cut(i, i+1)
		case 0xE3, 0xEF: // the first byte of 。 and of ？！；
			if end, next := wideStop(text, i); next > 0 {
				cut(end, next)
			}
		case '.', '!', ';', '?':
			if text[i] == '.' && isDayBefore(text, i) {
				continue
			}
			if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' {
				end := i
				if text[i] == '?' {
					end++
				}
				cut(end, i+1)
			}
		}
	}
	cut(len(text), len(text))
	return out
}

// Package contradict reports whether two short texts say nearly the same and differ in
// what cannot both be true: a number of the same thing, a version, a date, a path, a
// negation, an opposite ("enabled" and "disabled"), or the value of the same key.
//
// It knows words, not the world, and the words of English: it would rather miss a
// contradiction than report one that is none. Of two sentences it takes all words
// that carry meaning to be equal but for one place. It is pure and keeps nothing.
//
// Invariant: a contradicts b if and only if b contradicts a, and no text contradicts itself.
package contradict

import "strings"

// Reason says in what two texts differ: "30 s / 60 s", that of the first text first.
type Reason string

// negated is the reason where one text denies what the other says.
const negated Reason = "one denies it"

// Text is a text that was taken apart. The zero value says nothing.
type Text struct{ sentences []sentence }

const (
	// maxBytes and maxSentences are the most of a text that is taken apart. What is
	// longer is a document: its sentences depend on their headings and each other.
	maxBytes, maxSentences = 600, 6
	// maxWords is the longest sentence that is compared.
	maxWords = 32
)

// Parse takes a text apart. A document, or the code of a program, says nothing. Cost: about half a microsecond a word.
func Parse(text string) Text {
	if len(text) > maxBytes || isCode(text) {
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

// Contradicts reports whether some sentence of t and one of other contradict each
// other, and in what. Cost: some microseconds if the two are much alike, else less.
func (t Text) Contradicts(other Text) (Reason, bool) { return t.against(other, false) }

// Revised reports whether newer probably states the same as t with another value.
// It is less strict than Contradicts: what a thing "uses" or "is" may be one of
// several. It suits a question to somebody who knows, not a statement.
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

// isCode reports whether a text of several lines looks like a program.
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

// split cuts a text into sentences; the mark of a question stays.
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
		case '.', '!', ';', '?':
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

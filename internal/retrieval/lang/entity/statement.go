package entity

import (
	"strings"
	"unicode"
)

// maxSubject is the most words of a subject, its article apart.
const maxSubject = 3

// Subjects returns the subjects of the English sentences of a text that state something with a verb such as is, has, uses or
// prefers: "gateway" of "The gateway uses Postgres". An article is left out; pronouns and the like are none. Each is there once.
func Subjects(text string) []string {
	var out []string
	seen := make(map[string]bool)
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".!?;:\n\r•", r) }) {
		subject := subjectOf(strings.Fields(sentence))
		if key := strings.ToLower(subject); subject != "" && !seen[key] {
			seen[key] = true
			out = append(out, subject)
		}
	}
	return out
}

// subjectOf returns the words before the first verb of a sentence; empty if they are no subject.
func subjectOf(words []string) string {
	if len(words) > 0 && isArticle(words[0]) {
		words = words[1:]
	}
	for i, w := range words {
		if i > maxSubject {
			break
		}
		if States(w) {
			return strings.Join(words[:i], " ")
		}
		if isEmpty(strings.ToLower(w)) || strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }) >= 0 {
			break
		}
	}
	return ""
}

func isArticle(w string) bool {
	w = strings.ToLower(w)
	return w == "the" || w == "a" || w == "an" || w == "our" || w == "my"
}

// States reports whether a text begins with a verb of a statement: "uses Postgres".
func States(text string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(text, " "), " ")
	return words().statements[strings.ToLower(strings.TrimRight(word, ",.;:!?"))] > 0
}

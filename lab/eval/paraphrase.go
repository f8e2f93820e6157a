package main

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
)

// paraphrase says a question in other words, by rule: contractions are written out; a
// question word at the start becomes a noun (when: date); function words go; common
// English words become synonyms, in the same form, by a table of a few hundred words;
// and the phrases that are left come in reverse order. Names, that is capitalised
// words, and whatever the table does not know stay.
//
//	When did Ann buy the old house in Rome?    date Rome old home Ann purchase
//
// That is harder than the question, because words that it shares with the memory are
// gone, but not as hard as the words of a person who never saw the memory. A question of
// a single unknown word stays as it is. The result is empty only for an empty question,
// and never longer than [hippo.MaxQuery].
func paraphrase(question string) string {
	var phrases [][]string
	open := false // whether the last phrase continues
	kind, words := questionWord(wordsOf(question))
	synonyms := synonyms()
	for i, w := range words {
		lower := strings.ToLower(w)
		if isFunctionWord(lower) {
			open = false
			continue
		}
		if !open {
			phrases = append(phrases, nil)
			open = true
		}
		if s, ok := synonyms[lower]; ok && (w == lower || i == 0) {
			w = s
		}
		last := len(phrases) - 1
		phrases[last] = append(phrases[last], w)
	}
	if len(phrases) == 1 { // then its halves change places
		p := phrases[0]
		phrases = [][]string{p[:len(p)/2], p[len(p)/2:]}
	}
	slices.Reverse(phrases)
	out := slices.Concat(phrases...)
	if kind != "" {
		out = slices.Insert(out, 0, kind)
	}
	text := strings.Join(out, " ")
	if text == "" || len(text) > hippo.MaxQuery {
		return question
	}
	return text
}

// wordsOf returns the words of a question, contractions written out, without the
// punctuation around them.
func wordsOf(question string) []string {
	var out []string
	full := contractions()
	for w := range strings.FieldsSeq(strings.ReplaceAll(question, "’", "'")) {
		w = strings.TrimFunc(w, isOuter)
		if long, ok := full[strings.ToLower(w)]; ok {
			out = append(out, strings.Fields(long)...)
		} else if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// isOuter reports whether a mark at the edge of a word is punctuation; the marks that
// identifiers in code begin or end with are not.
func isOuter(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("+#_$@%&/", r)
}

// questionWord takes the question word from the start and returns the noun for what
// is asked for; empty if there is none.
func questionWord(words []string) (noun string, rest []string) {
	at := func(i int) string {
		if i < len(words) {
			return strings.ToLower(words[i])
		}
		return ""
	}
	switch first, second := at(0), at(1); {
	case first == "when":
		return "date", words[1:]
	case first == "where":
		return "place", words[1:]
	case first == "who" || first == "whom":
		return "person", words[1:]
	case first == "whose":
		return "owner", words[1:]
	case first == "why":
		return "reason", words[1:]
	case first == "how" && second == "many":
		return "number", words[2:]
	case first == "how" && second == "much":
		return "amount", words[2:]
	case first == "how" && second == "long":
		return "duration", words[2:]
	case first == "how" && second == "often":
		return "frequency", words[2:]
	default:
		return "", words
	}
}

// isFunctionWord reports whether a lower-case word carries no content. Words that
// change what is asked for (not, before, after) are no function words here.
func isFunctionWord(w string) bool {
	switch w {
	case "a", "an", "the", "this", "that", "these", "those", "there",
		"is", "are", "was", "were", "be", "been", "being", "am",
		"do", "does", "did", "done", "have", "has", "had", "having",
		"can", "could", "will", "would", "shall", "should", "may", "might", "must",
		"i", "me", "my", "you", "your", "he", "him", "his", "she", "her", "it", "its", "we", "us", "our", "they", "them", "their",
		"what", "which", "who", "whom", "whose", "when", "where", "why", "how",
		"of", "in", "on", "at", "to", "for", "from", "by", "with", "about", "as", "into",
		"and", "or", "if", "so", "some", "any", "please":
		return true
	default:
		return false
	}
}

// contractions maps contractions to their long forms. Possessives are not among them.
func contractions() map[string]string {
	out := map[string]string{
		"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "i'm": "i am", "let's": "let us",
	}
	for w := range strings.FieldsSeq("do does did is are was were have has had could would should might must") {
		out[w+"n't"] = w + " not"
	}
	for w := range strings.FieldsSeq("what who where when why how that there it he she") {
		out[w+"'s"] = w + " is"
	}
	for w := range strings.FieldsSeq("i you we they") {
		out[w+"'ve"], out[w+"'d"], out[w+"'ll"] = w+" have", w+" would", w+" will"
	}
	for w := range strings.FieldsSeq("you we they") {
		out[w+"'re"] = w + " are"
	}
	return out
}

// synonymTable has a line for each word: its forms, a colon, and those of a synonym in
// the same order. They are everyday English, collected without a look at any question;
// each word stands once on the left.
//
//go:embed synonyms.txt
var synonymTable string

// synonyms maps words to others that mean about the same, form by form.
func synonyms() map[string]string {
	out := make(map[string]string)
	for line := range strings.Lines(synonymTable) {
		from, to, _ := strings.Cut(line, ":")
		others := strings.Fields(to)
		for i, w := range strings.Fields(from) {
			out[w] = others[i]
		}
	}
	return out
}

package eval

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
)

// paraphrased is the set with its questions in other words.
func (s *set) paraphrased() *set {
	out := &set{name: s.name, scope: ScopeParaphrased, groups: s.groups, questions: slices.Clone(s.questions)}
	for i := range out.questions {
		out.questions[i].text = Paraphrase(out.questions[i].text)
	}
	return out
}

// Paraphrase says a question in other words, by rule: contractions are written out; a
// question word at the start becomes a noun (when: date); function words go; common
// English words become synonyms, in the same form, by a table of a few hundred words;
// and the phrases that are left come in reverse order. Names, that is capitalised
// words, and whatever the table does not know stay.
//
//	When did Ann buy the old house in Rome?    date Rome old home Ann purchase
//
// That is harder than what was asked, because words that the memory shares with the
// question are gone, but not as hard as what a person would say who never saw the
// memory. A question of a single unknown word stays as it is. It never returns an
// empty text for one that is not, nor one longer than [hippo.MaxQuery].
func Paraphrase(question string) string {
	var phrases [][]string
	open := false // the last phrase goes on
	kind, words := questionWord(wordsOf(question))
	synonyms := synonyms()
	for i, w := range words {
		lower := strings.ToLower(w)
		if functionWord(lower) {
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

// wordsOf are the words of a question, contractions written out, without the marks
// around them.
func wordsOf(question string) []string {
	var out []string
	full := contractions()
	for w := range strings.FieldsSeq(strings.ReplaceAll(question, "’", "'")) {
		w = strings.TrimFunc(w, outer)
		if long, ok := full[strings.ToLower(w)]; ok {
			out = append(out, strings.Fields(long)...)
		} else if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// outer reports whether a mark around a word is none of its own; those that names of
// code begin or end with are.
func outer(r rune) bool {
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

// functionWord reports whether a lower-case word only holds a question together.
// Those that change what is asked for (not, before, after) do not.
func functionWord(w string) bool {
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

// contractions maps contractions to what they stand for. A possessive is none.
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

// synonyms maps words to others that mean about the same, form by form.
func synonyms() map[string]string {
	out := make(map[string]string)
	for line := range strings.SplitSeq(synonymTable, "\n") {
		from, to, _ := strings.Cut(line, ":")
		others := strings.Fields(to)
		for i, w := range strings.Fields(from) {
			out[w] = others[i]
		}
	}
	return out
}

package capture

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// merged returns candidates in the order of the conversation, with those that say the same
// joined: the longer text stays, which has more to understand it by, and the higher score.
func merged(found []placed) []Candidate {
	slices.SortStableFunc(found, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	var out []Candidate
	var terms [][]string // the content words of each
	for _, c := range found {
		x := contentWords(c.Content)
		i := 0
		for i < len(out) && ((out[i].Type == TypeError) != (c.Type == TypeError) || overlap(terms[i], x) < 0.6) {
			i++
		}
		if i == len(out) {
			out, terms = append(out, c.Candidate), append(terms, x)
			continue
		}
		o := &out[i]
		if len(c.Content) > len(o.Content) {
			o.Content, o.Type, o.Reason, o.Said, terms[i] = c.Content, c.Type, c.Reason, c.Said, x
		}
		o.Score = max(o.Score, c.Score)
		for _, id := range c.Turns {
			if !slices.Contains(o.Turns, id) {
				o.Turns = append(o.Turns, id)
				o.Importance = min(1, o.Importance+0.1) // said again
			}
		}
	}
	return out
}

// Same reports whether two texts say the same in other words: nearly all content words of each
// are in the other one, in the same order, and the same numbers. "Use a, not b" and "use b, not
// a" are not the same.
func Same(a, b string) bool {
	x, y := contentWords(a), contentWords(b)
	const most = 0.75
	if len(x) == 0 || float64(min(len(x), len(y))) < most*float64(max(len(x), len(y))) || overlap(x, y) < most {
		return false
	}
	inY := slices.DeleteFunc(slices.Clone(x), func(w string) bool { return !slices.Contains(y, w) })
	inX := slices.DeleteFunc(slices.Clone(y), func(w string) bool { return !slices.Contains(x, w) })
	return slices.Equal(inX, inY) && slices.Equal(numbers(a), numbers(b))
}

// numbers returns the words with digits in a text, sorted.
func numbers(s string) []string {
	var out []string
	for w := range strings.FieldsSeq(s) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			out = append(out, strings.Trim(w, ".,;:!?()[]\"'`"))
		}
	}
	slices.Sort(out)
	return out
}

// overlap returns the part of the shorter list of words that the other one has.
func overlap(x, y []string) float64 {
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 {
		return 0
	}
	n := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			n++
		}
	}
	return float64(n) / float64(len(x))
}

// shared reports whether two texts have a content word of four letters or more in common.
func shared(a, b string) bool {
	x := contentWords(a)
	return slices.ContainsFunc(contentWords(b), func(w string) bool { return len(w) >= 4 && slices.Contains(x, w) })
}

// containsMost reports whether a text has at least half of the words.
func containsMost(text string, terms []string) bool {
	x := contentWords(text)
	n := 0
	for _, t := range terms {
		if slices.Contains(x, t) {
			n++
		}
	}
	return n > 0 && 2*n >= len(terms)
}

// contentWords returns the distinct words of a text that say what it is about, in lower case and
// without the plural s. Of a script without spaces they are pairs of letters.
func contentWords(s string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(w string) {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '\''
	}) {
		if strings.ContainsFunc(w, wide) {
			letters := []rune(w)
			for i := range len(letters) - 1 {
				add(string(letters[i : i+2]))
			}
			continue
		}
		if len(w) < 3 || strings.Contains(w, "'") || isFunctionWord(w) {
			continue
		}
		if len(w) > 4 && w[len(w)-1] == 's' && w[len(w)-2] != 's' {
			w = w[:len(w)-1]
		}
		add(w)
	}
	return out
}

// isFunctionWord reports whether a word says nothing about the topic.
func isFunctionWord(w string) bool { return functionWords()[w] }

// functionWords has the frequent words of the languages of cues.txt, and those of the rules.
var functionWords = sync.OnceValue(func() map[string]bool { //nolint:gochecknoglobals // it is built once and never changes
	out := map[string]bool{}
	for w := range strings.FieldsSeq(functionWordList) {
		out[w] = true
	}
	return out
})

const functionWordList = " the and for are but not you all any can had her was one our out has him his how its may new now old see two way who did get let put say she too use used using " +
	"that this with from they will would there their what when which them then than been have were your just like make into over such also some more only very here after before " +
	"about please always never instead should must could does don't need want yes okay agreed again don because " +
	"der die das und ist nicht mit von für auf ein eine einen dem den wir uns bei immer bitte statt sind werden " +
	"les des est pas une pour dans sur nous vous avec jamais toujours que qui " +
	"los las una por para con que del siempre nunca uno está son " +
	"uma não com sempre para dos das "

package briefing

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// minOfBest is the share of the best score that others need to be shown with a prompt, and minOfKnown the share that
	// they need if the reader has the best one.
	minOfBest, minOfKnown = .6, .85
	// minTelling is how many letters a word needs to say what a prompt is about, unless it has a digit.
	minTelling = 5
	// minWords is the share of the words of a prompt that a memory needs to be related to it; minWordsUnsure is that share where the
	// confidence in the answer is below unsure, and minWordsRule that of a rule or a decision, which is for work that seldom has its words.
	// From the confidence sure on a memory needs none.
	minWords, minWordsUnsure, minWordsRule = .2, .29, .12
	sure, unsure                           = .9, .5
	// A memory with less than fewWords of the words of a prompt must have the cosine minNear, since a word in common may have two meanings.
	// A model whose cosines are all above leaves it to the words. docs/hooks.md has the figures.
	fewWords, minNear = .35, .27
	// minShared is how many letters a shared word needs to tie a memory to a prompt, see [tie]; minStem is how many bytes two words begin
	// with that are forms of one.
	minShared, minStem = 4, 5
)

// leading returns what to show with a prompt of a sorted list: what is near the best match, whether the reader has that or
// not. If the reader has it, others are fillers, but for those that have a word of the prompt that no better match has.
func (in *Input) leading(list []scored) []scored {
	if len(list) == 0 {
		return nil
	}
	has := func(s *scored) bool { return in.Known != nil && in.Known(s.Memory) }
	floor, known := minOfBest*list[0].score, has(&list[0])
	if known {
		floor = minOfKnown * list[0].score
	}
	asked, ties := tellingWords(in.Prompt), tiesOf(in.Prompt)
	var out []scored
	for i := range list {
		s := &list[i]
		if s.score < floor {
			break
		}
		if !in.tied(s, ties) {
			continue
		}
		news := take(asked, tellingWords(s.Memory.Content))
		if !known || news && !has(s) {
			out = append(out, *s)
		}
	}
	return out
}

// tie is a word of a prompt. telling: it ties a memory that has it to the prompt by itself. It is long enough, has a digit or a letter
// that is not ASCII, is written in capitals, or has a capital within the prompt, as names have.
type tie struct {
	word    string
	telling bool
}

// tiesOf returns the words of a prompt, each once.
func tiesOf(prompt string) (out []tie) {
	at := make(map[string]int)
	for i, w := range strings.FieldsFunc(prompt, func(r rune) bool { return !alphanumeric(r) }) {
		n := utf8.RuneCountInString(w)
		t := tie{strings.ToLower(w), n >= minShared || n < len(w) || strings.ContainsFunc(w, unicode.IsDigit)}
		t.telling = t.telling || n > 1 && (strings.ToUpper(w) == w || i > 0 && unicode.IsUpper(rune(w[0])))
		if k, known := at[t.word]; known {
			out[k].telling = out[k].telling || t.telling
			continue
		}
		at[t.word] = len(out)
		out = append(out, t)
	}
	return out
}

// tied reports whether a memory has what the prompt speaks of: what is near by its vector alone is a guess, unless it stands out.
func (in *Input) tied(s *scored, ties []tie) bool {
	switch {
	case len(in.Names) > 0, s.Confidence >= sure:
		return true
	case s.Words < fewWords && s.Cosine > 0 && s.Cosine < minNear:
		return false
	case s.Words >= minWordsRule && guides(s.Candidate):
	case s.Words < minWords, s.Confidence < unsure && s.Words < minWordsUnsure:
		return false
	}
	said := wordsOf(s.Memory.Content)
	return slices.ContainsFunc(ties, func(t tie) bool {
		has := said[t.word] || said[t.word+"s"] || said[strings.TrimSuffix(t.word, "s")]
		return t.telling && has || utf8.RuneCountInString(t.word) >= minStem && begins(said, t.word)
	})
}

// guides reports whether a memory is a rule, a preference or a decision.
func guides(c *Candidate) bool {
	s := sectionOf(c)
	return s == Rules || s == Decisions
}

// begins reports whether a word of a set has the beginning of a word: a third of the longer one may differ.
func begins(said map[string]bool, word string) bool {
	for w := range said {
		n := 0
		for n < min(len(w), len(word)) && w[n] == word[n] {
			n++
		}
		if n >= minStem && 3*n >= 2*max(len(w), len(word)) {
			return true
		}
	}
	return false
}

// take removes from a set the words of another one, and reports whether there were any.
func take(from, words map[string]bool) bool {
	n := len(from)
	for w := range words {
		delete(from, w)
	}
	return len(from) < n
}

// tellingWords returns the words of a text that may say what it is about, without the plural s.
func tellingWords(text string) map[string]bool {
	out := make(map[string]bool)
	for w := range wordsOf(text) {
		if utf8.RuneCountInString(w) >= minTelling || strings.ContainsFunc(w, unicode.IsDigit) {
			out[strings.TrimSuffix(w, "s")] = true
		}
	}
	return out
}

// named reports whether a text has one of the names that the reader asks for, or none are asked for. A name of letters and
// digits must stand alone.
func (q *Query) named(text string) bool {
	text = strings.ToLower(text)
	for _, n := range q.Names {
		for rest := text; ; {
			i := strings.Index(rest, n)
			if i < 0 {
				break
			}
			before, _ := utf8.DecodeLastRuneInString(rest[:i])
			after, _ := utf8.DecodeRuneInString(rest[i+len(n):])
			if !alphanumeric(before) && !alphanumeric(after) {
				return true
			}
			rest = rest[i+len(n):]
		}
	}
	return len(q.Names) == 0
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

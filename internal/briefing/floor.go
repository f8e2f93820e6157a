package briefing

import (
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
	// minWords is the share of the words of a prompt that a memory needs to be related to it, and minWordsUnsure the share
	// that it needs below the confidence unsure. From the confidence sure on it needs none.
	minWords, minWordsUnsure, minWordsRule = .2, .29, .12
	sure, unsure                           = .9, .5
	// A word that a prompt and a memory share has minShared letters, a digit, capitals alone, or a capital within the prompt; or both have
	// words that begin with the same minStem bytes.
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
	asked := tellingWords(in.Prompt)
	var out []scored
	for i := range list {
		s := &list[i]
		if s.score < floor {
			break
		}
		if !in.tied(s) {
			continue
		}
		news := take(asked, tellingWords(s.Memory.Content))
		if !known || news && !has(s) {
			out = append(out, *s)
		}
	}
	return out
}

// tied reports whether a memory has what the prompt speaks of: what is near by its vector alone is a guess, unless it stands out.
func (in *Input) tied(s *scored) bool {
	if len(in.Names) > 0 {
		return true
	}
	switch {
	case s.Confidence >= sure:
		return true
	case s.Words >= minWordsRule && guides(s.Candidate): // they are for work that seldom has their words
	case s.Words < minWords, s.Confidence < unsure && s.Words < minWordsUnsure:
		return false
	}
	said := wordsOf(s.Memory.Content)
	for i, w := range strings.FieldsFunc(in.Prompt, func(r rune) bool { return !alphanumeric(r) }) {
		word := strings.ToLower(w)
		n := utf8.RuneCountInString(w)
		if (said[word] || said[word+"s"] || said[strings.TrimSuffix(word, "s")]) && (n >= minShared || n < len(w) || n > 1 && (strings.ToUpper(w) == w || i > 0 && unicode.IsUpper(rune(w[0]))) || strings.ContainsFunc(w, unicode.IsDigit)) {
			return true
		}
		if n >= minStem && begins(said, word) {
			return true
		}
	}
	return false
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

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
		news := take(asked, tellingWords(s.Memory.Content))
		if !known || news && !has(s) {
			out = append(out, *s)
		}
	}
	return out
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

package cue_test

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// plain reads the rules as they are written down.
func plain(text string) cue.Cues {
	var c cue.Cues
	if asked(text) {
		c |= cue.IsQuestion
	}
	if regexp.MustCompile(`\p{Nd}`).MatchString(text) {
		c |= cue.HasNumber
	}
	times := regexp.MustCompile(`^(?:\p{Nd}{4}|[0-9]{1,10}(?:st|nd|rd|th)|yesterday|today|tomorrow|tonight|(?:morning|evening|week|weekend|month|year)s?` +
		`|century|centuries|ago|last|next|since|until|during|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june` +
		`|july|august|september|october|november|december)$`)
	numbers := regexp.MustCompile(`^(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|billion|once|twice|several|few)$`)
	end, words, nouns := 0, 0, 0
	capital, certain, before, titled := false, false, false, false
	for _, at := range regexp.MustCompile(`[\p{L}\p{Nd}]+`).FindAllStringIndex(text, -1) {
		w := text[at[0]:at[1]]
		low := strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, w)
		if strings.ContainsFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) {
			low = strings.ToLower(w)
		}
		isTime := times.MatchString(low) || has(low, "cue time") || regexp.MustCompile(`[0-9][年月日号時点]`).MatchString(w)
		if isTime {
			c |= cue.HasTime
		}
		if numbers.MatchString(low) || has(low, "cue number") {
			c |= cue.HasNumber
		}
		if words++; listed(low, "cue nouns") {
			nouns++
		}
		name := end > 0 && !strings.ContainsAny(text[end:at[0]], ".?!:\n。？！") && regexp.MustCompile(`^\p{Lu}.`).MatchString(w) && !foreignTime(low)
		if name {
			capital = true
			certain = certain || titled || before || strings.ContainsFunc(w[1:], unicode.IsUpper)
		}
		if capital && nouns*12 <= words && c&cue.HasTime != 0 && c&cue.HasNumber != 0 {
			return c | cue.HasName // all is known
		}
		titled = listed(low, "cue title")
		before = name && !titled
		end = at[1]
	}
	if certain || capital && nouns*12 <= words {
		c |= cue.HasName
	}
	return c
}

// asked reports whether a text is a question.
func asked(text string) bool {
	text = strings.TrimSpace(text)
	if regexp.MustCompile(`[?？؟]$`).MatchString(text) || regexp.MustCompile(`¿[^.?!\n¿]*[.!]*$`).MatchString(text) {
		return true
	}
	return anyList("cue question", func(end string) bool { return strings.HasSuffix(text, end) })
}

// foreignTime reports whether a word denotes a time in a language other than English.
func foreignTime(word string) bool {
	return has(word, "cue time") || regexp.MustCompile(`[0-9][年月日号時点]`).MatchString(word)
}

// listed reports whether a list of a language has a word.
func listed(word, list string) bool { return anyList(list, func(w string) bool { return w == word }) }

// has reports whether a list has a word, or phrases without spaces between words that the word has.
func has(word, list string) bool {
	if list == "cue number" {
		for _, l := range lexicon.Languages() {
			for _, numeral := range l.Lists["cue numeral"] {
				for _, counter := range l.Lists["cue counter"] {
					if strings.Contains(word, numeral[0]+counter[0]) {
						return true
					}
				}
			}
		}
	}
	return anyList(list, func(w string) bool {
		r, _ := utf8.DecodeRuneInString(w)
		return w == word || lexicon.Unspaced(r) && strings.Contains(word, w)
	})
}

func anyList(list string, yes func(word string) bool) bool {
	for _, l := range lexicon.Languages() {
		for _, element := range l.Lists[list] {
			if slices.ContainsFunc(element, yes) {
				return true
			}
		}
	}
	return false
}

package cue_test

import (
	"regexp"
	"strings"

	"github.com/hippo-memory/hippo/internal/lang/cue"
)

// plain reads the rules as they are written down.
func plain(text string) cue.Cues {
	var c cue.Cues
	if regexp.MustCompile(`[?？؟]$`).MatchString(strings.TrimSpace(text)) {
		c |= cue.IsQuestion
	}
	if regexp.MustCompile(`\p{Nd}`).MatchString(text) {
		c |= cue.HasNumber
	}
	times := regexp.MustCompile(`^(?:\p{Nd}{4}|[0-9]{1,10}(?:st|nd|rd|th)|yesterday|today|tomorrow|tonight|(?:morning|evening|week|weekend|month|year)s?` +
		`|century|centuries|ago|last|next|since|until|during|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june` +
		`|july|august|september|october|november|december)$`)
	numbers := regexp.MustCompile(`^(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|billion|once|twice|several|few)$`)
	end := 0
	for _, at := range regexp.MustCompile(`[\p{L}\p{Nd}]+`).FindAllStringIndex(text, -1) {
		w := text[at[0]:at[1]]
		if end > 0 && !strings.ContainsAny(text[end:at[0]], ".?!:\n") && regexp.MustCompile(`^\p{Lu}.`).MatchString(w) {
			c |= cue.HasName
		}
		end = at[1]
		w = strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, w)
		if times.MatchString(w) {
			c |= cue.HasTime
		}
		if numbers.MatchString(w) {
			c |= cue.HasNumber
		}
	}
	return c
}

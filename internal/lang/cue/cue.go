// Package cue classifies English texts by single words: whether a text is a question,
// whether it contains a time, a number or a name, and which of these the answer to a
// question should contain. Digits, question marks and capitals count in every script that
// has them. Words are not disambiguated: "may" is always a month, and "last" a time.
//
// Invariant: the result depends on the text alone. Indexes store it: a change of a rule
// needs a new version of their file format.
package cue

import "strings"

// Cues is a set of properties of a text.
type Cues uint8

const (
	// IsQuestion means that the text ends with a question mark, white space aside.
	IsQuestion Cues = 1 << iota
	// HasTime means that a word denotes a time: "yesterday", "months", "Monday", "ago", a
	// number of four digits, or an ordinal number of at most ten digits, "21st".
	HasTime
	// HasNumber means that there is a digit, or a numeral: "seven", "dozen", "twice".
	HasNumber
	// HasName means that a word of two letters or more begins with a capital and is not the
	// first one of a sentence: it is not at the beginning of a line, nor after a full stop,
	// a question mark, an exclamation mark or a colon.
	HasName
)

// Of returns the cues of a text. It does not allocate. Cost: about 20 ns a word.
func Of(content string) Cues {
	const all = HasTime | HasNumber | HasName
	c := question(content)
	s := scanner{text: content}
	for c&all != all && s.next() {
		if s.digits > 0 {
			c |= HasNumber
		}
		if c&HasTime == 0 && (s.digits == 4 && s.size == 4 || s.ordinal() || isTime(s.folded())) {
			c |= HasTime
		}
		if c&HasNumber == 0 && isNumeral(s.folded()) {
			c |= HasNumber
		}
		if s.capital && s.inside && s.size > 1 {
			c |= HasName
		}
	}
	return c
}

// Expected returns the cues that the answer to a query should have, any of HasTime,
// HasNumber and HasName: a time by "when", by "what" or "which" before "year", "date", "day", "month" or
// "time", and by "how long"; a number by "how" before "many", "much", "old", "long",
// "often", "far", "big", "large" or "tall", by "number", "amount" and "percentage",
// and by "percent of"; a name by "who", "whom", "whose" and "where", by "name of", and by
// "what" or "which" before a noun whose instances have names, such as "person",
// "city" or "team". It does not allocate. Cost: as that of [Of].
func Expected(query string) Cues {
	var c Cues
	s := scanner{text: query}
	last := other
	for s.next() {
		word := s.folded()
		c |= expected(last, word)
		last = leadOf(word)
	}
	return c
}

// question returns IsQuestion if a text ends with a question mark.
func question(text string) Cues {
	text = strings.TrimSpace(text)
	for _, mark := range [...]string{"?", "？", "؟"} {
		if strings.HasSuffix(text, mark) {
			return IsQuestion
		}
	}
	return 0
}

// lead is a word that decides what the word after it means for the answer.
type lead uint8

const (
	other   lead = iota // any other word
	how                 // "how": a quantity
	which               // "what" or "which": a choice
	percent             // "percent": a share
	named               // "name": a name
)

func leadOf(word []byte) lead {
	switch string(word) {
	case "how":
		return how
	case "what", "which":
		return which
	case "percent":
		return percent
	case "name":
		return named
	}
	return other
}

// expected returns the cues that a word asks for, given the word before it.
func expected(before lead, word []byte) Cues {
	switch string(word) {
	case "when":
		return HasTime
	case "number", "amount", "percentage":
		return HasNumber
	case "who", "whom", "whose", "where":
		return HasName
	}
	switch before {
	case how:
		switch string(word) {
		case "long":
			return HasTime | HasNumber
		case "many", "much", "old", "often", "far", "big", "large", "tall":
			return HasNumber
		}
	case which:
		switch string(word) {
		case "year", "date", "day", "month", "time":
			return HasTime
		}
		if isNamedKind(word) {
			return HasName
		}
	case percent:
		if string(word) == "of" {
			return HasNumber
		}
	case named:
		if string(word) == "of" {
			return HasName
		}
	case other:
	}
	return 0
}

// isTime reports whether a lower-case word denotes a time.
func isTime(word []byte) bool {
	switch string(word) {
	case "yesterday", "today", "tomorrow", "tonight", "morning", "mornings", "evening", "evenings",
		"week", "weeks", "weekend", "weekends", "month", "months", "year", "years", "century", "centuries",
		"ago", "last", "next", "since", "until", "during",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		"january", "february", "march", "april", "may", "june",
		"july", "august", "september", "october", "november", "december":
		return true
	}
	return false
}

// isNumeral reports whether a lower-case word is a numeral.
func isNumeral(word []byte) bool {
	switch string(word) {
	case "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
		"dozen", "hundred", "thousand", "million", "billion", "once", "twice", "several", "few":
		return true
	}
	return false
}

// isNamedKind reports whether the instances of a lower-case noun have names.
func isNamedKind(word []byte) bool {
	switch string(word) {
	case "name", "names", "person", "people", "man", "woman", "group", "team", "teams", "party",
		"company", "companies", "organization", "school", "university",
		"place", "places", "town", "city", "cities", "state", "states", "country", "countries", "river",
		"book", "movie", "film", "song", "band", "game":
		return true
	}
	return false
}

// Package cue tells what kind of thing a text says, by its words alone: whether it
// asks, tells a time, a number, a name; and what kind of thing a question wants. It
// knows English words only; digits, question marks and capitals count in every script
// that has them. It understands nothing: "may" is a month, and "last" a time, wherever they
// stand.
//
// Invariant: the answer depends on the text alone. Indexes keep it in files: whoever
// changes a rule raises the version of their format.
package cue

import "strings"

// Cues is a set of kinds.
type Cues uint8

const (
	// Asks means that the text ends with a question mark, the blanks after it aside.
	Asks Cues = 1 << iota
	// TellsTime means that a word tells a time: "yesterday", "months", "Monday", "ago", a
	// number of four digits, or an ordinal number of at most ten digits, "21st".
	TellsTime
	// TellsNumber means that there is a digit, or a word of a number: "seven", "dozen", "twice".
	TellsNumber
	// TellsName means that a word of two letters or more begins with a capital, and no
	// sentence begins with it: it is not the first one of a line, nor behind a full stop,
	// a question mark, an exclamation mark or a colon.
	TellsName
)

// Of returns the cues of a text. It does not allocate. Cost: about 20 ns a word.
func Of(content string) Cues {
	c := asks(content)
	s := scanner{text: content}
	for s.next() {
		if s.digits > 0 {
			c |= TellsNumber
		}
		if s.digits == 4 && s.size == 4 || s.ordinal() || time(s.folded()) {
			c |= TellsTime
		}
		if number(s.folded()) {
			c |= TellsNumber
		}
		if s.capital && s.inside && s.size > 1 {
			c |= TellsName
		}
	}
	return c
}

// Wanted returns what a query asks to be told, any of TellsTime, TellsNumber, TellsName:
// a time by "when", by "what" or "which" before "year", "date", "day", "month" or
// "time", and by "how long"; a number by "how" before "many", "much", "old", "long",
// "often", "far", "big", "large" or "tall", by "number", "amount" and "percentage",
// and by "percent of"; a name by "who", "whom", "whose" and "where", by "name of", and by
// "what" or "which" before one of the words for what goes by a name, such as "person",
// "city" or "team". It does not allocate. Cost: as that of [Of].
func Wanted(query string) Cues {
	var c Cues
	s := scanner{text: query}
	last := other
	for s.next() {
		word := s.folded()
		c |= wanted(last, word)
		last = leadOf(word)
	}
	return c
}

// asks returns Asks if a text ends as a question does.
func asks(text string) Cues {
	text = strings.TrimSpace(text)
	for _, mark := range [...]string{"?", "？", "؟"} {
		if strings.HasSuffix(text, mark) {
			return Asks
		}
	}
	return 0
}

// lead is what a word does to the one after it.
type lead uint8

const (
	other   lead = iota
	how          // asks how much of it there is
	which        // asks which of them it is
	percent      // tells a share of it
	name         // tells what it is called
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
		return name
	}
	return other
}

// wanted is what a word asks for behind another.
func wanted(before lead, word []byte) Cues {
	switch string(word) {
	case "when":
		return TellsTime
	case "number", "amount", "percentage":
		return TellsNumber
	case "who", "whom", "whose", "where":
		return TellsName
	}
	switch before {
	case how:
		switch string(word) {
		case "long":
			return TellsTime | TellsNumber
		case "many", "much", "old", "often", "far", "big", "large", "tall":
			return TellsNumber
		}
	case which:
		switch string(word) {
		case "year", "date", "day", "month", "time":
			return TellsTime
		}
		if goesByName(word) {
			return TellsName
		}
	case percent:
		if string(word) == "of" {
			return TellsNumber
		}
	case name:
		if string(word) == "of" {
			return TellsName
		}
	case other:
	}
	return 0
}

// time reports whether a word in small letters tells a time.
func time(word []byte) bool {
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

// number reports whether a word in small letters tells a number.
func number(word []byte) bool {
	switch string(word) {
	case "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
		"dozen", "hundred", "thousand", "million", "billion", "once", "twice", "several", "few":
		return true
	}
	return false
}

// goesByName reports whether a word in small letters is for what goes by a name.
func goesByName(word []byte) bool {
	switch string(word) {
	case "name", "names", "person", "people", "man", "woman", "group", "team", "teams", "party",
		"company", "companies", "organization", "school", "university",
		"place", "places", "town", "city", "cities", "state", "states", "country", "countries", "river",
		"book", "movie", "film", "song", "band", "game":
		return true
	}
	return false
}

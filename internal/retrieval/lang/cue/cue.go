// Package cue classifies texts by single words: whether a text is a question, whether it
// contains a time, a number or a name, and which of these the answer to a question should
// contain. It has words of English and of the languages of package lexicon. Digits, question
// marks and capitals count in every script that has them. Words are not disambiguated: "may"
// is always a month, and "last" a time.
//
// Invariant: the result depends on the text alone. Indexes store it: a change of a rule
// needs a new version of their file format.
package cue

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cues is a set of properties of a text.
type Cues uint8

const (
	// IsQuestion means that the text ends with a question mark, white space aside, that its last
	// sentence begins with one, or that it ends as Chinese and Japanese questions do.
	IsQuestion Cues = 1 << iota
	// HasTime means that a word denotes a time: "yesterday", "months", "Monday", "ago", a
	// number of four digits, or an ordinal number of at most ten digits, "21st".
	HasTime
	// HasNumber means that there is a digit, or a numeral: "seven", "dozen", "twice".
	HasNumber
	// HasName means that a word of two letters or more begins with a capital and is not the
	// first one of a sentence: it is not at the beginning of a line, nor after a full stop,
	// a question mark, an exclamation mark or a colon. In German, where every noun has a capital,
	// the word must also have another one inside, or follow a title or another such word.
	HasName
	// Foreign means that the text is not English, see [IsForeign]. [Of] does not set it.
	Foreign
	// AsksFormer means that a query asks for what held in the past: "previously", "used to", "first
	// job", "before" at its end, or before "current". Only [Expected] sets it.
	AsksFormer
	// AsksFirst means that a query with AsksFormer asks for the earliest of what held: "first job",
	// "originally". Only [Expected] sets it.
	AsksFirst
	// AsksNow means that a query asks for what holds now by a word: "currently", "these days". Only [Expected] sets it.
	AsksNow
)

// Of returns the cues of a text. It does not allocate if the text is ASCII. Cost: about 20 ns a word.
func Of(content string) Cues {
	t := vocabulary()
	c := question(content, t)
	s := scanner{text: content}
	var n names
	for (c&HasTime == 0 || c&HasNumber == 0 || !n.found()) && s.next(t) {
		r := s.phrases
		if !s.plain || t.mayHave(&s.small, s.size) {
			r |= s.role(t)
		}
		if s.digits > 0 || r&isNumeralWord != 0 {
			c |= HasNumber
		}
		if r&isTimeWord != 0 || s.digits > 0 && (s.digits == 4 && s.size == 4 || s.ordinal()) {
			c |= HasTime
		}
		if n.words++; s.capital || r != 0 || n.title || n.before {
			n.add(&s, r)
		}
	}
	if n.found() {
		c |= HasName
	}
	return c
}

// names decides whether a text has a name.
type names struct {
	// capital: a word inside a sentence has one. certain: it is a name in any language.
	capital, certain bool
	// nouns is the number of function words of a language in which every noun has a capital, among
	// all words.
	nouns, words int
	// title: the last word was a title. before: it had a capital, inside a sentence.
	title, before bool
}

func (n *names) found() bool {
	const share = 12 // words for one function word
	return n.certain || n.capital && n.nouns*share <= n.words
}

// add adds a word. A time of another language than English is no name. Where every noun has a capital, a name has another one inside, or follows a
// title or another such word.
func (n *names) add(s *scanner, r role) {
	if r&isNounsWord != 0 {
		n.nouns++
	}
	capital := s.capital && s.inside && s.size > 1 && r&(isTimeWord|isEnglish) != isTimeWord
	if capital {
		n.capital = true
		n.certain = n.certain || n.title || n.before ||
			strings.ContainsFunc(s.text[s.word.from+1:s.word.to], unicode.IsUpper)
	}
	n.title, n.before = r&isTitle != 0, capital && r&isTitle == 0
}

// Expected returns the cues that the answer to a query should have, any of HasTime,
// HasNumber and HasName, AsksFormer and AsksNow: a time by "when", by "what" or "which" before "year", "date", "day", "month" or
// "time", and by "how long"; a number by "how" before "many", "much", "old", "long",
// "often", "far", "big", "large" or "tall", by "number", "amount", "percentage", "price", "fee" and "temperature",
// and by "percent of"; a name by "who", "whom", "whose" and "where", by "name of", and by
// "what" or "which" before a noun whose instances have names, such as "person",
// "city" or "team"; and by the lists "ask" of other languages; the past by "first" before a word, by
// "before" as the last word, or with "current", "present" or "new" within the next two, and by the lists
// "ask former" and "ask first"; the present by the lists "ask now". It does not allocate for ASCII. Cost: as that of [Of].
func Expected(query string) Cues {
	var c Cues
	t := vocabulary()
	s := scanner{text: query}
	last, sinceBefore := other, withinBefore
	var buffer [2*longest + 16]byte
	pair := append(buffer[:0], first...)
	for s.next(t) {
		word := s.folded()
		c |= expected(last, word)
		if sinceBefore++; sinceBefore <= withinBefore && isCurrent(word) {
			c |= AsksFormer
		}
		if last = leadOf(word); last == before {
			sinceBefore = 0
		}
		end := len(pair)
		pair = append(pair, ' ')
		if s.plain {
			pair = append(pair, word...)
		} else {
			pair = append(pair, strings.ToLower(s.text[s.word.from:s.word.to])...)
		}
		c |= (s.role(t) | s.phrases | t.words[string(pair)]).answer()
		pair = append(pair[:0], pair[end+1:]...)
	}
	if last == before {
		c |= AsksFormer
	}
	return c
}

// withinBefore is the number of words after "before" in which "current" makes it ask for the past.
const withinBefore = 2

// isCurrent reports whether a lower-case word says that something holds now.
func isCurrent(word []byte) bool {
	switch string(word) {
	case "current", "present", "new":
		return true
	}
	return false
}

// question returns IsQuestion if a text ends with a question mark, or its last sentence begins
// with one, or has the ending of a question in a language that needs no mark.
func question(text string, t *tables) Cues {
	text = strings.TrimSpace(text)
	for _, mark := range [...]string{"?", "？", "؟"} {
		if strings.HasSuffix(text, mark) {
			return IsQuestion
		}
	}
	if strings.Contains(text, "¿") && !strings.ContainsAny(strings.TrimRight(text[strings.LastIndex(text, "¿"):], ".!"), ".?!\n") {
		return IsQuestion
	}
	if text != "" && text[len(text)-1] >= utf8.RuneSelf &&
		slices.ContainsFunc(t.questions, func(end string) bool { return strings.HasSuffix(text, end) }) {
		return IsQuestion
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
	ordinal             // "first": the earliest
	before              // "before", after which an event may follow
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
	case "first":
		return ordinal
	case "before":
		return before
	}
	return other
}

// expected returns the cues that a word asks for, given the word before it.
func expected(last lead, word []byte) Cues {
	switch string(word) {
	case "when":
		return HasTime
	case "number", "amount", "percentage", "price", "fee", "temperature":
		return HasNumber
	case "who", "whom", "whose", "where":
		return HasName
	}
	switch last {
	case ordinal:
		return AsksFormer | AsksFirst
	case how:
		switch string(word) {
		case "long":
			return HasTime | HasNumber
		case "many", "much", "old", "often", "far", "big", "large", "tall":
			return HasNumber
		}
	case which:
		switch string(word) {
		case "version":
			return HasNumber
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
	case before, other:
	}
	return 0
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

package capture

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// cues is a set of kinds of phrases; docs/capture.md and cues.txt say what they mean.
type cues uint32

const (
	hasRule cues = 1 << iota
	hasDuty
	hasScope
	hasPreference
	hasRejection
	hasProhibition
	hasContrast
	hasDecision
	hasFact
	isTemporary
	isDoubt
	isDropped
	isStory
	isRequest
	isAcceptance
	hasReason
	hasAll
	hasState
	hasCause
	// isQuestion: it ends with a question mark, or begins as a question. hasName: a word can only be
	// the name of something: a path, an address, an identifier. hasNumber: there is a digit.
	isQuestion
	hasName
	hasAddress // of the net, of mail, or a colour
	hasNumber
)

// kinds returns the set of each kind of cues.txt.
func kinds() map[string]cues {
	return map[string]cues{
		"rule": hasRule, "duty": hasDuty, "scope": hasScope, "prefer": hasPreference, "reject": hasRejection, "forbid": hasProhibition,
		"contrast": hasContrast, "decide": hasDecision, "fact": hasFact, "temporary": isTemporary, "doubt": isDoubt, "leave": isDropped,
		"story": isStory, "request": isRequest, "accept": isAcceptance, "reason": hasReason, "all": hasAll, "state": hasState,
		"cause": hasCause, "question": isQuestion,
	}
}

//go:embed cues.txt
var cueText string

// lexicon has the phrases of all languages.
type lexicon struct {
	// spaced phrases are between spaces, " from now on "; inner ones match anywhere.
	spaced, inner map[string]cues
	// first are the spaced phrases that count only at the beginning of a sentence; firstInner
	// those of languages without spaces.
	first, firstInner map[string]cues
	// words is the number of words of the longest spaced phrase.
	words int
}

// phrases returns the lexicon, which must not be changed.
var phrases = sync.OnceValue(func() *lexicon { //nolint:gochecknoglobals // it is built once and never changes
	x := &lexicon{spaced: map[string]cues{}, inner: map[string]cues{}, first: map[string]cues{}, firstInner: map[string]cues{}}
	for line := range strings.Lines(cueText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		language, rest, _ := strings.Cut(line, " ")
		kind, list, _ := strings.Cut(rest, " ")
		set, ok := kinds()[kind]
		if !ok {
			panic(fmt.Sprintf("capture: cues.txt has the kind %q", kind))
		}
		for phrase := range strings.SplitSeq(list, "|") {
			x.add(language, phrase, set)
		}
	}
	return x
})

func (x *lexicon) add(language, phrase string, set cues) {
	phrase, first := strings.CutPrefix(phrase, "^")
	spaces := language != "zh" && language != "ja"
	to := x.inner
	switch {
	case first && spaces:
		to = x.first
	case first:
		to = x.firstInner
	case spaces:
		to = x.spaced
	}
	if spaces {
		phrase = normal(phrase)
		x.words = max(x.words, strings.Count(phrase, " ")-1)
	}
	to[phrase] |= set
}

// cuesOf returns the cues of a sentence.
func cuesOf(sentence string) cues {
	x := phrases()
	norm := normal(sentence)
	var c cues
	var starts []int
	for i := range len(norm) - 1 {
		if norm[i] == ' ' {
			starts = append(starts, i)
		}
	}
	for k, from := range starts {
		for n := 1; n <= x.words && k+n <= len(starts); n++ {
			to := len(norm)
			if k+n < len(starts) {
				to = starts[k+n] + 1
			}
			c |= x.spaced[norm[from:to]]
			if k == 0 {
				c |= x.first[norm[from:to]]
			}
		}
	}
	if strings.ContainsFunc(sentence, wide) {
		for phrase, set := range x.inner {
			if strings.Contains(sentence, phrase) {
				c |= set
			}
		}
		for phrase, set := range x.firstInner {
			if strings.HasPrefix(sentence, phrase) {
				c |= set
			}
		}
	}
	return c | marks(sentence)
}

// wide reports whether a letter is of a script that is written without spaces.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// normal returns a text in lower case with single spaces between its words and around it. A
// comma is a word; other punctuation but that inside of words is left out.
func normal(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for word := range strings.FieldsSeq(strings.ToLower(strings.ReplaceAll(s, "’", "'"))) {
		comma := strings.HasSuffix(word, ",")
		leading := strings.HasPrefix(word, ",")
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if leading {
			b.WriteString(", ")
		}
		if word != "" {
			b.WriteString(word)
			b.WriteByte(' ')
		}
		if comma && !leading {
			b.WriteString(", ")
		}
	}
	return b.String()
}

// marks returns the cues that are not phrases.
func marks(sentence string) cues {
	var c cues
	if strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || strings.HasPrefix(sentence, "¿") {
		c |= isQuestion
	}
	for word := range strings.FieldsSeq(sentence) {
		if isName(word) {
			c |= hasName
		}
		if address().MatchString(word) {
			c |= hasAddress
		}
		if strings.ContainsFunc(word, unicode.IsDigit) {
			c |= hasNumber
		}
	}
	return c
}

// pattern compiles an expression when it is first used: there are many, and most starts of the program need none.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// address matches URLs, hosts with a port, addresses of mail and of machines, scoped packages and
// colours.
//
//nolint:gochecknoglobals // compiled when it is first used
var address = pattern(`://|^[\w.-]+\.[a-z]{2,}:\d+|^[\w.+-]+@[\w-]+\.|^\d+\.\d+\.\d+\.\d+|^@[\w-]+/|^#[0-9a-fA-F]{3,8}\b`)

// isName reports whether a word can only be the name of something: code in quotes, an address, a
// path, an identifier with an underscore, a point or a colon inside, or a constant.
func isName(word string) bool {
	if strings.HasPrefix(word, "`") {
		return true
	}
	word = strings.Trim(word, ".,;:!?()\"'")
	switch {
	case len(word) < 3:
		return false
	case strings.Contains(word, "://"), strings.Contains(word, "@") && len(word) > 4, word[0] == '#' && len(word) > 3:
		return true
	}
	inside := strings.Trim(word, "/_-")
	if strings.ContainsAny(inside, "_:") || strings.Contains(word, "/") && len(inside) > 3 {
		return true
	}
	if i := strings.IndexByte(inside, '.'); i > 0 && i < len(inside)-1 {
		return strings.ContainsFunc(inside, unicode.IsLetter) && !strings.HasPrefix(inside, "e.g")
	}
	return camel(word)
}

// camel reports whether a capital follows a lower-case letter.
func camel(word string) bool {
	lower := false
	for _, r := range word {
		if lower && unicode.IsUpper(r) {
			return true
		}
		lower = unicode.IsLower(r)
	}
	return false
}

// String names the phrases for people, in the order of their weight.
func (c cues) String() string {
	var out []string
	for _, x := range [...]struct {
		cue  cues
		name string
	}{
		{hasRule, "a rule"},
		{hasPreference, "a preference"},
		{hasDecision, "a decision"},
		{hasFact, "a fact"},
		{hasContrast, "one thing and not another"},
		{hasDuty, "a duty"},
		{hasScope, "the project or team"},
		{hasProhibition, "a prohibition"},
		{hasRejection, "a rejection"},
		{hasName, "a name"},
		{hasAll, "all of a kind"},
		{hasReason, "a reason"},
	} {
		if c&x.cue != 0 {
			out = append(out, x.name)
		}
	}
	return strings.Join(out, ", ")
}

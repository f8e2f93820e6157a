package bm25

import (
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

// MaxTerm is the most bytes of a term; longer ones are cut at a rune boundary,
// so that the dictionary stays small whatever is recorded (keys, base64).
const MaxTerm = 64

// Analyzer turns text into terms. Implementations are deterministic, and safe
// for concurrent use.
type Analyzer interface {
	// Name identifies the analyzer and its version. An index that was made by an
	// analyzer of another name is rebuilt.
	Name() string
	// Terms calls emit for each term of text, repeated ones repeatedly. A term is
	// 1 to MaxTerm bytes of valid UTF-8 and begins with no control character;
	// emit must not keep it. Spaces, tabs, line feeds and carriage returns separate
	// terms: those of a text are those of the words between them, in order, so that
	// the terms of a word may be cached.
	Terms(text string, emit func(term []byte))
	// Stems calls emit for each word of text that is in a language and whose stem there is another
	// term than the one that Terms makes of it, with that term. emit must not keep them. White
	// space separates words as it does for Terms.
	Stems(l detect.Language, text string, emit func(term, stem []byte))
	// Stop reports whether term is a function word, which may be left out of a
	// query that has other words.
	Stop(term string) bool
}

// Plain returns the analyzer of the plain baseline: lower-cased runs of letters
// and digits, no stemming.
func Plain() Analyzer { return plain{} }

type plain struct{}

func (plain) Name() string { return "plain/1" }

func (plain) Stop(term string) bool { return isFunctionWord(term) }

func (plain) Stems(detect.Language, string, func(term, stem []byte)) {}

func (plain) Terms(text string, emit func([]byte)) {
	var buf [MaxTerm]byte
	term := buf[:0]
	full := false // the rest of a long run is dropped
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if len(term) > 0 {
				emit(term)
			}
			term, full = buf[:0], false
			continue
		}
		r = unicode.ToLower(r)
		full = full || len(term)+utf8.RuneLen(r) > MaxTerm
		if !full {
			term = utf8.AppendRune(term, r)
		}
	}
	if len(term) > 0 {
		emit(term)
	}
}

// cut shortens term to MaxTerm bytes, at a rune boundary.
func cut(term []byte) []byte {
	if len(term) <= MaxTerm {
		return term
	}
	n := MaxTerm
	for n > 0 && !utf8.RuneStart(term[n]) {
		n--
	}
	return term[:n]
}

package bm25

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/unicode/norm"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

// maxStems bounds the stems that a scanner remembers, about 3 MB.
const maxStems = 1 << 15

// stemKey is a word of a language, in lower case.
type stemKey struct {
	language detect.Language
	word     string
}

// stemmer stems words, and remembers the stems.
type stemmer struct {
	stems map[stemKey]string
}

// stem returns the stem of a word in lower case.
func (s *stemmer) stem(l detect.Language, word []byte) string {
	if stem, ok := s.stems[stemKey{l, string(word)}]; ok {
		return stem
	}
	key := stemKey{l, string(word)}
	stem := strings.Clone(stemOf(l, key.word))
	if len(s.stems) >= maxStems {
		clear(s.stems)
	}
	s.stems[key] = stem
	return stem
}

// HasStemmer reports whether there are stems for a language in Latin letters beside those of English,
// which all words in Latin letters have.
func HasStemmer(l detect.Language) bool {
	return l != detect.English && detect.SetOf(l) != 0
}

// truncated is the number of letters that stand for a word of a language without a stemmer. For Polish
// that is worth as much as a stemmer for others.
const truncated = 5

// stemmers returns the stemmers that there are.
func stemmers() [detect.NumLanguages]func(*snowballstem.Env) bool {
	return [detect.NumLanguages]func(*snowballstem.Env) bool{
		detect.English: english.Stem, detect.Danish: danish.Stem, detect.Dutch: dutch.Stem, detect.Finnish: finnish.Stem,
		detect.French: french.Stem, detect.German: german.Stem, detect.Hungarian: hungarian.Stem, detect.Irish: irish.Stem,
		detect.Italian: italian.Stem, detect.Norwegian: norwegian.Stem, detect.Portuguese: portuguese.Stem,
		detect.Romanian: romanian.Stem, detect.Spanish: spanish.Stem, detect.Swedish: swedish.Stem, detect.Turkish: turkish.Stem,
		detect.Arabic: arabic.Stem, detect.Russian: russian.Stem, detect.Tamil: tamil.Stem,
	}
}

// stemOf returns the stem of a word by Snowball, or its first letters.
func stemOf(l detect.Language, word string) string {
	f := stemmers()[l]
	if f == nil {
		return firstLetters(word, truncated)
	}
	env := snowballstem.NewEnv(word)
	f(env)
	if stem := env.Current(); stem != "" {
		return stem
	}
	return word
}

// firstLetters returns the first n letters of a word.
func firstLetters(word string, n int) string {
	for i := range word {
		if n == 0 {
			return word[:i]
		}
		n--
	}
	return word
}

// languageOf returns the language whose stemmer a word has whatever the text is in; Unknown: none.
func languageOf(word []byte) detect.Language {
	if isLatin(word) {
		return detect.English
	}
	r, _ := utf8.DecodeRune(word)
	return byScript(r)
}

// byScript returns the language whose stemmer suits a word in another script than Latin: that of the
// most speakers among those that are written in it, whatever language the text is in. Unknown: none.
func byScript(r rune) detect.Language {
	switch {
	case r >= 0x400 && r <= 0x52F:
		return detect.Russian
	case r >= 0x600 && r <= 0x6FF:
		return detect.Arabic
	case r >= 0xB80 && r <= 0xBFF:
		return detect.Tamil
	}
	return detect.Unknown
}

// Stems implements [Analyzer].
func (w *wordAnalyzer) Stems(l detect.Language, text string, emit func(term, stem []byte)) {
	s := w.get()
	defer w.pool.Put(s)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) {
			i += n
			continue
		}
		from := i
		for i < len(text) && (unicode.IsLetter(r) || unicode.Is(unicode.M, r)) {
			i += n
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		s.stemWord(l, text[from:i], emit)
	}
}

// stemWord emits the term and the stem of a word of letters, if they differ.
func (s *scanner) stemWord(l detect.Language, word string, emit func(term, stem []byte)) {
	if len(word) <= 2 || len(word) > MaxTerm {
		return
	}
	s.folded, s.tmp = fold(s.folded, s.tmp, word)
	if mixedCase(s.folded) && isASCII(s.folded) {
		return // an identifier
	}
	s.lower = appendLower(s.lower[:0], s.folded)
	if !isLatin(s.lower) {
		return
	}
	s.chunk = append(s.chunk[:0], s.stem(detect.English, cut(s.lower))...)
	s.lower = appendLower(s.lower[:0], norm.NFC.AppendString(s.folded[:0], word))
	stem := s.stem(l, s.lower)
	s.folded, s.tmp = fold(s.folded, s.tmp, stem)
	if string(s.folded) != string(s.chunk) && len(s.folded) > 1 {
		emit(s.chunk, cut(s.folded))
	}
}

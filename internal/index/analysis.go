package index

import (
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// cachingAnalyzer analyses texts word by word and caches the result: in natural text 19 words of 20
// occurred before. A word is here what white space delimits, with its punctuation and in its case.
// This relies on analyzers and tokenizers that treat such words independently; see [bm25.Analyzer]
// and [embed.TokenEmbedder].
type cachingAnalyzer struct {
	analyzer bm25.Analyzer
	tokens   embed.TokenEmbedder // nil: there are no word pieces
	emit     func(term []byte)

	ids   map[string]uint32 // numbers of terms
	terms []string          // by number
	cache wordCache

	text   []uint32 // the terms of the text at hand
	pieces []int32  // the word pieces since the caller cut the list
}

// maxTerms is the number of terms from which the next segment begins with an empty dictionary and an
// empty cache.
const maxTerms = 1 << 18

func newCachingAnalyzer(o *Options) *cachingAnalyzer {
	a := &cachingAnalyzer{analyzer: o.Analyzer, tokens: o.Tokens, ids: make(map[string]uint32), cache: newWordCache()}
	a.emit = func(term []byte) { a.text = append(a.text, a.id(term)) }
	return a
}

// begin bounds the memory before a segment is built: what is full starts over, so that it follows the
// vocabulary of the texts.
func (a *cachingAnalyzer) begin() {
	if a.cache.full() || len(a.terms) >= maxTerms {
		a.ids, a.terms, a.cache = make(map[string]uint32), nil, newWordCache()
	}
}

// id returns the number of a term.
func (a *cachingAnalyzer) id(term []byte) uint32 {
	id, ok := a.ids[string(term)]
	if !ok {
		name := string(term)
		id = uint32(len(a.terms))
		a.ids[name] = id
		a.terms = append(a.terms, name)
	}
	return id
}

// analyse returns the numbers of the terms of a text, repeated ones repeatedly, and appends its word
// pieces to a.pieces. The result may be changed, and is valid until the next call.
func (a *cachingAnalyzer) analyse(text string) []uint32 {
	a.text = a.text[:0]
	for i := 0; i < len(text); {
		for i < len(text) && isSpace(text[i]) {
			i++
		}
		start := i
		for i < len(text) && !isSpace(text[i]) {
			i++
		}
		if start < i {
			a.word(text[start:i])
		}
	}
	return a.text
}

// isSpace reports whether c separates words for all analyzers and tokenizers.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// single returns the number of a term as a list.
func (a *cachingAnalyzer) single(term []byte) []uint32 {
	a.text = append(a.text[:0], a.id(term))
	return a.text
}

// word appends the terms and the word pieces of a word.
func (a *cachingAnalyzer) word(text string) {
	if len(text) > maxCachedWord {
		a.split(text)
		return
	}
	hash := a.cache.hash(text)
	if e, ok := a.cache.find(hash, text); ok {
		a.text, a.pieces = e.appendTo(a.text, a.pieces)
		return
	}
	terms, pieces := len(a.text), len(a.pieces)
	a.split(text)
	a.cache.add(hash, text, a.text[terms:], a.pieces[pieces:])
}

// split is word without the cache.
func (a *cachingAnalyzer) split(text string) {
	a.analyzer.Terms(text, a.emit)
	if a.tokens != nil {
		a.pieces = a.tokens.Tokenize(a.pieces, text)
	}
}

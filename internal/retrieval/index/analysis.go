package index

import (
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

// cachingAnalyzer analyses texts word by word and caches the result: in natural text 19 words of 20 occurred
// before. A word is here what white space delimits, with its punctuation and in its case. This
// relies on analyzers and tokenizers that treat such words independently; see [bm25.Analyzer] and
// [embed.TokenEmbedder].
type cachingAnalyzer struct {
	analyzer bm25.Analyzer
	tokens   embed.TokenEmbedder // nil: there are no word pieces
	emit     func(term []byte)

	ids   map[string]uint32 // numbers of terms
	terms []string          // by number
	cache wordCache
	// stems caches the further terms of the words of a language.
	stems map[detect.Language]*wordCache
	tally detect.Tally // of the texts since the caller cleared it

	text   []uint32 // the terms of the text at hand
	pieces []int32  // the word pieces since the caller cut the list
}

// maxTerms is the number of terms from which the next segment begins with an empty dictionary and an
// empty cache.
const maxTerms = 1 << 18

func newCachingAnalyzer(o *Options) *cachingAnalyzer {
	w := &cachingAnalyzer{analyzer: o.Analyzer, tokens: o.Tokens, ids: make(map[string]uint32), cache: newWordCache()}
	w.stems = make(map[detect.Language]*wordCache)
	w.emit = func(term []byte) { w.text = append(w.text, w.id(term)) }
	return w
}

// begin bounds the memory before a segment is built: what is full starts over, so that it follows the
// vocabulary of the texts.
func (w *cachingAnalyzer) begin() {
	if w.full() || len(w.terms) >= maxTerms {
		w.ids, w.terms, w.cache = make(map[string]uint32), nil, newWordCache()
		clear(w.stems)
	}
}

// full reports whether a cache is.
func (w *cachingAnalyzer) full() bool {
	for _, c := range w.stems {
		if c.full() {
			return true
		}
	}
	return w.cache.full()
}

// id returns the number of a term.
func (w *cachingAnalyzer) id(term []byte) uint32 {
	id, ok := w.ids[string(term)]
	if !ok {
		name := string(term)
		id = uint32(len(w.terms))
		w.ids[name] = id
		w.terms = append(w.terms, name)
	}
	return id
}

// analyse returns the numbers of the terms of a text, repeated ones repeatedly, and appends its word
// pieces to w.pieces. The result may be changed, and is valid until the next call.
func (w *cachingAnalyzer) analyse(text string) []uint32 {
	w.text = w.text[:0]
	w.each(text, w.word)
	return w.text
}

// stemmed returns the numbers of the stems that the words of a text have in a language, where they are
// other terms than those of analyse. The result is as that of analyse.
func (w *cachingAnalyzer) stemmed(l detect.Language, text string) []uint32 {
	w.text = w.text[:0]
	cache := w.stems[l]
	if cache == nil {
		c := newWordCache()
		cache = &c
		w.stems[l] = cache
	}
	w.each(text, func(word string) {
		if len(word) > maxCachedWord {
			w.analyzer.Stems(l, word, w.emitStem)
			return
		}
		hash := cache.hash(word)
		if e, ok := cache.find(hash, word); ok {
			w.text, _ = e.appendTo(w.text, nil)
			return
		}
		from := len(w.text)
		w.analyzer.Stems(l, word, w.emitStem)
		cache.add(hash, word, 0, w.text[from:], nil)
	})
	return w.text
}

func (w *cachingAnalyzer) emitStem(_, stem []byte) { w.emit(stem) }

// each calls f with the words of a text.
func (w *cachingAnalyzer) each(text string, f func(word string)) {
	for i := 0; i < len(text); {
		for i < len(text) && isSpace(text[i]) {
			i++
		}
		start := i
		for i < len(text) && !isSpace(text[i]) {
			i++
		}
		if start < i {
			f(text[start:i])
		}
	}
}

// isSpace reports whether c separates words for all analyzers and tokenizers.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// single returns the number of a term as a list.
func (w *cachingAnalyzer) single(term []byte) []uint32 {
	w.text = append(w.text[:0], w.id(term))
	return w.text
}

// word appends the terms and the word pieces of a word.
func (w *cachingAnalyzer) word(text string) {
	if len(text) > maxCachedWord {
		w.split(text)
		return
	}
	hash := w.cache.hash(text)
	if e, ok := w.cache.find(hash, text); ok {
		w.text, w.pieces = e.appendTo(w.text, w.pieces)
		w.tally.Add(e.hint())
		return
	}
	terms, pieces, hint := len(w.text), len(w.pieces), detect.HintOf(text)
	w.tally.Add(hint)
	w.split(text)
	w.cache.add(hash, text, hint, w.text[terms:], w.pieces[pieces:])
}

// split is word without the cache.
func (w *cachingAnalyzer) split(text string) {
	w.analyzer.Terms(text, w.emit)
	if w.tokens != nil {
		w.pieces = w.tokens.Tokenize(w.pieces, text)
	}
}

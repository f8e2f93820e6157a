package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/models"
)

// directly returns the terms and the word pieces of a text as the analyzer and the tokenizer give them.
func directly(a bm25.Analyzer, tokens embed.TokenEmbedder, text string) (terms []string, pieces []int32) {
	a.Terms(text, func(b []byte) { terms = append(terms, string(b)) })
	return terms, tokens.Tokenize(nil, text)
}

// cached returns the same by a cache of words.
func (a *cachingAnalyzer) cached(text string) (terms []string, pieces []int32) {
	a.pieces = a.pieces[:0]
	for _, id := range a.analyse(text) {
		terms = append(terms, a.terms[id])
	}
	return terms, slices.Clone(a.pieces)
}

// Analysis word by word, of new and of cached words, is that of the whole text.
func TestCachingAnalyzer_wordByWord(t *testing.T) {
	t.Parallel()
	model, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []bm25.Analyzer{bm25.Words(), bm25.Plain()} {
		c := newCachingAnalyzer(&Options{Analyzer: a, Tokens: model})
		word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"don't", "HTTPServerError", "a.b/c", "naïve", "東京都に", "e\u0301", "\xff\xfe", "👩‍👩‍👧", "a\x01b\x7f", "\u00a0", "…", strings.Repeat("x", 300), strings.Repeat("?", 300),
		}))
		space := rapid.SampledFrom([]string{" ", "\n", "\t", "\r", " \r\n  ", ""})
		rapid.Check(t, func(t *rapid.T) {
			var text string
			for range rapid.IntRange(0, 8).Draw(t, "words") {
				text += word.Draw(t, "word") + space.Draw(t, "space")
			}
			terms, pieces := directly(a, model, text)
			for range 2 {
				gotTerms, gotPieces := c.cached(text)
				if !slices.Equal(gotTerms, terms) || !slices.Equal(gotPieces, pieces) {
					t.Fatalf("%s: %q: got terms %q and pieces %v, want %q and %v", a.Name(), text, gotTerms, gotPieces, terms, pieces)
				}
			}
		})
	}
}

// A full cache goes on without new words, and the next segment begins with an empty one.
func TestCachingAnalyzer_isBounded(t *testing.T) {
	t.Parallel()
	c := newCachingAnalyzer(&Options{Analyzer: bm25.Plain()})
	for i := range maxCachedWords + 10 {
		name := fmt.Sprint("w", i)
		if terms, _ := c.cached(name); !slices.Equal(terms, []string{name}) {
			t.Fatalf("%s became %q", name, terms)
		}
	}
	if c.cache.words != maxCachedWords || len(c.cache.slots) != 2*maxCachedWords {
		t.Errorf("%d words in %d slots, want %d in %d", c.cache.words, len(c.cache.slots), maxCachedWords, 2*maxCachedWords)
	}
	for i := range maxCachedWords + 10 {
		name := fmt.Sprint("w", i)
		if terms, _ := c.cached(name); !slices.Equal(terms, []string{name}) {
			t.Fatalf("%s became %q the second time", name, terms)
		}
	}
	c.begin()
	if c.cache.words != 0 || len(c.terms) != 0 {
		t.Errorf("a new segment begins with %d words and %d terms", c.cache.words, len(c.terms))
	}
	if terms, _ := c.cached("w5 w5"); !slices.Equal(terms, []string{"w5", "w5"}) {
		t.Errorf("got %q", terms)
	}
}

// Words of equal hashes are distinguished.
func TestWordCache_collisions(t *testing.T) {
	t.Parallel()
	c := newWordCache()
	for i := range uint32(300) {
		c.add(7, fmt.Sprint(i), 0, []uint32{i, 1 << 31}, []int32{int32(i), 65535})
	}
	for i := range uint32(300) {
		e, ok := c.find(7, fmt.Sprint(i))
		if !ok {
			t.Fatalf("%d is missing", i)
		}
		terms, pieces := e.appendTo(nil, nil)
		if d := cmp.Diff([]any{[]uint32{i, 1 << 31}, []int32{int32(i), 65535}}, []any{terms, pieces}); d != "" {
			t.Fatalf("%d (-want +got):\n%s", i, d)
		}
	}
	if _, ok := c.find(7, "300"); ok {
		t.Error("found a word that was never added")
	}
	many := make([]uint32, 256)
	if c.add(8, "many", 0, many, nil); c.words != 300 {
		t.Error("kept a word with more terms than an entry can have")
	}
}

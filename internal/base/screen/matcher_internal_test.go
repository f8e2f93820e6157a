package screen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// find returns what a matcher finds as WORD@END, in the order of the ends.
func find(words []string, text string) (out []string) {
	newMatcher(words).each(text, func(word, end int) { out = append(out, fmt.Sprintf("%d@%d", word, end)) })
	return out
}

// naive is find as a loop over all words: the longest first, equal ones in their order.
func naive(words []string, text string) (out []string) {
	text = strings.ToLower(text)
	for end := range len(text) + 1 {
		var here []int
		for w := range words {
			if strings.HasSuffix(text[:end], words[w]) {
				here = append(here, w)
			}
		}
		slices.SortStableFunc(here, func(a, b int) int { return len(words[b]) - len(words[a]) })
		for _, w := range here {
			out = append(out, fmt.Sprintf("%d@%d", w, end))
		}
	}
	return out
}

func TestMatcher(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	text := func(letters string, most int) string {
		b := make([]byte, 1+rng.IntN(most))
		for i := range b {
			b[i] = letters[rng.IntN(len(letters))]
		}
		return string(b)
	}
	for range 3000 {
		words := make([]string, 1+rng.IntN(12))
		for i := range words {
			words[i] = text("ab-c", 6)
		}
		words = append(words, words[rng.IntN(len(words))])
		text := text("abABc-x", 60)
		found, want := find(words, text), naive(words, text)
		if !slices.Equal(found, want) {
			t.Fatalf("%q in %q: %q, want %q", words, text, found, want)
		}
		if in := newMatcher(words).in(text); in != (len(want) > 0) {
			t.Fatalf("%q in %q: %t", words, text, in)
		}
	}
}

package embedtest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// Tokens is an [embed.TokenEmbedder] whose tokens are whole words: a synonym is similar by
// .8, another word not at all. The zero value is ready, and safe for concurrent use.
type Tokens struct {
	mu    sync.Mutex
	known map[string]int32
	words []string
	texts []string
}

// Vocabulary implements [embed.TokenEmbedder]. It differs for each Tokens, which numbers
// words as they come.
func (t *Tokens) Vocabulary() string { return fmt.Sprintf("words %p", t) }

// Tokenize implements [embed.TokenEmbedder].
func (t *Tokens) Tokenize(dst []int32, text string) []int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.texts = append(t.texts, text)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		n, ok := t.known[word]
		if !ok {
			n = int32(len(t.words))
			t.words = append(t.words, word)
			if t.known == nil {
				t.known = make(map[string]int32)
			}
			t.known[word] = n
		}
		dst = append(dst, n)
	}
	return dst
}

// Weight implements [embed.TokenEmbedder].
func (*Tokens) Weight(int32) float64 { return 1 }

// NewMaxSim implements [embed.TokenEmbedder].
func (t *Tokens) NewMaxSim(query []int32) embed.MaxSim { return maxSim{t, query} }

// Tokenized returns the texts that were tokenized since the last call, sorted.
func (t *Tokens) Tokenized() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.texts
	t.texts = nil
	slices.Sort(out)
	return out
}

type maxSim struct {
	tokens *Tokens
	query  []int32
}

func (maxSim) Close() {}

func (m maxSim) Update(dst []float32, text []int32) {
	m.tokens.mu.Lock()
	defer m.tokens.mu.Unlock()
	for i, q := range m.query {
		for _, n := range text {
			dst[i] = max(dst[i], similarity(m.tokens.words[q], m.tokens.words[n]))
		}
	}
}

func similarity(a, b string) float32 {
	same := synonyms()
	switch {
	case a == b:
		return 1
	case same[a] == b || same[b] == a || same[a] != "" && same[a] == same[b]:
		return .8
	default:
		return 0
	}
}

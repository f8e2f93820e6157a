// Package embedtest has models for tests. They know words and nothing else, so that a test
// can compute by hand what they answer.
package embedtest

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// synonyms are the words that all models of this package know to be alike.
func synonyms() map[string]string {
	return map[string]string{
		"automobile": "car", "vehicle": "car", "petrol": "fuel", "fixing": "repair", "mending": "repair", "physician": "doctor",
	}
}

// Words is an [embed.Embedder]: the vector of a text is the sum of those of its words, and
// words that are no synonyms are orthogonal. It counts what it is asked, and fails on request.
// The exported fields are set before use; the methods are safe for concurrent use.
type Words struct {
	Identity embed.Model
	// Dense makes words a little alike, at random.
	Dense bool
	// Synonyms, by word, are known beside those of all models.
	Synonyms map[string]string

	mu       sync.Mutex
	passages []string
	queries  []string
	spoil    Spoil
	gate     chan struct{} // passages wait for a token; nil: for nothing
	closed   int
}

// Spoil replaces an answer, or makes an error of it.
type Spoil func(texts []string, vectors [][]float32) ([][]float32, error)

// NewWords returns a model named "NAME@1".
func NewWords(name string) *Words {
	return &Words{Identity: embed.Model{ID: name + "@1", Space: name, Dimension: 2048}}
}

// Model implements [embed.Embedder].
func (w *Words) Model() embed.Model { return w.Identity }

// Close implements [io.Closer].
func (w *Words) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed++
	return nil
}

// Closed returns how often the model was closed.
func (w *Words) Closed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// Embed implements [embed.Embedder].
func (w *Words) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	w.mu.Lock()
	gate, spoil := w.gate, w.spoil
	switch role {
	case embed.Passage:
		w.passages = append(w.passages, texts...)
	case embed.Query:
		w.queries = append(w.queries, texts...)
	case embed.Sentence:
	}
	w.mu.Unlock()
	if gate != nil && role == embed.Passage {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = w.Vector(t)
	}
	if spoil != nil {
		return spoil(texts, vectors)
	}
	return vectors, ctx.Err()
}

// Vector returns the vector of a text: zeros if it has no word.
func (w *Words) Vector(text string) []float32 {
	sum := make([]float64, w.Identity.Dimension)
	same := synonyms()
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if s, ok := same[word]; ok {
			word = s
		}
		if s, ok := w.Synonyms[word]; ok {
			word = s
		}
		w.add(sum, word)
	}
	length := 0.0
	for _, x := range sum {
		length += x * x
	}
	v := make([]float32, len(sum))
	for i, x := range sum {
		if length > 0 {
			v[i] = float32(x / math.Sqrt(length))
		}
	}
	return v
}

// add adds the vector of a word.
func (w *Words) add(sum []float64, word string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(w.Identity.Space + " " + word)) // never fails
	if !w.Dense {
		sum[h.Sum64()%uint64(len(sum))]++
		return
	}
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	for i := range sum {
		sum[i] += r.NormFloat64()
	}
}

// Passages returns the passages that were embedded since the last call, sorted.
func (w *Words) Passages() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.passages
	w.passages = nil
	slices.Sort(out)
	return out
}

// Queries returns the queries that were embedded since the last call, sorted.
func (w *Words) Queries() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.queries
	w.queries = nil
	slices.Sort(out)
	return out
}

// Block makes calls for passages wait until Admit or Unblock.
func (w *Words) Block() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gate = make(chan struct{}, 1000)
}

// Admit lets n calls through.
func (w *Words) Admit(n int) {
	for range n {
		w.gate <- struct{}{}
	}
}

// Unblock lets all calls through.
func (w *Words) Unblock() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gate != nil {
		close(w.gate)
	}
}

// Spoil makes answers wrong from now on; nil makes them right again.
func (w *Words) Spoil(s Spoil) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spoil = s
}

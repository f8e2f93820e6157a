package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// writer makes text with the word frequencies of a natural language: a Zipf
// distribution over a vocabulary whose head is the common words of English.
type writer struct {
	rng   *rand.Rand
	zipf  *rand.Zipf
	words []string
}

const vocabulary = 40000

func newWriter(seed uint64) *writer {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := &writer{rng: rng, zipf: rand.NewZipf(rng, 1.07, 4, vocabulary-1)}
	w.words = strings.Fields(`the a to of and in is that for it we on with was this be as use not are when by from at
		or have but an if test file error server build user code data should run fix add set new change call type name
		time value query store cache branch deploy config request response timeout memory index release review team`)
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru sta ple tri sho")
	for i := len(w.words); i < vocabulary; i++ {
		var b strings.Builder
		for n := i; n > 0; n /= len(syllables) {
			b.WriteString(syllables[n%len(syllables)])
		}
		w.words = append(w.words, b.String())
	}
	return w
}

func (w *writer) text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.words[w.zipf.Uint64()])
	}
	return b.String()
}

// query is a question of 3 to 6 words: common and rare ones, as people ask.
func (w *writer) query() string { return w.text(3 + w.rng.IntN(4)) }

// corpus writes n memories of about 40 words as JSON lines.
func (w *writer) corpus(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	enc := json.NewEncoder(out)
	for i := range n {
		m := map[string]any{
			"content":    w.text(30 + w.rng.IntN(21)),
			"situation":  []string{w.text(3), w.text(2)},
			"importance": float64(w.rng.IntN(11)) / 10,
			"tags":       []string{fmt.Sprintf("topic%d", i%50)},
		}
		if err := enc.Encode(m); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

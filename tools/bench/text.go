package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// writer makes text with the word frequencies of a natural language: a Zipf
// distribution over the words of the comments in Go's standard library, the
// frequent ones first. They are real words, so that a tokenizer meets what it knows.
type writer struct {
	rng   *rand.Rand
	zipf  *rand.Zipf
	words []string
}

const vocabulary = 40000

func newWriter(seed uint64, words []string) *writer {
	rng := rand.New(rand.NewPCG(seed, 1))
	return &writer{rng: rng, zipf: rand.NewZipf(rng, 1.07, 4, uint64(len(words)-1)), words: words}
}

// commentWords returns up to vocabulary words, by frequency and then by alphabet.
func commentWords() ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int)
	dir := filepath.Join(strings.TrimSpace(string(root)), "src")
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			_, comment, _ := strings.Cut(line, "// ")
			for w := range strings.FieldsFuncSeq(comment, func(r rune) bool { return r < 'A' || r > 'Z' && r < 'a' || r > 'z' }) {
				counts[strings.ToLower(w)]++
			}
		}
		return err
	})
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	return words[:min(len(words), vocabulary)], err
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

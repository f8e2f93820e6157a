// Package corpus makes texts, queries and stores of memories for measurements. The same seed makes the
// same texts.
package corpus

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

// Writer makes text with the word frequencies of a natural language: a Zipf
// distribution over the words of the comments in Go's standard library, the
// frequent ones first. They are real words, so that a tokenizer meets what it knows.
type Writer struct {
	*rand.Rand
	zipf  *rand.Zipf
	words []string
}

// vocabulary is the number of words.
const vocabulary = 40000

// New returns a writer. The words are those of [Words], which takes a second.
func New(seed uint64, words []string) *Writer {
	rng := rand.New(rand.NewPCG(seed, 1))
	return &Writer{Rand: rng, zipf: rand.NewZipf(rng, 1.07, 4, uint64(len(words)-1)), words: words}
}

// Words returns up to vocabulary words, by frequency and then by alphabet.
func Words() ([]string, error) {
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

// Text returns n words.
func (w *Writer) Text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.words[w.zipf.Uint64()])
	}
	return b.String()
}

// Query is a question of 3 to 6 words: common and rare ones, as people ask.
func (w *Writer) Query() string { return w.Text(3 + w.IntN(4)) }

// Write writes a file of n memories of about 40 words as JSON lines.
func (w *Writer) Write(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	enc := json.NewEncoder(out)
	for i := range n {
		m := map[string]any{
			"content":    w.Text(30 + w.IntN(21)),
			"situation":  []string{w.Text(3), w.Text(2)},
			"importance": float64(w.IntN(11)) / 10,
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

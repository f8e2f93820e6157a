package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// similarity says how well the cosines of a model agree with people about how
// similar two sentences are.
type similarity struct {
	// Set is the file, below the folder of the data.
	Set   string `json:"set"`
	Model string `json:"model"`
	Pairs int    `json:"pairs"`
	// Spearman is the rank correlation, in [-1, 1].
	Spearman float64 `json:"spearman"`
	// Agreement is the mean cosine between the vectors of this model and of the
	// first model of the same space, for the same sentence; 0 if there is none.
	Agreement float64 `json:"agreement,omitempty"`
}

// pairs are sentences that people compared.
type pairs struct {
	name   string
	a, b   []string
	scores []float64
}

// findPairs returns every file below dir that is a table with the columns score,
// a and b, in the order of their names.
func findPairs(dir string) ([]pairs, error) {
	var out []pairs
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".tsv" {
			return err
		}
		p, err := readPairs(path)
		if err != nil || p == nil {
			return err
		}
		if p.name, err = filepath.Rel(dir, path); err != nil {
			return err
		}
		p.name = strings.TrimSuffix(filepath.ToSlash(p.name), ".tsv")
		out = append(out, *p)
		return nil
	})
	return out, err
}

// readPairs returns the pairs in a file, or nil if it is another kind of table.
func readPairs(path string) (_ *pairs, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() || lines.Text() != "score\ta\tb" {
		return nil, lines.Err()
	}
	p := &pairs{}
	for n := 2; lines.Scan(); n++ {
		c := strings.Split(lines.Text(), "\t")
		score, err := strconv.ParseFloat(c[0], 64)
		if err != nil || len(c) != 3 || math.IsNaN(score) {
			return nil, fmt.Errorf("%w: %s:%d: want a score and two sentences", hippo.ErrInvalid, path, n)
		}
		p.a, p.b, p.scores = append(p.a, c[1]), append(p.b, c[2]), append(p.scores, score)
	}
	return p, lines.Err()
}

// similarities measures every model on every table of sentence pairs below dir: a .tsv file with the
// columns score, a and b.
func similarities(ctx context.Context, dir string, models []eval.Model) ([]similarity, error) {
	tables, err := findPairs(dir)
	if err != nil {
		return nil, err
	}
	var out []similarity
	for _, p := range tables {
		first := make(map[string][][]float32) // by space
		for _, m := range models {
			preferred := m.Used[0].Embedder
			both, err := preferred.Embed(ctx, embed.Sentence, append(slices.Clone(p.a), p.b...))
			if err != nil {
				return nil, fmt.Errorf("model %s: %w", m.Name, err)
			}
			s := similarity{Set: p.name, Model: m.Name, Pairs: len(p.scores)}
			cosines := make([]float64, len(p.scores))
			for i := range cosines {
				cosines[i] = cosine(both[i], both[len(p.a)+i])
			}
			s.Spearman = spearman(p.scores, cosines)
			if others := first[preferred.Model().Space]; others == nil {
				first[preferred.Model().Space] = both
			} else {
				for i := range both {
					s.Agreement += cosine(both[i], others[i]) / float64(len(both))
				}
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// cosine of two vectors of length 1 or 0.
func cosine(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// spearman returns the rank correlation of two lists of equal length, in [-1, 1];
// equal values share the mean of their ranks. 0 if one of them is constant.
func spearman(x, y []float64) float64 {
	a, b := ranks(x), ranks(y)
	mean := float64(len(x)+1) / 2
	var ab, aa, bb float64
	for i := range a {
		da, db := a[i]-mean, b[i]-mean
		ab, aa, bb = ab+da*db, aa+da*da, bb+db*db
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks returns the rank of each value, from 1.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// The cosines of the built-in model agree with people. A second model of its space is compared with
// the first one, and other tables are left out.
func TestSimilarities(t *testing.T) {
	t.Parallel()
	m, err := app.OpenModel(t.Context(), config.Builtin, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	used := []embedding.Model{{Embedder: m, Instant: true}}
	both := []eval.Model{{Name: "builtin", Used: used}, {Name: "again", Used: used}}
	got, err := similarities(t.Context(), "testdata", both)
	if err != nil || len(got) != 2 {
		t.Fatalf("got %+v (%v), want two rows", got, err)
	}
	for i, s := range got {
		if s.Set != "sentences/alike" || s.Model != both[i].Name || s.Pairs != 10 || math.Abs(s.Spearman-.745) > .001 {
			t.Errorf("got %+v, want 10 pairs of sentences/alike with a correlation of .745", s)
		}
	}
	if got[0].Agreement != 0 || math.Abs(got[1].Agreement-1) > 1e-6 {
		t.Errorf("the agreement is %v and %v, want that of the second to be 1", got[0].Agreement, got[1].Agreement)
	}
}

func TestSimilarities_broken_table(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.tsv"), []byte("score\ta\tb\n1\tone\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := similarities(t.Context(), dir, nil); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v, want invalid", err)
	}
}

func TestSpearman_by_hand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 40}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, .8},
		{[]float64{1, 2, 2, 3}, []float64{1, 2, 2, 3}, 1}, // ties share the mean of their ranks
		{[]float64{1, 1}, []float64{1, 2}, 0},
	} {
		if got := spearman(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("spearman(%v, %v) is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

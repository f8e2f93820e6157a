package rank_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

func totalOf(list []hippo.Contribution) float64 {
	total := 0.0
	for _, c := range list {
		total += c.Sum
	}
	return total
}

// The contributions add up to the relevance.
func TestExplain_AddsUp(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s, f := drawSignals(t), drawFeatures(t)
		c := drawContext(t)
		linear := rank.NewLinear(&w.Rerank, &c)
		s.Time, s.Text, s.Prior = unit(t, "time"), linear.Text(&w, sumOf(&linear, &f), 0), unit(t, "prior")

		x := rank.Explain(&w, rank.Explanation{Ranker: hippo.RankerHippo, Searched: true, Features: &f, Context: c}, &s)
		text := relevance(&w, totalOf(x.Text))
		if math.Abs(text-s.Text) > 1e-9 || math.Abs(totalOf(x.Prior)-s.Prior) > 1e-9 {
			t.Fatalf("text %v of %v, prior %v of %v", text, s.Text, totalOf(x.Prior), s.Prior)
		}
		if got := text * x.Factors.Context * x.Factors.Time * x.Factors.Prior; math.Abs(got-rank.ByHippo(&w, &s)) > 1e-9 {
			t.Fatalf("explained %v, relevance %v", got, rank.ByHippo(&w, &s))
		}
		if d := cmp.Diff(f.Map(), x.Features); d != "" {
			t.Fatalf("features (-want +got):\n%s", d)
		}
		x = rank.Explain(&w, rank.Explanation{Ranker: hippo.RankerInsight, Searched: true, Features: &f, Context: c}, &s)
		if got := totalOf(x.Prior); math.Abs(got-rank.ByInsight(&w, &s)) > 1e-9 || x.Factors != nil {
			t.Fatalf("explained %v, relevance %v", got, rank.ByInsight(&w, &s))
		}
	})
}

func TestExplain_LargestFirst(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	for i := range w.Rerank.Experts {
		w.Rerank.Experts[i] = rank.Expert{Features: rank.Features{rank.BM25Absolute: 1, rank.Cosine: 4, rank.Length: -3, rank.Session: 9}}
	}
	w.Rerank.Base, w.Rerank.BaseBy = .5, rank.Context{}
	f := rank.Features{rank.BM25Absolute: 1, rank.Cosine: .5, rank.Length: 1}
	s := hippo.Signals{Cosine: .5, Prior: .5, Context: 1, Time: 1}
	c := rank.Context{rank.Words: 1}
	want := &hippo.Explanation{
		Text: []hippo.Contribution{
			{Feature: "length", Value: 1, Weight: -3, Sum: -3},
			{Feature: "cosine", Value: .5, Weight: 4, Sum: 2},
			{Feature: "bm25.absolute", Value: 1, Weight: 1, Sum: 1},
			{Feature: "base", Value: 1, Weight: .5, Sum: .5},
		},
		Reranked: true, Context: c.Map(), Features: f.Map(),
		Prior:   []hippo.Contribution{{Feature: "importance", Value: .5, Weight: 1, Sum: .5}},
		Factors: &hippo.Factors{Context: 1, Time: 1, Prior: .988},
	}
	x := rank.Explanation{Ranker: hippo.RankerHippo, Searched: true, Features: &f, Context: c, BM25Relative: 1}
	if d := cmp.Diff(want, rank.Explain(&w, x, &s)); d != "" {
		t.Errorf("reranked (-want +got):\n%s", d)
	}
	w.FirstStage = rank.FirstStage{BM25Relative: 2}
	x.Features, want.Features, want.Reranked, want.Context = nil, nil, false, nil
	want.Text = []hippo.Contribution{{Feature: "bm25.relative", Value: 1, Weight: 2, Sum: 2}}
	if d := cmp.Diff(want, rank.Explain(&w, x, &s)); d != "" {
		t.Errorf("not reranked (-want +got):\n%s", d)
	}
	x.Searched, want.Text = false, nil
	if d := cmp.Diff(want, rank.Explain(&w, x, &s)); d != "" {
		t.Errorf("a query without text (-want +got):\n%s", d)
	}
	for _, r := range []hippo.Ranker{hippo.RankerBM25, hippo.RankerCosine} {
		if d := cmp.Diff(&hippo.Explanation{}, rank.Explain(&w, rank.Explanation{Ranker: r, Searched: true}, &s)); d != "" {
			t.Errorf("%s (-want +got):\n%s", r, d)
		}
	}
}

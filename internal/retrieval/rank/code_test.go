package rank_test

import (
	"math"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Odds of 3 count for 2.31.
func TestOfCode(t *testing.T) {
	t.Parallel()
	for relevance, want := range map[float64]float64{0: 0, .75: 2.31 / 3.31, 1: 1} {
		if got := rank.OfCode(relevance); math.Abs(got-want) > 1e-12 {
			t.Errorf("OfCode(%v) = %v, want %v", relevance, got, want)
		}
	}
	for last, x := 0.0, .01; x <= 1; last, x = rank.OfCode(x), x+.01 {
		if got := rank.OfCode(x); got <= last || got > x {
			t.Errorf("OfCode(%v) = %v after %v", x, got, last)
		}
	}
}

// Without the second channel the weights for code are those of insights, whatever the context; with it the table has its weight
// and nothing else changes but the level.
func TestCodeWeights(t *testing.T) {
	t.Parallel()
	code, plain := rank.CodeWeights(), rank.DefaultWeights()
	context := rank.Context{rank.Reach: .5, rank.Lead: .6, rank.English: 1, rank.Words: .5}
	features := rank.Features{rank.Cosine: .4, rank.CosineStandard: .5, rank.MaxSim: .5, rank.Code: .4, rank.IsCode: 1, rank.Length: .8}
	of := func(w *rank.Weights) float64 {
		l := rank.NewLinear(&w.Rerank, &context)
		return sumOf(&l, &features)
	}
	alone := of(&code)
	if want := of(&plain); math.Abs(alone-want) > 1e-9 {
		t.Errorf("without the second channel %v, not %v", alone, want)
	}
	context[rank.HasMultilingual], context[rank.MultilingualLead] = 1, .7
	features[rank.MultilingualStandard] = .6
	worst := of(&code)
	features[rank.Multilingual] = .5
	if best := of(&code); math.Abs(best-worst-1.5) > 1e-9 || worst >= alone || best <= alone {
		t.Errorf("with it from %v to %v; without it %v", worst, best, alone)
	}
}

// Odds of 3 count for 1.65: what is far more relevant stays first.
func TestAside(t *testing.T) {
	t.Parallel()
	for relevance, want := range map[float64]float64{0: 0, .75: 1.65 / 2.65, 1: 1} {
		if got := rank.Aside(relevance); math.Abs(got-want) > 1e-12 {
			t.Errorf("Aside(%v) = %v, want %v", relevance, got, want)
		}
	}
	for last, x := 0.0, .01; x <= 1; last, x = rank.Aside(x), x+.01 {
		if got := rank.Aside(x); got <= last || got > x {
			t.Errorf("Aside(%v) = %v after %v", x, got, last)
		}
	}
}

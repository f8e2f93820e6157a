package rank_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

func supports(t *rapid.T) rank.Support {
	part := rapid.Float64Range(0, 1)
	return rank.Support{
		Margin: part.Draw(t, "margin"), Cosine: part.Draw(t, "cosine"), Multilingual: part.Draw(t, "multilingual"),
		Lead: part.Draw(t, "lead"), Coverage: part.Draw(t, "coverage"), UnknownNames: part.Draw(t, "unknown names"),
		Terms: rapid.IntRange(0, 200).Draw(t, "terms"), Memories: rapid.IntRange(0, 1_000_000).Draw(t, "memories"),
		Semantic: rapid.Bool().Draw(t, "semantic"),
	}
}

func TestConfidenceOf_StaysInRange(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s := supports(t)
		if c := rank.ConfidenceOf(&w, &s); math.IsNaN(c) || c < 0 || c > 1 {
			t.Fatalf("confidence %v of %+v", c, s)
		}
	})
}

// What speaks for an answer never lowers confidence.
func TestConfidenceOf_Monotone(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s, more := supports(t), rapid.Float64Range(0, 1).Draw(t, "more")
		parts := map[string]*float64{"margin": &s.Margin, "cosine": &s.Cosine, "lead": &s.Lead, "coverage": &s.Coverage, "unknown names": &s.UnknownNames}
		if s.Multilingual > 0 { // at 0, other weights are used
			parts["multilingual"] = &s.Multilingual
		}
		for name, part := range parts {
			before, was := rank.ConfidenceOf(&w, &s), *part
			*part = was + more*(1-was)
			after := rank.ConfidenceOf(&w, &s)
			*part = was
			if name == "unknown names" {
				before, after = after, before
			}
			if after < before {
				t.Fatalf("%s raised by %v of the rest: confidence %v, then %v; %+v", name, more, before, after, s)
			}
		}
	})
}

func TestWeak(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	unrelated := rank.Support{Margin: .1, Cosine: .2, Multilingual: .2, Lead: .3, Terms: 5, Memories: 1000, Semantic: true}
	with := func(change func(*rank.Support)) rank.Support {
		s := unrelated
		change(&s)
		return s
	}
	for _, c := range []struct {
		name    string
		support rank.Support
		want    bool
	}{
		{"nothing in common", unrelated, true},
		{"nothing in common with one memory", with(func(s *rank.Support) { s.Margin, s.Memories = 0, 1 }), true},
		{"the best stands out", with(func(s *rank.Support) { s.Margin, s.Cosine, s.Multilingual = .5, .6, .6 }), false},
		{"many near ones, none stands out", with(func(s *rank.Support) { s.Cosine, s.Multilingual, s.Lead = .4, .4, .5 }), true},
		{"one model, nothing in common", with(func(s *rank.Support) { s.Multilingual = 0 }), true},
		{"one model, the best stands out", with(func(s *rank.Support) { s.Multilingual, s.Margin, s.Lead = 0, .5, .7 }), false},
		{"the same in a few memories", with(func(s *rank.Support) { s.Margin, s.Cosine, s.Multilingual, s.Memories = .2, .4, .4, 3 }), false},
		{"the same in many memories", with(func(s *rank.Support) { s.Margin, s.Cosine, s.Multilingual = .2, .4, .4 }), true},
		{"all terms in one hit", with(func(s *rank.Support) { s.Coverage = 1 }), false},
		{"one term that no hit has", with(func(s *rank.Support) { s.Terms = 1 }), true},
		{"lexical, unknown names", rank.Support{Coverage: .1, UnknownNames: .5, Terms: 5, Memories: 1000}, true},
	} {
		if got := rank.Weak(&w, &c.support); got != c.want {
			t.Errorf("%s: weak %v, confidence %v", c.name, got, rank.ConfidenceOf(&w, &c.support))
		}
	}
	w.Confidence.Weak = 0
	if rank.Weak(&w, &unrelated) {
		t.Error("weak although that is disabled")
	}
}

func TestMargin(t *testing.T) {
	t.Parallel()
	sums := func(best float64, others ...float64) []float64 { return append(others, best) }
	spread := []float64{1, 2, 3, 1, 2, 3}
	for _, c := range []struct {
		name       string
		less, more []float64
	}{
		{"a better one", sums(5, spread...), sums(9, spread...)},
		{"a rival", sums(9, append([]float64{8, 8, 8}, spread...)...), sums(9, spread...)},
		{"no other but a better one", sums(2), sums(9)},
		{"nothing", nil, sums(9)},
		{"below the imagined ones", sums(-5), sums(2)},
	} {
		if less, more := rank.Margin(c.less), rank.Margin(c.more); less >= more || less < 0 || more > 1 {
			t.Errorf("%s: margin %v, want less than %v", c.name, less, more)
		}
	}
	// One candidate and three imagined ones of mean 1 and deviation 1.6: (9 - 1) / (1.6 + 1) / 8.
	if got := rank.Margin([]float64{9}); math.Abs(got-1/2.6) > 1e-12 {
		t.Errorf("margin of one candidate: %v", got)
	}
}

// The margin does not depend on the order, and is in [0, 1] also for huge sums.
func TestMargin_InRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sums := rapid.SliceOf(rapid.Float64Range(-1e6, 1e6)).Draw(t, "sums")
		m := rank.Margin(sums)
		if math.IsNaN(m) || m < 0 || m > 1 {
			t.Fatalf("margin %v", m)
		}
		slices.Sort(sums)
		if again := rank.Margin(sums); math.Abs(again-m) > 1e-6 {
			t.Fatalf("margin %v, sorted %v", m, again)
		}
	})
}

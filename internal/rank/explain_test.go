package rank_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
)

func sumOf(list []hippo.Contribution) float64 {
	sum := 0.0
	for _, c := range list {
		sum += c.Adds
	}
	return sum
}

// What is explained is what was computed: nothing is left out, nothing made up.
func TestExplain_AddsUpToTheRelevance(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSignals(t)
		s.Evidence, s.Time = drawEvidence(t), unit(t, "time")
		longer := rapid.Float64Range(-3, 4).Draw(t, "longer")
		s.Text, s.Prior = rank.TextOf(&w, &s, longer), rank.PriorOf(&w, &s)

		x := rank.Explain(&w, hippo.RankerHippo, &s, true, true, longer)
		text := 1 - math.Exp(-math.Log1p(math.Exp(sumOf(x.Evidence)))/w.EvidenceScale)
		if math.Abs(text-s.Text) > 1e-9 || math.Abs(sumOf(x.Prior)-s.Prior) > 1e-9 {
			t.Fatalf("text %v of %v, prior %v of %v", text, s.Text, sumOf(x.Prior), s.Prior)
		}
		if got := text * x.ContextFactor * x.TimeFactor * x.PriorFactor; math.Abs(got-rank.Hippo(&w, &s)) > 1e-9 {
			t.Fatalf("explained %v, relevance %v", got, rank.Hippo(&w, &s))
		}
		x = rank.Explain(&w, hippo.RankerInsight, &s, true, true, longer)
		if got := sumOf(x.Prior); math.Abs(got-rank.Insight(&w, &s)) > 1e-9 || x.PriorFactor != 0 {
			t.Fatalf("explained %v, relevance %v", got, rank.Insight(&w, &s))
		}
	})
}

func TestExplain_BeginsWithWhatGivesTheMost(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	w.Evidence = hippo.Evidence{hippo.EvidenceShare: .5, hippo.EvidenceCosine: 4, hippo.EvidenceLength: -3, hippo.EvidenceSession: 9}
	w.EvidenceLong, w.EvidenceBase = hippo.Evidence{hippo.EvidenceShare: .25}, .5
	w.EvidenceBaseLong = 0
	s := hippo.Signals{Evidence: hippo.Evidence{hippo.EvidenceShare: 1, hippo.EvidenceCosine: .5, hippo.EvidenceLength: 1}, Recency: 1, Context: 1, Time: 1}
	want := &hippo.Explanation{
		Evidence: []hippo.Contribution{
			{Signal: "length", Value: 1, Weight: -3, Adds: -3},
			{Signal: "cosine", Value: .5, Weight: 4, Adds: 2},
			{Signal: "share", Value: 1, Weight: 1, Adds: 1},
			{Signal: "base", Value: 1, Weight: .5, Adds: .5},
		},
		Closely: true, Longer: 2,
		Prior:         []hippo.Contribution{{Signal: "recency", Value: 1, Weight: .35, Adds: .35}},
		ContextFactor: 1, TimeFactor: 1, PriorFactor: .94,
	}
	if d := cmp.Diff(want, rank.Explain(&w, hippo.RankerHippo, &s, true, true, 2)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	w.First = rank.First{Share: 2}
	want.Evidence, want.Closely, want.Longer = []hippo.Contribution{{Signal: "share", Value: 1, Weight: 2, Adds: 2}}, false, 0
	if d := cmp.Diff(want, rank.Explain(&w, hippo.RankerHippo, &s, true, false, 2)); d != "" {
		t.Errorf("not looked at closely (-want +got):\n%s", d)
	}
	want.Evidence = nil
	if d := cmp.Diff(want, rank.Explain(&w, hippo.RankerHippo, &s, false, false, 2)); d != "" {
		t.Errorf("nothing asked for (-want +got):\n%s", d)
	}
	for _, r := range []hippo.Ranker{hippo.RankerBM25, hippo.RankerCosine} {
		if d := cmp.Diff(&hippo.Explanation{}, rank.Explain(&w, r, &s, true, false, 2)); d != "" {
			t.Errorf("%s (-want +got):\n%s", r, d)
		}
	}
}

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
		s.Share, s.Interaction, s.Named, s.Session = unit(t, "share"), unit(t, "interaction"), unit(t, "named"), unit(t, "session")
		s.Before = hippo.Evidence{Share: unit(t, "before"), Interaction: unit(t, "before interaction")}
		s.After = hippo.Evidence{Share: unit(t, "after"), Interaction: unit(t, "after interaction")}
		s.Length, s.Time = 2*unit(t, "length"), unit(t, "time")
		length := rapid.Float64Range(0, 1000).Draw(t, "mean")
		s.Text, s.Prior = rank.TextOf(&w, &s, length), rank.PriorOf(&w, &s)

		x := rank.Explain(&w, hippo.RankerHippo, &s, true, length)
		text := 1 - math.Exp(-math.Log1p(math.Exp(sumOf(x.Evidence)))/w.EvidenceScale)
		if math.Abs(text-s.Text) > 1e-9 || math.Abs(sumOf(x.Prior)-s.Prior) > 1e-9 {
			t.Fatalf("text %v of %v, prior %v of %v", text, s.Text, sumOf(x.Prior), s.Prior)
		}
		if got := text * x.ContextFactor * x.TimeFactor * x.PriorFactor; math.Abs(got-rank.Hippo(&w, &s)) > 1e-9 {
			t.Fatalf("explained %v, relevance %v", got, rank.Hippo(&w, &s))
		}
		x = rank.Explain(&w, hippo.RankerInsight, &s, true, length)
		if got := sumOf(x.Prior); math.Abs(got-rank.Insight(&w, &s)) > 1e-9 || x.PriorFactor != 0 {
			t.Fatalf("explained %v, relevance %v", got, rank.Insight(&w, &s))
		}
	})
}

func TestExplain_BeginsWithWhatGivesTheMost(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	w.Evidence, w.EvidenceLong = rank.Evidence{Share: 1, Cosine: 4, Length: -3, Session: 9}, rank.Evidence{}
	s := hippo.Signals{Share: 1, Cosine: .5, Length: 1, Recency: 1, Context: 1, Time: 1}
	want := &hippo.Explanation{
		Evidence: []hippo.Contribution{
			{Signal: "length", Value: 1, Weight: -3, Adds: -3},
			{Signal: "cosine", Value: .5, Weight: 4, Adds: 2},
			{Signal: "share", Value: 1, Weight: 1, Adds: 1},
		},
		Prior:         []hippo.Contribution{{Signal: "recency", Value: 1, Weight: .35, Adds: .35}},
		ContextFactor: 1, TimeFactor: 1, PriorFactor: .9,
	}
	if d := cmp.Diff(want, rank.Explain(&w, hippo.RankerHippo, &s, true, 10)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	want.Evidence = nil
	if d := cmp.Diff(want, rank.Explain(&w, hippo.RankerHippo, &s, false, 10)); d != "" {
		t.Errorf("nothing asked for (-want +got):\n%s", d)
	}
	for _, r := range []hippo.Ranker{hippo.RankerBM25, hippo.RankerCosine} {
		if d := cmp.Diff(&hippo.Explanation{}, rank.Explain(&w, r, &s, true, 10)); d != "" {
			t.Errorf("%s (-want +got):\n%s", r, d)
		}
	}
}

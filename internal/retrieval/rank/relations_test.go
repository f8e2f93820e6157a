package rank_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

func TestRelations_WeightAt(t *testing.T) {
	t.Parallel()
	w, at := rank.DefaultWeights().Relations, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	learned := hippo.Relation{Kind: hippo.CoRecalled, Weight: .8, LastReinforced: at}
	declared := learned
	declared.Kind = "explains"
	for days, want := range map[int]float64{-5: .8, 0: .8, 15: .565685, 30: .4, 60: .2, 300: .00078125} {
		near(t, "learned", w.WeightAt(&learned, at.AddDate(0, 0, days)), want)
		near(t, "declared", w.WeightAt(&declared, at.AddDate(0, 0, days)), .8)
	}
	if later := at.AddDate(1, 0, 0); !w.Faded(&learned, later) || w.Faded(&declared, later) || w.Faded(&learned, at) {
		t.Error("what is learned fades, and nothing else")
	}
	for weight, want := range map[float64]bool{.3: false, .31: true} {
		if got := w.Pulls(true, weight); got != want || !w.Pulls(false, weight) {
			t.Errorf("a learned one of weight %v pulls: %v", weight, got)
		}
	}
}

// However often it is reinforced, a learned weight stays below a bound that depends on
// how often that is.
func TestRelations_LearnedTendsToALimit(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights().Relations
	for days, limit := range map[int]float64{1: .829490, 7: .426622, 30: .181818} {
		at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		r := hippo.Relation{Kind: hippo.CoRecalled}
		for range 1000 {
			r.Weight, r.LastReinforced = w.Learned(&r, at, 1), at
			if r.Weight > limit+1e-6 {
				t.Fatalf("every %d days: %v", days, r.Weight)
			}
			at = at.AddDate(0, 0, days)
		}
		near(t, "limit", r.Weight, limit)
	}
}

// A memory that is pulled stays behind what pulls it, whatever its use, and a relation
// raises a text by no more than the bound.
func TestRelations_AreBounded(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		hit, other := drawSignals(t), drawSignals(t)
		hit.Text = rapid.Float64Range(.01, 1).Draw(t, "found")
		other.Text = w.Relations.Pull * hit.Text
		if rank.ByHippo(&w, &other) >= rank.ByHippo(&w, &hit) {
			t.Fatalf("%+v is pulled before %+v", other, hit)
		}
		f, l := drawFeatures(t), rank.NewLinear(&w.Rerank, &rank.Context{rank.Words: 1})
		without := l.Text(&w, sumOf(&l, &f), 0)
		if with := l.Text(&w, sumOf(&l, &f), unit(t, "related")); with < without || with > without+w.Relations.Boost*(1-without)+1e-12 {
			t.Fatalf("%v becomes %v", without, with)
		}
	})
}

func TestRelations_Spread(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights().Relations
	learned := hippo.Relation{Kind: hippo.CoRecalled, Weight: .8}
	declared := learned
	declared.Kind = "explains"
	near(t, "the only one", w.Spread(&learned, .8, .8), .8)
	near(t, "of hubs", w.Spread(&learned, 4, 4), .2)
	near(t, "declared", w.Spread(&declared, 4, 4), .8)
	w.ByDegree = false
	near(t, "whatever the degrees", w.Spread(&learned, 4, 4), .8)
}

// Ranker surprise adds up to 1, as claude-hippo does.
func TestRelations_Together(t *testing.T) {
	t.Parallel()
	w, r := rank.DefaultWeights().Relations, hippo.Relation{Kind: hippo.CoRecalled}
	for n := range 12 {
		r.Weight = w.Together(&r, time.Time{})
		near(t, "weight", r.Weight, min(1, .1*float64(n+1)))
	}
}

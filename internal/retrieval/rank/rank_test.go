package rank_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

func clock(day hippo.Day) rank.Clock { return rank.NewDecay(new(rank.DefaultWeights().Usage)).At(day) }

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%s: got %.9f, want %.9f", what, got, want)
	}
}

func TestRecency(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]float64{
		0: 1, 1: .951229, 7: .704688, 10: .606531, 20: .367879, 30: .223130, 60: .049787, 300: 3.0590232e-7,
	} {
		near(t, "recency", clock(hippo.Day(1+days)).Recency(1), want)
	}
	near(t, "never accessed", clock(5).Recency(0), 0)
	near(t, "access of a process that was ahead", clock(5).Recency(9), 1)
}

func TestImportance(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]float64{0: 1, 1: .9, 5: .59049, 7: .4782969, 10: .34867844, 30: .04239116, 400: 4.9720413e-19} {
		near(t, "decay", clock(hippo.Day(1+days)).Importance(1, 1, false), want)
		near(t, "pinned", clock(hippo.Day(1+days)).Importance(.8, 1, true), .8)
	}
	near(t, "set in the future", clock(3).Importance(.5, 9, false), .5)
}

// The sum over the last 30 active days, divided by 30 and by 10.
func TestFrequency(t *testing.T) {
	t.Parallel()
	for accesses, want := range map[int]float64{0: 0, 1: 1. / 300, 6: 6. / 300, 299: 299. / 300, 5000: 1} {
		near(t, "frequency", clock(5).Frequency(accesses), want)
	}
}

func TestVotes(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights().Usage
	near(t, "up", w.Upvoted(.6), .9)
	near(t, "up is capped", w.Upvoted(.8), 1)
	near(t, "down", w.Downvoted(.6), .3)
	near(t, "upvote counts from the decayed value", w.Upvoted(clock(11).Importance(.8, 1, false)), .41841413)
}

// A fresh memory that is searched on its first day: .30 + .20/300 + .35i + .15.
func TestInsight_FreshMemory(t *testing.T) {
	t.Parallel()
	for _, i := range []float64{0, .1, .3, .5, .6, .7, .8, .9, .95, 1} {
		got := rank.ByInsight(new(rank.DefaultWeights()), &hippo.Signals{UseSignals: hippo.UseSignals{Recency: 1, Frequency: 1. / 300, Importance: i}, Context: 1})
		near(t, "insight", got, .45+.2/300+.35*i)
	}
}

func unit(t *rapid.T, name string) float64 { return rapid.Float64Range(0, 1).Draw(t, name) }

func drawSignals(t *rapid.T) hippo.Signals {
	return hippo.Signals{
		Lexical: unit(t, "lexical"), Cosine: unit(t, "cosine"), Text: unit(t, "text"), Context: unit(t, "context"), Prior: unit(t, "prior"),
		UseSignals: hippo.UseSignals{Recency: unit(t, "recency"), Frequency: unit(t, "frequency"), Importance: unit(t, "importance")},
	}
}

func TestRankers_StayInRange(t *testing.T) {
	t.Parallel()
	for _, r := range hippo.Rankers() {
		f := rank.For(r)
		rapid.Check(t, func(t *rapid.T) {
			s := drawSignals(t)
			if got := f(new(rank.DefaultWeights()), &s); got < 0 || got > 1 || math.IsNaN(got) {
				t.Fatalf("%s: %v outside [0, 1] for %+v", r, got, s)
			}
		})
	}
}

// A text that matches the query better by more than the bound of the prior wins, whatever the
// use and the votes.
func TestHippo_PriorIsBounded(t *testing.T) {
	t.Parallel()
	w := new(rank.DefaultWeights())
	rapid.Check(t, func(t *rapid.T) {
		used, relevant := drawSignals(t), drawSignals(t)
		used.Context, relevant.Context = 1, 1
		relevant.Text = rapid.Float64Range(.01, 1).Draw(t, "relevant")
		used.Text = relevant.Text * (1 - w.Prior.Bound) * .999
		if rank.ByHippo(w, &used) > rank.ByHippo(w, &relevant) {
			t.Fatalf("%+v beats %+v", used, relevant)
		}
	})
}

func TestHippo_PriorOrdersEqualTexts(t *testing.T) {
	t.Parallel()
	w := new(rank.DefaultWeights())
	base := hippo.Signals{Text: .5, Context: 1, Prior: .5}
	better, used := base, base
	better.Prior, used.Recency, used.Frequency = .9, 1, 1
	if rank.ByHippo(w, &better) <= rank.ByHippo(w, &base) {
		t.Error("more importance does not help")
	}
	if rank.ByHippo(w, &used) != rank.ByHippo(w, &base) {
		t.Error("it counts how often and how lately a search showed it")
	}
}

// The time that a query names reorders what is about as relevant, and no more.
func TestHippo_Time(t *testing.T) {
	t.Parallel()
	w := new(rank.DefaultWeights())
	of := hippo.Signals{Text: .5, Context: 1, Prior: .5, Time: 1}
	other, better := of, of
	other.Time, better.Time, better.Text = 0, 0, .5/(1-w.Prior.TimeBound)*1.001
	if got := rank.ByHippo(w, &other) / rank.ByHippo(w, &of); math.Abs(got-(1-w.Prior.TimeBound)) > 1e-9 {
		t.Errorf("another time multiplies it by %v, want %v", got, 1-w.Prior.TimeBound)
	}
	if rank.ByHippo(w, &better) <= rank.ByHippo(w, &of) {
		t.Error("a time outweighs a text that is better by more than its bound")
	}
}

func TestByBM25_IgnoresUse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSignals(t), drawSignals(t)
		b.Lexical = a.Lexical
		w := new(rank.DefaultWeights())
		if got, want := rank.ByBM25(w, &a), rank.ByBM25(w, &b); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// relevance is what the reranker makes of a weighted sum.
func relevance(w *rank.Weights, sum float64) float64 {
	return 1 - math.Exp(-math.Log(1+math.Exp(sum))/w.Rerank.Scale)
}

func TestLinear_Text(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	r := &w.Rerank
	// One expert for long queries, the others for all: they share evenly but where the gate is open.
	for i := range r.Experts {
		r.Experts[i] = rank.Expert{Features: rank.Features{rank.BM25Absolute: 2, rank.Cosine: 3, rank.Session: 1}}
	}
	r.Experts[2].Features[rank.Cosine], r.Experts[2].Gate[rank.Words] = 2, 50
	r.Base, r.BaseBy, r.Scale = .5, rank.Context{rank.Words: .25}, 5
	text := func(f rank.Features, long float64) float64 {
		l := rank.NewLinear(r, &rank.Context{rank.Words: long})
		return l.Text(&w, sumOf(&l, &f), 0)
	}
	f := rank.Features{rank.BM25Absolute: .5, rank.Cosine: .8}
	mean := (3.*(rank.NumExperts-1) + 2) / rank.NumExperts
	near(t, "usual queries", text(f, 0), relevance(&w, .5+2*.5+mean*.8))
	near(t, "long ones", text(f, 1), relevance(&w, .75+2*.5+2*.8))
	near(t, "no features", text(rank.Features{}, 1), relevance(&w, .75))
	f[rank.Session] = 1
	near(t, "the session", text(f, 0), relevance(&w, .5+2*.5+mean*.8+1))
}

func TestScorer(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	for _, first := range []rank.FirstStage{w.FirstStage, {BM25Relative: 2, Cosine: 3, Length: 1}, {BM25Relative: -30, Cosine: 60, Length: 1}} {
		w.FirstStage = first
		s := rank.NewScorer(&w)
		rapid.Check(t, func(t *rapid.T) {
			bm25, cosine, multilingual, terms := unit(t, "bm25"), unit(t, "cosine"), unit(t, "multilingual"), rapid.IntRange(0, 5000).Draw(t, "terms")
			length := s.Length(terms)
			if want := math.Log(1+float64(terms)) / 5; math.Abs(length-want) > 1e-12 {
				t.Fatalf("%d terms: got %v, want %v", terms, length, want)
			}
			sum := first.BM25Relative*bm25 + first.Cosine*cosine + first.Multilingual*multilingual + first.Length*length
			if got, want := s.Text(s.Sum(bm25, cosine, multilingual, length)), relevance(&w, sum); math.Abs(got-want) > 1e-5 || got < 0 || got > 1 {
				t.Fatalf("sum %v: got %v, want %v", sum, got, want)
			}
			least, at := unit(t, "least"), rapid.Float64Range(-20, 60).Draw(t, "at")
			if text := s.Text(at); at < s.LeastSum(least) && text >= least || at > s.LeastSum(least)+.01 && text < least-1e-3 {
				t.Fatalf("text %v of the sum %v, least %v at %v", text, at, least, s.LeastSum(least))
			}
		})
	}
}

// drawContext draws a number for each feature of a context.
func drawContext(t *rapid.T) (c rank.Context) {
	for k := range c {
		c[k] = unit(t, fmt.Sprint("context ", k))
	}
	return c
}

// drawFeatures draws a number for each feature.
func drawFeatures(t *rapid.T) (f rank.Features) {
	for k := range f {
		f[k] = unit(t, rank.Feature(k).String())
	}
	return f
}

func TestLinear_StaysInRange(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		c := drawContext(t)
		f, l := drawFeatures(t), rank.NewLinear(&w.Rerank, &c)
		if got := l.Text(&w, sumOf(&l, &f), unit(t, "related")); got < 0 || got > 1 || math.IsNaN(got) {
			t.Fatalf("%v outside [0, 1] for %+v", got, f)
		}
	})
}

// More of a feature never counts less, whatever the query and the memory, but for those of the memory alone.
func TestLinear_IsMonotone(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights().Rerank
	alone := []rank.Feature{rank.IsForeign, rank.IsCode, rank.Length, rank.InSession}
	rapid.Check(t, func(t *rapid.T) {
		c, f := drawContext(t), drawFeatures(t)
		linear := rank.NewLinear(&w, &c)
		k := rank.Feature(rapid.IntRange(0, int(rank.NumFeatures)-1).Draw(t, "feature"))
		if slices.Contains(alone, k) {
			return
		}
		before := sumOf(&linear, &f)
		if f[k] += unit(t, "more"); sumOf(&linear, &f) < before {
			t.Errorf("more of %v counts less in %v", k, c)
		}
	})
}

func TestFeature_Names(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for k := range rank.NumFeatures {
		if name := k.String(); name == "" || seen[name] {
			t.Errorf("feature %d has the name %q", int(k), name)
		}
		seen[k.String()] = true
	}
	if f := (rank.Features{rank.Length: .5}); len(f.Map()) != int(rank.NumFeatures) || f.Map()["length"] != .5 {
		t.Errorf("got %v", f.Map())
	}
}

func TestByText_IgnoresUse(t *testing.T) {
	t.Parallel()
	w := new(rank.DefaultWeights())
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSignals(t), drawSignals(t)
		b.Text = a.Text
		if got, want := rank.ByText(w, &a), rank.ByText(w, &b); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// The weighted sum orders as the relevance does.
func TestLinear_SumOrders(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		c := drawContext(t)
		l := rank.NewLinear(&w.Rerank, &c)
		a, b := drawFeatures(t), drawFeatures(t)
		sum, text := sumOf(&l, &a)-sumOf(&l, &b), l.Text(&w, sumOf(&l, &a), 0)-l.Text(&w, sumOf(&l, &b), 0)
		if math.Abs(sum) > 1e-6 && (sum > 0) != (text > 0) && math.Abs(text) > 1e-12 {
			t.Fatalf("by the sum %v more, by the text %v", sum, text)
		}
	})
}

// sumOf is the weighted sum of the features of a memory.
func sumOf(l *rank.Linear, f *rank.Features) float64 {
	w := l.Weights(f)
	return w.Sum(f)
}

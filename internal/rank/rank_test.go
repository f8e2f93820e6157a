package rank_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
)

func clock(day hippo.Day) rank.Clock { return rank.NewClock(rank.DefaultWeights(), day) }

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

// The total over the last 30 active days, divided by 30 and by 10, whatever the
// span between the accesses.
func TestFrequency(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		accesses []hippo.Access
		day      hippo.Day
		want     float64
	}{
		{"none", nil, 5, 0},
		{"old_access_is_outside", []hippo.Access{{Day: 0, Count: 1}, {Day: 95, Count: 1}}, 95, 1. / 300},
		{"same_without_the_old_one", []hippo.Access{{Day: 95, Count: 1}}, 95, 1. / 300},
		{"last_day_of_the_window", []hippo.Access{{Day: 1, Count: 1}}, 30, 1. / 300},
		{"first_day_after_the_window", []hippo.Access{{Day: 1, Count: 1}}, 31, 0},
		{"spread", []hippo.Access{{Day: 1, Count: 3}, {Day: 5, Count: 2}, {Day: 15, Count: 1}}, 15, 6. / 300},
		{"one_busy_day", []hippo.Access{{Day: 1, Count: 10}}, 29, 10. / 300},
		{"unordered", []hippo.Access{{Day: 12, Count: 1}, {Day: 10, Count: 2}}, 20, 3. / 300},
		{"capped", []hippo.Access{{Day: 1, Count: 5000}}, 1, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			near(t, "frequency", clock(tc.day).Frequency(tc.accesses), tc.want)
		})
	}
}

func TestVotes(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	near(t, "up", w.UpvoteOf(.6), .9)
	near(t, "up is capped", w.UpvoteOf(.8), 1)
	near(t, "down", w.DownvoteOf(.6), .3)
	near(t, "upvote counts from the decayed value", w.UpvoteOf(clock(11).Importance(.8, 1, false)), .41841413)
}

// A fresh memory that is searched on its first day: .30 + .20/300 + .35i + .15.
func TestInsight_FreshMemory(t *testing.T) {
	t.Parallel()
	for _, i := range []float64{0, .1, .3, .5, .6, .7, .8, .9, .95, 1} {
		got := rank.Insight(new(rank.DefaultWeights()), &hippo.Signals{Recency: 1, Frequency: 1. / 300, Importance: i, Context: 1})
		near(t, "insight", got, .45+.2/300+.35*i)
	}
}

func unit(t *rapid.T, name string) float64 { return rapid.Float64Range(0, 1).Draw(t, name) }

func drawSignals(t *rapid.T) hippo.Signals {
	return hippo.Signals{
		Words: unit(t, "words"), Cosine: unit(t, "cosine"), Text: unit(t, "text"), Recency: unit(t, "recency"), Frequency: unit(t, "frequency"),
		Importance: unit(t, "importance"), Context: unit(t, "context"), Prior: unit(t, "prior"),
	}
}

func TestRankers_StayInRange(t *testing.T) {
	t.Parallel()
	for _, r := range hippo.Rankers() {
		f, ok := rank.For(r)
		if !ok {
			t.Fatalf("no ranker %s", r)
		}
		rapid.Check(t, func(t *rapid.T) {
			s := drawSignals(t)
			if got := f(new(rank.DefaultWeights()), &s); got < 0 || got > 1 || math.IsNaN(got) {
				t.Fatalf("%s: %v outside [0, 1] for %+v", r, got, s)
			}
		})
	}
}

// Use never buries relevance: a text that matches the query better by more than
// the bound wins, whatever the votes.
func TestHippo_PriorIsBounded(t *testing.T) {
	t.Parallel()
	w := new(rank.DefaultWeights())
	rapid.Check(t, func(t *rapid.T) {
		loved, relevant := drawSignals(t), drawSignals(t)
		loved.Context, relevant.Context = 1, 1
		relevant.Text = rapid.Float64Range(.01, 1).Draw(t, "relevant")
		loved.Text = relevant.Text * (1 - w.PriorBound) * .999
		if rank.Hippo(w, &loved) > rank.Hippo(w, &relevant) {
			t.Fatalf("%+v beats %+v", loved, relevant)
		}
	})
}

func TestHippo_PriorOrdersEqualTexts(t *testing.T) {
	t.Parallel()
	w := new(rank.DefaultWeights())
	base := hippo.Signals{Text: .5, Context: 1, Recency: .5, Frequency: .1, Importance: .5}
	for name, change := range map[string]func(*hippo.Signals){
		"recency":    func(s *hippo.Signals) { s.Recency = .9 },
		"frequency":  func(s *hippo.Signals) { s.Frequency = .9 },
		"importance": func(s *hippo.Signals) { s.Importance = .9 },
	} {
		better := base
		change(&better)
		better.Prior, base.Prior = rank.PriorOf(w, &better), rank.PriorOf(w, &base)
		if rank.Hippo(w, &better) <= rank.Hippo(w, &base) {
			t.Errorf("more %s does not help", name)
		}
	}
}

// The time that a query tells of orders what is as relevant, and no more.
func TestHippo_Time(t *testing.T) {
	t.Parallel()
	w := new(rank.DefaultWeights())
	of := hippo.Signals{Text: .5, Context: 1, Prior: .5, Time: 1}
	other, better := of, of
	other.Time, better.Time, better.Text = 0, 0, .5/(1-w.TimeBound)*1.001
	if got := rank.Hippo(w, &other) / rank.Hippo(w, &of); math.Abs(got-(1-w.TimeBound)) > 1e-9 {
		t.Errorf("another time takes it down to %v, want %v", got, 1-w.TimeBound)
	}
	if rank.Hippo(w, &better) <= rank.Hippo(w, &of) {
		t.Error("a time buries a text that is better by more than its bound")
	}
}

func TestBM25_IgnoresUse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSignals(t), drawSignals(t)
		b.Words = a.Words
		w := new(rank.DefaultWeights())
		if got, want := rank.BM25(w, &a), rank.BM25(w, &b); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// scaled is what a weighted sum of evidence makes of a text.
func scaled(w *rank.Weights, sum float64) float64 {
	return 1 - math.Exp(-math.Log(1+math.Exp(sum))/w.EvidenceScale)
}

func TestTextOf(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	w.Evidence = hippo.Evidence{hippo.EvidenceShare: 2, hippo.EvidenceCosine: 3, hippo.EvidenceSession: 1}
	w.EvidenceLong = hippo.Evidence{hippo.EvidenceCosine: -1}
	w.EvidenceBase, w.EvidenceBaseLong, w.EvidenceScale = .5, .25, 5
	s := hippo.Signals{Evidence: hippo.Evidence{hippo.EvidenceShare: .5, hippo.EvidenceCosine: .8}, Words: .1}
	near(t, "words and meaning", rank.TextOf(&w, &s, 0), scaled(&w, .5+2*.5+3*.8))
	near(t, "longer memories", rank.TextOf(&w, &s, 1), scaled(&w, .75+2*.5+2*.8))
	near(t, "shorter memories", rank.TextOf(&w, &s, -1), scaled(&w, .25+2*.5+4*.8))
	near(t, "nothing", rank.TextOf(&w, &hippo.Signals{}, 1), scaled(&w, .75))
	s.Evidence[hippo.EvidenceSession] = 1
	near(t, "the session", rank.TextOf(&w, &s, 0), scaled(&w, .5+2*.5+3*.8+1))
}

func TestFirstLook(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	for _, first := range []rank.First{w.First, {Share: 2, Cosine: 3, Length: 1}, {Share: -30, Cosine: 60, Length: 1}} {
		w.First = first
		f := rank.NewFirstLook(w)
		rapid.Check(t, func(t *rapid.T) {
			e := drawEvidence(t)
			words := rapid.IntRange(0, 5000).Draw(t, "words")
			e[hippo.EvidenceLength] = f.Length(words)
			if want := math.Log(1+float64(words)) / 5; math.Abs(f.Length(words)-want) > 1e-12 {
				t.Fatalf("%d words: got %v, want %v", words, f.Length(words), want)
			}
			sum := first.Share*e[hippo.EvidenceShare] + first.Cosine*e[hippo.EvidenceCosine] + first.Length*e[hippo.EvidenceLength]
			if got, want := f.Of(&e), scaled(&w, sum); math.Abs(got-want) > 1e-5 {
				t.Fatalf("sum %v: got %v, want %v", sum, got, want)
			}
		})
	}
}

// drawEvidence draws a number for each kind of evidence.
func drawEvidence(t *rapid.T) (e hippo.Evidence) {
	for k := range e {
		e[k] = unit(t, hippo.EvidenceKind(k).String())
	}
	return e
}

func TestTextOf_StaysInRange(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	look := rank.NewFirstLook(w)
	rapid.Check(t, func(t *rapid.T) {
		s := hippo.Signals{Evidence: drawEvidence(t), Related: unit(t, "related")}
		for what, got := range map[string]float64{
			"closer look": rank.TextOf(&w, &s, rapid.Float64Range(-5, 8).Draw(t, "longer")), "first look": look.Of(&s.Evidence),
		} {
			if got < 0 || got > 1 || math.IsNaN(got) {
				t.Fatalf("%s: %v outside [0, 1] for %+v", what, got, s)
			}
		}
	})
}

// More of what a text says for itself, or hears from those beside it, never counts less,
// however long the memories are.
func TestEvidence_MoreNeverCountsLess(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	either := map[hippo.EvidenceKind]bool{
		hippo.EvidenceLength: true, hippo.EvidenceAsks: true, hippo.EvidenceBeforeShare: true,
		hippo.EvidenceBeforeCosine: true, hippo.EvidenceBeforeInteraction: true, hippo.EvidenceAfterCosine: true,
	}
	for k := range hippo.NumEvidence {
		for _, longer := range []float64{0, 3} {
			if x := w.Evidence[k] + longer*w.EvidenceLong[k]; x < -1e-9 && !either[k] {
				t.Errorf("%s has weight %v where longer is %v", k, x, longer)
			}
		}
	}
}

func TestMixOf(t *testing.T) {
	t.Parallel()
	m := rank.DefaultMix()
	near(t, "all shares", m.Cosine+m.Words+m.Graph, 1)
	near(t, "nothing", rank.MixOf(&m, 0, 0, 0), 0)
	near(t, "everything", rank.MixOf(&m, 1, 1, 1), 1)
	near(t, "meaning", rank.MixOf(&m, .5, 0, 0), .2)
	near(t, "words", rank.MixOf(&m, 0, .4, 0), .06)
	near(t, "graph", rank.MixOf(&m, 0, 0, .2), .09)
}

func TestHybrid_IgnoresUse(t *testing.T) {
	t.Parallel()
	w := new(rank.DefaultWeights())
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSignals(t), drawSignals(t)
		b.Text = a.Text
		if got, want := rank.Hybrid(w, &a), rank.Hybrid(w, &b); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// The sum orders as the relevance of the text does.
func TestSum_AgreesWithTextOf(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		longer := rapid.Float64Range(0, 3).Draw(t, "longer")
		sum := rank.NewSum(&w, longer)
		a, b := hippo.Signals{Evidence: drawEvidence(t)}, hippo.Signals{Evidence: drawEvidence(t)}
		more, text := sum.Of(&a.Evidence)-sum.Of(&b.Evidence), rank.TextOf(&w, &a, longer)-rank.TextOf(&w, &b, longer)
		if math.Abs(more) > 1e-6 && (more > 0) != (text > 0) && math.Abs(text) > 1e-12 {
			t.Fatalf("by the sum %v more, by the text %v", more, text)
		}
	})
}

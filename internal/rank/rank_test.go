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

func TestTextOf(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	w.Evidence, w.EvidenceLong = rank.Evidence{Share: 2, Cosine: 3, Session: 1}, rank.Evidence{Cosine: -1}
	w.MeanLength, w.EvidenceScale = math.Log(11), 5
	scaled := func(sum float64) float64 { return 1 - math.Exp(-math.Log(1+math.Exp(sum))/5) }
	s := hippo.Signals{Share: .5, Cosine: .8, Words: .1}
	near(t, "words and meaning", rank.TextOf(&w, &s, 10), scaled(2*.5+3*.8))
	near(t, "longer memories", rank.TextOf(&w, &s, 11*math.E-1), scaled(2*.5+2*.8))
	near(t, "nothing", rank.TextOf(&w, &hippo.Signals{}, 10), scaled(0))
	s.Session = 1
	near(t, "the session", rank.TextOf(&w, &s, 10), scaled(2*.5+3*.8+1))
}

func TestTextOf_StaysInRange(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s := hippo.Signals{
			Share: unit(t, "share"), Cosine: unit(t, "cosine"), Interaction: unit(t, "interaction"), Named: unit(t, "named"),
			Before:  hippo.Evidence{Share: unit(t, "before"), Interaction: unit(t, "before interaction")},
			After:   hippo.Evidence{Share: unit(t, "after"), Interaction: unit(t, "after interaction")},
			Session: unit(t, "session"), Length: 2 * unit(t, "length"),
		}
		if got := rank.TextOf(&w, &s, rapid.Float64Range(0, 1e5).Draw(t, "mean")); got < 0 || got > 1 || math.IsNaN(got) {
			t.Fatalf("%v outside [0, 1] for %+v", got, s)
		}
	})
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

package surprise_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func TestComponents(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		got, want float64
	}{
		{"outlier of nothing", surprise.Outlier(nil), 1},
		{"outlier of the same", surprise.Outlier([]float64{1, 1}), 0},
		{"outlier of the opposite", surprise.Outlier([]float64{-1}), 1},
		{"outlier of the unrelated", surprise.Outlier([]float64{0, 0, 0}), .5},
		{"outlier is a mean", surprise.Outlier([]float64{1, 0}), .25},
		{"novelty of nothing", surprise.Novelty(nil), 1},
		{"novelty of the unrelated", surprise.Novelty([]float64{0, 0, 0}), 1},
		{"novelty of the opposite", surprise.Novelty([]float64{-1}), 1},
		{"novelty is a mean", surprise.Novelty([]float64{1, .5, 0}), .5},
		{"engagement of a page", surprise.Engagement(1000, 0), .7 * math.Tanh(1)},
		{"engagement of tags", surprise.Engagement(0, 5), .3 * math.Tanh(1)},
		{"engagement of a chat", surprise.Engagement(23, 1), .7*math.Tanh(.023) + .3*math.Tanh(.2)},
		{"engagement of a decision", surprise.Engagement(350, 3), .7*math.Tanh(.35) + .3*math.Tanh(.6)},
	} {
		if !near(tc.got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, tc.got, tc.want)
		}
	}
}

func TestWeights_Redistribution(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		w    surprise.Weights
		loss bool
		want surprise.Weights
	}{
		{"claude-hippo with a loss", surprise.DefaultWeights(surprise.ClaudeHippo), true, surprise.Weights{Outlier: .4, Engagement: .2, Explicit: .1, Loss: .3}},
		{"claude-hippo without", surprise.DefaultWeights(surprise.ClaudeHippo), false, surprise.Weights{Outlier: .6, Engagement: .3, Explicit: .1}},
		{"nearest without", surprise.DefaultWeights(surprise.Nearest), false, surprise.Weights{Outlier: .3, Engagement: .2, Explicit: .5}},
		{"heavy on explicit", surprise.Weights{Outlier: .2, Engagement: .1, Explicit: .5, Loss: .2}, false, surprise.Weights{Outlier: .2 + .4/3, Engagement: .1 + .2/3, Explicit: .5}},
	} {
		got := tc.w.Effective(tc.loss)
		if !near(got.Outlier, tc.want.Outlier) || !near(got.Engagement, tc.want.Engagement) || !near(got.Explicit, tc.want.Explicit) || !near(got.Loss, tc.want.Loss) {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

// The sums of section 4.3: .4*.5 + .2*.4 + .1*1 + .3*.6 = .56, and without the loss .6*.5 + .3*.4 + .1 = .52.
func TestOf(t *testing.T) {
	t.Parallel()
	o := surprise.Default(surprise.ClaudeHippo)
	c := hippo.Surprise{Outlier: .5, Engagement: .4, Explicit: 1, Loss: .6}
	if got := o.Weights.Score(&c); !near(got, .56) {
		t.Errorf("got %v, want .56", got)
	}
	c.Loss = 0
	if got := o.Weights.Score(&c); !near(got, .52) {
		t.Errorf("without a loss: got %v, want .52", got)
	}
	wide := surprise.Subject{Content: strings.Repeat("日", 100), Cosines: []float64{0}}
	exact, usual := o.Of(wide), surprise.Default(surprise.Nearest).Of(wide)
	if !near(exact.Engagement, .7*math.Tanh(.3)) || !near(usual.Engagement, .7*math.Tanh(.1)) {
		t.Errorf("engagement: got %v bytes, %v characters", exact.Engagement, usual.Engagement)
	}
	if exact.Outlier != .5 || usual.Outlier != 1 {
		t.Errorf("outlier: got %v and %v", exact.Outlier, usual.Outlier)
	}
	none := surprise.Options{}.Of(surprise.Subject{Content: "x"})
	if none.Score <= 0 {
		t.Error("a score of 0 is none")
	}
}

func TestParseWeights(t *testing.T) {
	t.Parallel()
	got, err := surprise.ParseWeights(".2, .1, .5, .2", surprise.Nearest)
	if err != nil || got != (surprise.Weights{Outlier: .2, Engagement: .1, Explicit: .5, Loss: .2}) {
		t.Errorf("got %v (%v)", got, err)
	}
	if got, err := surprise.ParseWeights("", surprise.ClaudeHippo); err != nil || got != surprise.DefaultWeights(surprise.ClaudeHippo) {
		t.Errorf("empty: got %v (%v)", got, err)
	}
	if _, err := surprise.ParseWeights(".2,.1,.5,.2009", surprise.Nearest); err != nil {
		t.Errorf("within the tolerance: %v", err)
	}
	for _, bad := range []string{"1", ".2,.1,.5,.3", "2,-1,0,0", "a,b,c,d", "NaN,1,0,0", ".25,.25,.25,.25,0"} {
		if _, err := surprise.ParseWeights(bad, surprise.Nearest); err == nil || !strings.Contains(err.Error(), "surprise-weights") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}

// Whatever comes in, each component stays in [0, 1], and importance and length never lower the score.
func TestOf_Bounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom([]surprise.Mode{surprise.Nearest, surprise.ClaudeHippo, surprise.Off}).Draw(t, "mode")
		o := surprise.Default(m)
		s := surprise.Subject{
			Content: rapid.String().Draw(t, "content"), Tags: rapid.IntRange(0, 50).Draw(t, "tags"),
			Explicit: rapid.Float64().Draw(t, "explicit"), Cosines: rapid.SliceOf(rapid.Float64Range(-1, 1)).Draw(t, "cosines"),
			Loss: rapid.Float64().Draw(t, "loss"),
		}
		c := o.Of(s)
		for _, x := range []float64{c.Score, c.Outlier, c.Engagement, c.Explicit, c.Loss} {
			if !(x >= 0 && x <= 1) {
				t.Fatalf("%+v", c)
			}
		}
		more := s
		more.Explicit, more.Content, more.Tags = 1, s.Content+"more", s.Tags+1
		if o.Of(more).Score < c.Score {
			t.Fatalf("%+v is below %+v", o.Of(more), c)
		}
	})
}

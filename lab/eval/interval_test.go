package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// graded are scores of questions that are worth these.
func graded(values ...float64) []eval.Score {
	out := make([]eval.Score, len(values))
	for i, v := range values {
		out[i] = eval.Score{Questions: 1, Recall1: v, Recall5: v, Recall10: v, Hit1: math.Round(v), MRR10: v, NDCG10: v}
	}
	return out
}

func TestBootstrap_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]float64{0, .25, .5, 1}), 2, 40).Draw(t, "values")
		scores := graded(values...)
		mean, within := eval.Mean(scores), bootstrap(scores)
		if d := cmp.Diff(within, bootstrap(scores)); d != "" {
			t.Errorf("a second time differs:\n%s", d)
		}
		const e = 1e-12
		for name, v := range map[string][3]float64{
			"recall": {within.Low.Recall10, mean.Recall10, within.High.Recall10},
			"hit":    {within.Low.Hit1, mean.Hit1, within.High.Hit1},
		} {
			if v[0] > v[1]+e || v[1] > v[2]+e || v[0] < -e || v[2] > 1+e {
				t.Errorf("%s: the interval [%v %v] of mean %v", name, v[0], v[2], v[1])
			}
		}
		if n := within.Low.Questions; n != len(values) {
			t.Errorf("got %d questions, want %d", n, len(values))
		}
	})
}

func TestBootstrap_is_narrower_with_more_questions(t *testing.T) {
	t.Parallel()
	width := func(n int) float64 {
		var values []float64
		for i := range n {
			values = append(values, float64(i%2))
		}
		x := bootstrap(graded(values...))
		return x.High.Recall5 - x.Low.Recall5
	}
	last := math.Inf(1)
	for _, n := range []int{10, 40, 160, 640} {
		if w := width(n); w >= last {
			t.Errorf("%d questions: width %v, and %v with fewer", n, w, last)
		} else {
			last = w
		}
	}
	// Of a share of one half, 1.96 standard errors to either side.
	if want := 2 * 1.96 * .5 / math.Sqrt(640); math.Abs(last-want) > .1*want {
		t.Errorf("640 questions: width %.4f, want about %.4f", last, want)
	}
}

func TestBootstrap_of_nothing_and_of_equals(t *testing.T) {
	t.Parallel()
	if got := bootstrap(nil); got != (interval{}) {
		t.Errorf("got %+v for nothing", got)
	}
	same := bootstrap(graded(.5, .5, .5, .5))
	if same.Low.NDCG10 != .5 || same.High.NDCG10 != .5 {
		t.Errorf("got %+v for equal scores", same)
	}
}

func TestDifferenceOf_pairs_questions(t *testing.T) {
	t.Parallel()
	a, b := graded(1, 0, 1, 0, 1, 0), graded(.75, -.25, .75, -.25, .75, -.25)
	d := differenceOf(a, b)
	if d.Recall1 != .25 || d.Interval.Low.Recall1 != .25 || d.Interval.High.Recall1 != .25 || d.Questions != 6 {
		t.Errorf("got %+v: the difference is the same for every question", d)
	}
	if none := differenceOf(a, a); none.Recall10 != 0 || none.Interval.High.Recall10 != 0 {
		t.Errorf("got %+v for a row and itself", none)
	}
}

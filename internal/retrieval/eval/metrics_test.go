package eval_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

func binary(ids ...string) map[string]float64 {
	r := make(map[string]float64)
	for _, id := range ids {
		r[id] = 1
	}
	return r
}

func TestScoreOf_by_hand(t *testing.T) {
	t.Parallel()
	ten := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}
	log3, log4 := math.Log2(3), 2.0
	for name, c := range map[string]struct {
		found    []string
		relevant map[string]float64
		want     eval.Score
	}{
		"one_of_one_first":    {[]string{"a", "b"}, binary("a"), eval.Score{Recall1: 1, Recall5: 1, Recall10: 1, Hit1: 1, MRR10: 1, NDCG10: 1}},
		"one_of_one_second":   {[]string{"b", "a"}, binary("a"), eval.Score{Recall5: 1, Recall10: 1, MRR10: 0.5, NDCG10: 1 / log3}},
		"nothing_found":       {nil, binary("a"), eval.Score{}},
		"wrong_ones_found":    {ten, binary("x"), eval.Score{}},
		"eleventh_is_too_far": {ten, binary("k"), eval.Score{}},
		"tenth":               {ten, binary("j"), eval.Score{Recall10: 1, MRR10: 0.1, NDCG10: 1 / math.Log2(11)}},
		"first_and_third_of_three": {[]string{"a", "x", "b"}, binary("a", "b", "c"), eval.Score{
			Recall1: 1. / 3, Recall5: 2. / 3, Recall10: 2. / 3, Hit1: 1, MRR10: 1, NDCG10: (1 + 1/log4) / (1 + 1/log3 + 1/log4),
		}},
		"gains_count": {[]string{"low", "high"}, map[string]float64{"low": 1, "high": 3}, eval.Score{
			Recall1: 0.5, Recall5: 1, Recall10: 1, Hit1: 1, MRR10: 1, NDCG10: (1 + 3/log3) / (3 + 1/log3),
		}},
		"found_twice_counts_once": {[]string{"a", "a", "b"}, binary("a", "b"), eval.Score{
			Recall1: 0.5, Recall5: 1, Recall10: 1, Hit1: 1, MRR10: 1, NDCG10: (1 + 1/log4) / (1 + 1/log3),
		}},
		"nothing_relevant": {ten, nil, eval.Score{}},
	} {
		c.want.Questions = 1
		if d := cmp.Diff(c.want, eval.ScoreOf(c.found, c.relevant), cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestScoreOf_properties(t *testing.T) {
	t.Parallel()
	letters := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]`), 1, 20, rapid.ID)
	rapid.Check(t, func(t *rapid.T) {
		relevant := binary(letters.Draw(t, "relevant")...)
		found := letters.Draw(t, "found")
		s := eval.ScoreOf(found, relevant)
		for name, v := range map[string]float64{"R1": s.Recall1, "R5": s.Recall5, "R10": s.Recall10, "hit": s.Hit1, "MRR": s.MRR10, "nDCG": s.NDCG10} {
			if v < 0 || v > 1+1e-12 {
				t.Errorf("%s is %v", name, v)
			}
		}
		if s.Recall1 > s.Recall5 || s.Recall5 > s.Recall10 || s.Hit1 > s.MRR10 || (s.Recall10 > 0) != (s.MRR10 > 0) {
			t.Errorf("contradictory: %+v", s)
		}
	})
}

func TestMean_weighs_by_questions(t *testing.T) {
	t.Parallel()
	got := eval.Mean([]eval.Score{
		{Questions: 1, Recall1: 1, Recall5: 1, Recall10: 1, Hit1: 1, MRR10: 1, NDCG10: 1},
		{Questions: 3, Recall10: 1. / 3},
	})
	want := eval.Score{Questions: 4, Recall1: .25, Recall5: .25, Recall10: .5, Hit1: .25, MRR10: .25, NDCG10: .25}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("mean (-want +got):\n%s", d)
	}
	if got := eval.Mean(nil); got != (eval.Score{}) {
		t.Errorf("got %+v for no scores", got)
	}
}

func TestLatencyOf_is_nearest_rank(t *testing.T) {
	t.Parallel()
	var taken []time.Duration
	for i := 100; i > 0; i-- {
		taken = append(taken, time.Duration(i)*time.Millisecond)
	}
	for _, c := range []struct {
		taken []time.Duration
		want  eval.Latency
	}{
		{taken, eval.Latency{P50: 50, P95: 95, P99: 99}},
		{taken[:1], eval.Latency{P50: 100, P95: 100, P99: 100}},
		{[]time.Duration{1500 * time.Microsecond, 500 * time.Microsecond}, eval.Latency{P50: 0.5, P95: 1.5, P99: 1.5}},
		{nil, eval.Latency{}},
	} {
		if got := eval.LatencyOf(c.taken); got != c.want {
			t.Errorf("%d times: got %+v, want %+v", len(c.taken), got, c.want)
		}
	}
}

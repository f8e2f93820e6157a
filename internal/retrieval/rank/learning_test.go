package rank_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// direction returns a vector of length 1 by a seed.
func direction(seed uint64) []float32 {
	draw := rand.New(rand.NewPCG(seed, 1))
	v, sum := make([]float32, 384), 0.0
	for i := range v {
		v[i] = float32(draw.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// between returns a vector whose cosine with a is c.
func between(a, b []float32, c float64) []float32 {
	out, dot := make([]float32, len(a)), 0.0
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	length := math.Sqrt(1 - dot*dot)
	for i := range a {
		out[i] = float32(c*float64(a[i]) + math.Sqrt(1-c*c)*(float64(b[i])-dot*float64(a[i]))/length)
	}
	return out
}

func TestSketch_KeepsCosines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		a, b := direction(seed), direction(seed+1000)
		for _, want := range []float64{0, .5, .8, .95, 1} {
			got := rank.Similarity(rank.Sketch("m", a), rank.Sketch("m", between(a, b, want)))
			if bound := .02 + .35*(1-want*want); math.Abs(got-want) > bound {
				t.Errorf("seed %d: cosine %.2f for %.2f, at most %.2f apart", seed, got, want, bound)
			}
		}
	}
}

func TestSketch_OfOtherModelsOrOfNothing(t *testing.T) {
	t.Parallel()
	q := rank.Sketch("m", direction(1))
	for name, other := range map[string]hippo.Question{
		"another model": rank.Sketch("n", direction(1)), "nothing": nil, "cut": q[:len(q)-1], "zeros": make(hippo.Question, len(q)),
	} {
		if got := rank.Similarity(q, other); got != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	if rank.Sketch("m", make([]float32, 384)) != nil {
		t.Error("a vector of zeros has a sketch")
	}
	if len(q) > hippo.MaxQuestion {
		t.Errorf("%d bytes", len(q))
	}
}

func TestLesson(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights().Learning
	a, b := direction(1), direction(2)
	here, far := rank.Sketch("m", a), rank.Sketch("m", b)
	votes := func(kind hippo.FeedbackKind, q hippo.Question, n int) (list []hippo.Feedback) {
		for range n {
			list = w.Add(list, hippo.Feedback{Kind: kind, Day: 10, Question: q})
		}
		return list
	}
	lesson := func(list []hippo.Feedback, day hippo.Day) float64 { x, _ := w.Lesson(list, here, day); return x }
	up := lesson(votes(hippo.FeedbackUp, here, 3), 10)
	switch {
	case up < .5 || up >= 1:
		t.Errorf("three upvotes teach %v", up)
	case lesson(votes(hippo.FeedbackDown, here, 3), 10) != -up:
		t.Errorf("downvotes are not symmetric: %v, %v", lesson(votes(hippo.FeedbackDown, here, 3), 10), up)
	case lesson(votes(hippo.FeedbackUp, far, 9), 10) != 0:
		t.Error("a far question teaches")
	case lesson(votes(hippo.FeedbackUp, nil, 9), 10) != 0:
		t.Error("an unknown question teaches")
	}
	near := rank.Sketch("m", between(a, b, (2*w.Same+w.Near)/3))
	if got := lesson(votes(hippo.FeedbackUp, near, 3), 10); got <= 0 || got >= up {
		t.Errorf("a near question teaches %v, the same one %v", got, up)
	}
	if got := lesson(votes(hippo.FeedbackOpened, here, 1), 10); got <= 0 || got >= lesson(votes(hippo.FeedbackUp, here, 1), 10) {
		t.Errorf("an opening teaches %v", got)
	}
	everywhere := votes(hippo.FeedbackUp, here, 3)
	for i := range 5 {
		everywhere = append(everywhere, votes(hippo.FeedbackUp, rank.Sketch("m", direction(uint64(3+i))), 1)...)
	}
	if got := lesson(everywhere, 10); got <= 0 || got >= up/2 {
		t.Errorf("praise for six unrelated questions teaches %v, for one %v", got, up)
	}
	for name, x := range map[string]struct {
		list []hippo.Feedback
		day  hippo.Day
		want bool
	}{
		"two":                    {votes(hippo.FeedbackUp, here, 2), 10, true},
		"one":                    {votes(hippo.FeedbackUp, here, 1), 10, false},
		"two, long ago":          {votes(hippo.FeedbackUp, here, 2), 100, false},
		"on a near question":     {votes(hippo.FeedbackUp, near, 5), 10, false},
		"openings":               {votes(hippo.FeedbackOpened, here, 5), 10, false},
		"two and a downvote":     {append(votes(hippo.FeedbackUp, here, 2), votes(hippo.FeedbackDown, here, 1)...), 10, false},
		"praised for everything": {everywhere, 10, false},
	} {
		if _, got := w.Lesson(x.list, here, x.day); got != x.want {
			t.Errorf("%s: proven is %v", name, got)
		}
	}
	if later := lesson(votes(hippo.FeedbackUp, here, 3), 100); later <= 0 || later >= up {
		t.Errorf("after 90 days %v, at first %v", later, up)
	}
	if many := votes(hippo.FeedbackUp, here, 1000); many[0].Weight > w.Most || len(many) != 1 {
		t.Errorf("1000 votes: %d elements, weight %v", len(many), many[0].Weight)
	}
}

func TestAdd_KeepsTheNewest(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights().Learning
	rapid.Check(t, func(t *rapid.T) {
		var list []hippo.Feedback
		for n, kind := range rapid.SliceOfN(rapid.SampledFrom(hippo.FeedbackKinds()), 1, 60).Draw(t, "kinds") {
			f := hippo.Feedback{Kind: kind, Day: hippo.Day(n + 1), Question: rank.Sketch("m", direction(rapid.Uint64Range(0, 30).Draw(t, "question")))}
			if kind != hippo.FeedbackOpened {
				f.Former = &hippo.Former{SetDay: hippo.Day(n)}
			}
			before := append([]hippo.Feedback(nil), list...)
			next := w.Add(list, f)
			if d := cmp.Diff(before, list); d != "" {
				t.Fatalf("the list given was changed:\n%s", d)
			}
			list = next
			last, formers := list[len(list)-1], 0
			for i := range list {
				if list[i].Former != nil {
					formers++
				}
			}
			if len(list) > hippo.MaxFeedback || last.Kind != kind || last.Day != f.Day || formers > 1 {
				t.Fatalf("%d elements, %d formers, last %+v", len(list), formers, last)
			}
		}
	})
}

func TestFormer_TakesBackTheNewestVote(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights().Learning
	here, far := rank.Sketch("m", direction(1)), rank.Sketch("m", direction(2))
	vote := func(list []hippo.Feedback, q hippo.Question, day hippo.Day) []hippo.Feedback {
		return w.Add(list, hippo.Feedback{Kind: hippo.FeedbackUp, Day: day, Question: q, Former: &hippo.Former{Importance: float64(day) / 10}})
	}
	one := vote(nil, here, 1)
	for name, tc := range map[string]struct{ list, want []hippo.Feedback }{
		"another question": {vote(one, far, 2), []hippo.Feedback{{Kind: hippo.FeedbackUp, Day: 1, Weight: 1, Question: here}}},
		"the same":         {vote(one, here, 2), []hippo.Feedback{{Kind: hippo.FeedbackUp, Day: 1, Weight: 1, Question: here}}},
	} {
		got, former := w.Former(tc.list)
		if d := cmp.Diff(tc.want, got); d != "" || former == nil || former.Importance != .2 {
			t.Errorf("%s: former %+v (-want +got):\n%s", name, former, d)
		}
		if _, former := w.Former(got); former != nil {
			t.Errorf("%s: a second vote can be taken back", name)
		}
	}
}

func TestEffective_RaisesWithinReachOnly(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights().Learning
	for _, tc := range []struct{ lesson, text, want float64 }{
		{.5, .8, .5},
		{.5, .8 * (1 - w.Reach*.5) * 1.01, .5},
		{.5, .8 * (1 - w.Reach*.5) * .99, 0},
		{.9, .8 * (1 - w.Reach*.5) * .99, .9},
		{.9, .8 * (1 - w.Reach) * .99, 0},
		{-.5, .1, -.5},
	} {
		if got := w.Effective(tc.lesson, tc.text, .8); got != tc.want {
			t.Errorf("%+v: got %v", tc, got)
		}
	}
}

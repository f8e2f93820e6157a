package rank_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
)

func supports(t *rapid.T) hippo.Support {
	part := rapid.Float64Range(0, 1)
	return hippo.Support{
		Text: part.Draw(t, "text"), Coverage: part.Draw(t, "coverage"), Met: part.Draw(t, "met"), Strange: part.Draw(t, "strange"),
		Terms: rapid.IntRange(0, 200).Draw(t, "terms"), Memories: rapid.IntRange(0, 1_000_000).Draw(t, "memories"),
		Meaning: rapid.Bool().Draw(t, "meaning"),
	}
}

func TestConfidenceOf_bounds(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s := supports(t)
		if c := rank.ConfidenceOf(&w, &s); math.IsNaN(c) || c < 0 || c > 1 {
			t.Fatalf("confidence %v of %+v", c, s)
		}
	})
}

// TestConfidenceOf_direction: what speaks for an answer never lowers confidence.
func TestConfidenceOf_direction(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s, more := supports(t), rapid.Float64Range(0, 1).Draw(t, "more")
		for name, part := range map[string]*float64{"text": &s.Text, "coverage": &s.Coverage, "met": &s.Met, "strange": &s.Strange} {
			before, was := rank.ConfidenceOf(&w, &s), *part
			*part = was + more*(1-was)
			after := rank.ConfidenceOf(&w, &s)
			*part = was
			if name == "strange" {
				before, after = after, before
			}
			if after < before {
				t.Fatalf("%s raised by %v of the rest: confidence %v, then %v; %+v", name, more, before, after, s)
			}
		}
	})
}

func TestAbstains(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	off := hippo.Support{Text: .4, Met: .2, Terms: 5, Memories: 1000, Meaning: true}
	with := func(change func(*hippo.Support)) hippo.Support {
		s := off
		change(&s)
		return s
	}
	for _, c := range []struct {
		name    string
		support hippo.Support
		want    bool
	}{
		{"nothing in common", off, true},
		{"good evidence", with(func(s *hippo.Support) { s.Text, s.Coverage, s.Met = .85, .5, .7 }), false},
		{"good evidence about another", with(func(s *hippo.Support) { s.Text, s.Coverage, s.Met, s.Strange = .7, .1, .3, .6 }), true},
		{"all words in one hit", with(func(s *hippo.Support) { s.Coverage = 1 }), false},
		{"one word", with(func(s *hippo.Support) { s.Terms = 1 }), false},
		{"one memory", with(func(s *hippo.Support) { s.Memories = 1 }), false},
		{"just under the least number", with(func(s *hippo.Support) { s.Memories = w.AbstainFrom - 1 }), false},
		{"the least number", with(func(s *hippo.Support) { s.Memories = w.AbstainFrom }), true},
		{"words alone, a few of them", hippo.Support{Coverage: .2, Terms: 5, Memories: 1000}, false},
		{"words alone, names that nobody knows", hippo.Support{Coverage: .1, Strange: .5, Terms: 5, Memories: 1000}, true},
	} {
		if got := rank.Abstains(&w, &c.support); got != c.want {
			t.Errorf("%s: abstains %v, confidence %v", c.name, got, rank.ConfidenceOf(&w, &c.support))
		}
	}
	w.Abstain = 0
	if rank.Abstains(&w, &off) {
		t.Error("abstains although that is switched off")
	}
}

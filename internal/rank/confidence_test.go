package rank_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/rank"
)

func supports(t *rapid.T) rank.Support {
	part := rapid.Float64Range(0, 1)
	return rank.Support{
		Text: part.Draw(t, "text"), Coverage: part.Draw(t, "coverage"), Covered: part.Draw(t, "covered"), UnknownNames: part.Draw(t, "unknown names"),
		Terms: rapid.IntRange(0, 200).Draw(t, "terms"), Memories: rapid.IntRange(0, 1_000_000).Draw(t, "memories"),
		Semantic: rapid.Bool().Draw(t, "semantic"),
	}
}

func TestConfidenceOf_StaysInRange(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s := supports(t)
		if c := rank.ConfidenceOf(&w, &s); math.IsNaN(c) || c < 0 || c > 1 {
			t.Fatalf("confidence %v of %+v", c, s)
		}
	})
}

// What speaks for an answer never lowers confidence.
func TestConfidenceOf_Monotone(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		s, more := supports(t), rapid.Float64Range(0, 1).Draw(t, "more")
		for name, part := range map[string]*float64{"text": &s.Text, "coverage": &s.Coverage, "covered": &s.Covered, "lead": &s.Lead, "unknown names": &s.UnknownNames} {
			before, was := rank.ConfidenceOf(&w, &s), *part
			*part = was + more*(1-was)
			after := rank.ConfidenceOf(&w, &s)
			*part = was
			if name == "unknown names" {
				before, after = after, before
			}
			if after < before {
				t.Fatalf("%s raised by %v of the rest: confidence %v, then %v; %+v", name, more, before, after, s)
			}
		}
	})
}

func TestWeak(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	unrelated := rank.Support{Text: .4, Covered: .2, Terms: 5, Memories: 1000, Semantic: true}
	with := func(change func(*rank.Support)) rank.Support {
		s := unrelated
		change(&s)
		return s
	}
	for _, c := range []struct {
		name    string
		support rank.Support
		want    bool
	}{
		{"nothing in common", unrelated, true},
		{"nothing in common with one memory", with(func(s *rank.Support) { s.Memories = 1 }), true},
		{"good text", with(func(s *rank.Support) { s.Text, s.Coverage, s.Covered, s.Lead = .85, .5, .7, .6 }), false},
		{"good text about another", with(func(s *rank.Support) { s.Text, s.Coverage, s.Covered, s.UnknownNames = .7, .1, .3, .6 }), true},
		{"all terms in one hit", with(func(s *rank.Support) { s.Coverage = 1 }), false},
		{"one term that no hit has", with(func(s *rank.Support) { s.Terms = 1 }), true},
		{"lexical, unknown names", rank.Support{Coverage: .1, UnknownNames: .5, Terms: 5, Memories: 1000}, true},
	} {
		if got := rank.Weak(&w, &c.support); got != c.want {
			t.Errorf("%s: weak %v, confidence %v", c.name, got, rank.ConfidenceOf(&w, &c.support))
		}
	}
	w.Confidence.Weak = 0
	if rank.Weak(&w, &unrelated) {
		t.Error("weak although that is disabled")
	}
}

package main

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// rivalSet has the rivals and two near-duplicates that answer nothing, and asks for the one of each pair that the engine finds second.
func rivalSet(t *testing.T, m models) *eval.Set {
	t.Helper()
	g := eval.Group{Name: "g"}
	for _, p := range rivals() {
		g.Docs = append(g.Docs, memoryOf(p.a), memoryOf(p.b))
	}
	g.Docs = append(g.Docs, memoryOf("The bicycle stands in the cellar"), memoryOf("The bicycle stands in the cellar."))
	w := rank.DefaultWeights()
	place, err := open(t.Context(), m, g.Docs, opened{weights: &w})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := place.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &eval.Set{Name: "rivals", Groups: []eval.Group{g}}
	for _, p := range rivals() {
		_, second, _, err := place.order(t.Context(), &p)
		if err != nil {
			t.Fatal(err)
		}
		s.Questions = append(s.Questions, eval.Question{Text: p.question, Group: "g", Relevant: map[string]float64{place.names[second]: 1}})
	}
	return s
}

// TestSimulate: what is voted up comes first, and each part that is left out does nothing.
func TestSimulate(t *testing.T) {
	t.Parallel()
	m, err := openModels(t.Context(), "static")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eval.CloseModels(m.all); err != nil {
			t.Error(err)
		}
	})
	s := rivalSet(t, m)
	for _, tc := range []struct {
		name      string
		skip      skipped
		taught    bool
		forgotten int
		linked    int
	}{
		{"all parts", nil, true, 1, 1},
		{"without votes and forgetting", skipped{opening, upvotes, downvotes, forgetting}, false, 0, 1},
		{"nothing but questions", parts(), false, 0, 0},
	} {
		o := options{days: 8, simulation: simulation{daily: 5}, weights: rank.DefaultWeights()}
		r, err := simulateSet(t.Context(), m, s, &o, tc.skip)
		if err != nil {
			t.Fatal(err)
		}
		if r.asked[0].n != 6 || r.asked[0].hit != 0 || r.unasked[0].n != 6 || r.memories != 26 {
			t.Errorf("%s: before: %+v", tc.name, r)
		}
		if taught := r.asked[1].hit == 6; taught != tc.taught || r.forgotten != tc.forgotten || r.counts.Linked != tc.linked {
			t.Errorf("%s: %g of 6 first, %d forgotten, %d linked", tc.name, r.asked[1].hit, r.forgotten, r.counts.Linked)
		}
	}
}

func TestSkipped(t *testing.T) {
	t.Parallel()
	var s skipped
	if err := s.Set("up,weekly"); err != nil || !s.has(upvotes) || !s.has(weekly) || s.has(opening) {
		t.Errorf("got %v, %v", s, err)
	}
	if err := s.Set("votes"); err == nil {
		t.Error("an unknown part is accepted")
	}
}

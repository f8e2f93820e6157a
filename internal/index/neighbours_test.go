package index_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/retrieve"
)

// neighbourhood is a store of twenty notes in three batches, with vectors: one is forgotten, one of another
// tenant, and one was changed, so that it lies in another segment than before.
func neighbourhood(t *testing.T) (*source, *index.Index) {
	t.Helper()
	s := newSource("s")
	x := open(t, s, &index.Options{Models: []modelof.Model{few}})
	for n := range 20 {
		m := note(n, fmt.Sprintf("note %d", n))
		if n == 4 {
			m.Namespace = "another"
		}
		s.put(m)
		if n%7 == 6 {
			catchUp(t, x)
		}
	}
	gone := note(5, "note 5")
	gone.ForgottenAt = gone.CreatedAt.AddDate(0, 0, 1)
	s.put(gone, note(6, "note 6, changed"))
	catchUp(t, x)
	embed(s, x, few, 100)
	return s, x
}

// similarity is the cosine of the texts of two memories.
func similarity(s *source, a, b hippo.ID) (sum float64) {
	v, w := vectorOf(s.get(a).Content, few), vectorOf(s.get(b).Content, few)
	for i := range v {
		sum += float64(v[i]) * float64(w[i])
	}
	return sum
}

func TestVectors_neighbours(t *testing.T) {
	t.Parallel()
	s, x := neighbourhood(t)
	asked := s.get(id(9))
	var others, before []*hippo.Memory
	for _, m := range s.live() {
		if m.Namespace == "" && m.ID != asked.ID {
			others = append(others, m)
			if m.CreatedAt.Before(asked.CreatedAt) {
				before = append(before, m)
			}
		}
	}
	cosines := func(list []*hippo.Memory) (out []float64) {
		for _, m := range list {
			out = append(out, similarity(s, asked.ID, m.ID))
		}
		return out
	}
	nearest := cosines(others)
	slices.SortFunc(nearest, func(a, b float64) int { return cmp.Compare(b, a) })
	slices.SortFunc(before, func(a, b *hippo.Memory) int { return b.CreatedAt.Compare(a.CreatedAt) })
	check := func(what string, got, want []float64, tolerance float64) {
		t.Helper()
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= tolerance }) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	got, ok := x.Vectors.Nearest(few.ID, asked.ID, 3)
	check("nearest", got, nearest[:3], .03)
	got, _ = x.Vectors.Earlier(few.ID, asked.ID, 5)
	check("earlier", got, cosines(before)[:5], 1e-3)
	got, _ = x.Vectors.Earlier(few.ID, asked.ID, 50)
	check("all earlier", got, cosines(before), 1e-3)
	alone, there := x.Vectors.Nearest(few.ID, id(4), 3)
	if !ok || !there || len(alone) != 0 {
		t.Errorf("another tenant: got %v, %v", alone, there)
	}
	for _, no := range []struct {
		model string
		id    hippo.ID
	}{{few.ID, id(99)}, {"unknown", asked.ID}} {
		if _, ok := x.Vectors.Nearest(no.model, no.id, 3); ok {
			t.Errorf("%v has neighbours", no)
		}
	}
}

func TestSearch_surprise(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n, score := range []float64{0, 1e-6, .25, .5, 1} {
		m := note(n, "words")
		m.Surprise.Score = score
		s.put(m)
	}
	x := open(t, s, nil)
	changed := note(1, "words")
	changed.Surprise.Score = .75
	s.put(changed)
	catchUp(t, x)
	want := []float64{0, .75, .25, .5, 1}
	find(x, query{}, func(r *retrieve.Result) {
		for _, m := range r.Matches {
			row, n := r.Reader.Row(m.Doc), 0
			for k := range want {
				if idOf(r, m.Doc) == id(k) {
					n = k
				}
			}
			if math.Abs(row.Surprise-want[n]) > 1./254 || row.Scored != (n > 0) {
				t.Errorf("memory %d: got %v, %v, want %v", n, row.Surprise, row.Scored, want[n])
			}
		}
	})
}

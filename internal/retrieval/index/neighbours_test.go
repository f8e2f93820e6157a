package index_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
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
	one := []hippo.ID{asked.ID}
	check("nearest", x.Vectors.Nearest(few.ID, one, 3)[asked.ID], nearest[:3], .03)
	check("earlier", x.Vectors.Earlier(few.ID, one, 5)[asked.ID], cosines(before)[:5], 1e-3)
	check("all earlier", x.Vectors.Earlier(few.ID, one, 50)[asked.ID], cosines(before), 1e-3)
	for name, find := range map[string]func(model string, ids []hippo.ID, n int) map[hippo.ID][]float64{
		"nearest": x.Vectors.Nearest, "earlier": x.Vectors.Earlier,
	} {
		if alone, ok := find(few.ID, []hippo.ID{id(4)}, 3)[id(4)]; !ok || len(alone) != 0 {
			t.Errorf("%s, another tenant: got %v, %v", name, alone, ok)
		}
		if got := find(few.ID, []hippo.ID{id(99)}, 3); len(got) != 0 {
			t.Errorf("%s of a memory that is not there: got %v", name, got)
		}
		if got := find("unknown", one, 3); len(got) != 0 {
			t.Errorf("%s by a model that is not there: got %v", name, got)
		}
	}
}

// Memories that are asked for together get what each of them gets alone, whatever their namespaces, and those that are
// not there are left out.
func TestVectors_NeighboursOfSeveral(t *testing.T) {
	t.Parallel()
	_, x := neighbourhood(t)
	all := []hippo.ID{id(99)}
	for n := range 20 {
		all = append(all, id(n))
	}
	for name, find := range map[string]func(model string, ids []hippo.ID, n int) map[hippo.ID][]float64{
		"nearest": x.Vectors.Nearest, "earlier": x.Vectors.Earlier,
	} {
		want := make(map[hippo.ID][]float64)
		for _, id := range all {
			maps.Copy(want, find(few.ID, []hippo.ID{id}, 4))
		}
		if got := find(few.ID, all, 4); len(want) < 19 || !maps.EqualFunc(got, want, slices.Equal[[]float64]) {
			t.Errorf("%s: got %v, want %v", name, got, want)
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

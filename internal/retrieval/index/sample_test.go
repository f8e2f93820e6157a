package index_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Statistics of the cosines of a large scope come from a sample. The sample is the same for a search in one project and in all projects, and for any
// order in which the memories arrived. Matches of a search in a project equal those of a search in all projects.
func TestSearch_large(t *testing.T) {
	t.Parallel()
	const n, projects = 70_000, 50
	s, all := newSource("s"), newSource("s")
	for i := range n {
		m := note(i+1, fmt.Sprint("word", i%300, " word", i%7))
		m.Project = fmt.Sprint("p", i*7919%projects)
		s.put(m)
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.changes), func(a, b hippo.ID) int { return b.Compare(a) }) {
		all.put(s.get(id))
	}
	opts := &index.Options{Models: []modelof.Model{few}}
	x, y := open(t, s, opts), open(t, all, opts)
	embed(s, x, few, n)
	embed(all, y, few, n)

	q := query{Text: "word7", Vector: vectorOf("query", few), Model: few.ID, Nearest: 100, MinCosine: -1}
	whole, spread := matchesOf(x, q)
	if spread.Count < n/32 || spread.Count > n/4 || math.Abs(spread.Mean) > .01 {
		t.Errorf("cosines of %+v", spread)
	}
	again, other := matchesOf(y, q)
	if !sameSpread(spread, other) || !maps.Equal(whole, again) {
		t.Errorf("in another order: cosines of %+v, not %+v; %s", other, spread, cmp.Diff(whole, again))
	}
	for _, p := range []string{"p0", "p1", "p49", "none"} {
		q.Filter.Projects = []string{p}
		list, some := matchesOf(x, q)
		if !sameSpread(spread, some) {
			t.Errorf("project %s: cosines of %+v, in all %+v", p, some, spread)
		}
		if p != "none" && len(list) < 100 {
			t.Errorf("project %s: %d matches", p, len(list))
		}
		for id, m := range list {
			want, ok := whole[id]
			if s.get(id).Project != p || ok && m != want {
				t.Errorf("project %s: %s of %s is %+v, in all %+v", p, id, s.get(id).Project, m, want)
			}
		}
	}
}

// textMatch is what a match says of the text.
type textMatch struct{ score, coverage, cosine float64 }

func matchesOf(x *index.Index, q query) (map[hippo.ID]textMatch, retrieve.Spread) {
	out, spread := make(map[hippo.ID]textMatch), retrieve.Spread{}
	find(x, q, func(r *retrieve.Result) {
		spread = r.Spreads[retrieve.Semantic]
		for _, m := range r.Matches {
			out[idOf(r, m.Doc)] = textMatch{m.Score, m.Coverage, m.Cosine}
		}
	})
	return out, spread
}

// sameSpread reports whether cosines are described alike, up to the order of the sums.
func sameSpread(a, b retrieve.Spread) bool {
	return a.Count == b.Count && math.Abs(a.Mean-b.Mean) < 1e-12 && math.Abs(a.Deviation-b.Deviation) < 1e-9
}

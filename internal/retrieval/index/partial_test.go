package index_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Where vectors may be missing, the cosine of a document without one is as far above the mean as that in the other channel,
// and similar is what is there. Others keep their own; without the word of the query nothing is estimated.
func TestSearch_partial(t *testing.T) {
	t.Parallel()
	const n = 40
	s := newSource("s")
	for i := range n {
		s.put(note(i, "text "+string(rune('a'+i%26))+string(rune('a'+i/26))))
	}
	x := open(t, s, &index.Options{Models: []modelof.Model{whole, few}})
	var list []index.Vector
	for i := range n {
		m := s.get(id(i))
		list = append(list, index.Vector{ID: m.ID, Text: index.TextKey(m), Values: vectorOf(m.Content, few)})
		if i > 0 {
			x.Vectors.Set(whole.ID, []index.Vector{{ID: m.ID, Text: index.TextKey(m), Values: vectorOf(m.Content, whole)}})
		}
	}
	x.Vectors.Set(few.ID, list)
	ask := func(partial bool) (matches map[hippo.ID]retrieve.Match, spreads [retrieve.Channels]retrieve.Spread, similar float64) {
		q := &retrieve.Query{Scope: hippo.LocalScope(hippo.AllProjects), Text: "text"}
		q.Vectors[retrieve.Semantic] = retrieve.Vector{Values: vectorOf("q", whole), Model: whole.ID, TopK: n, MinCosine: -1, Partial: partial}
		q.Vectors[retrieve.Multilingual] = retrieve.Vector{Values: list[0].Values, Model: few.ID, TopK: n, MinCosine: -1}
		r, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		matches = make(map[hippo.ID]retrieve.Match)
		for _, m := range r.Matches {
			matches[r.Reader.Key(m.Doc).ID] = m
		}
		return matches, r.Spreads, r.Reader.Similarity(matches[id(0)].Doc, matches[id(1)].Doc)
	}
	plain, spreads, similar := ask(false)
	if plain[id(0)].Cosine != 0 || similar != 0 || len(plain) != n {
		t.Errorf("a missing vector has the cosine %v, and is similar by %v", plain[id(0)].Cosine, similar)
	}
	estimated, _, similar := ask(true)
	for i := 1; i < n; i++ {
		if estimated[id(i)].Cosine != plain[id(i)].Cosine {
			t.Errorf("%d: %v, not %v", i, estimated[id(i)].Cosine, plain[id(i)].Cosine)
		}
	}
	from, to := spreads[retrieve.Multilingual], spreads[retrieve.Semantic]
	want := to.Mean + (estimated[id(0)].Multilingual-from.Mean)/from.Deviation*to.Deviation
	if got := estimated[id(0)].Cosine; math.Abs(got-want) > 1e-9 || got <= to.Mean {
		t.Errorf("estimated %v, not %v", got, want)
	}
	product := 0.0
	for i, a := range list[0].Values {
		product += float64(a) * float64(list[1].Values[i])
	}
	if math.Abs(similar-max(0, product)) > .02 {
		t.Errorf("similar by %v, not %v", similar, product)
	}
	missing := slices.Collect(x.Vectors.Missing(whole.ID))
	if len(missing) != 1 || missing[0].ID != id(0) || missing[0].Text != list[0].Text || len(slices.Collect(x.Vectors.Texts())) != n {
		t.Errorf("missing: %v", missing)
	}
}

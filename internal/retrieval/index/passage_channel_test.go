package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// TestSearch_PassageByTheChannelThatReads: a passage is that of the channel for English only if the query and the document are English.
func TestSearch_PassageByTheChannelThatReads(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(0, strings.Repeat("the pump of the boiler failed at night and nobody was there ", 30)))
	s.put(note(1, strings.Repeat("die Pumpe des Kessels ist in der Nacht ausgefallen und niemand war da ", 30)))
	x := open(t, s, &index.Options{Models: []modelof.Model{whole, few}})
	set := func(model modelof.Model, at int) []float32 {
		q := vectorOf("q", model)
		for _, m := range []*hippo.Memory{s.get(id(0)), s.get(id(1))} {
			values := slices.Concat(vectorOf("a", model), vectorOf("b", model), vectorOf("c", model))
			copy(values[at*model.Dimension:], q)
			x.Vectors.Set(model.ID, []index.Vector{{ID: m.ID, Text: index.TextKey(m), Values: values}})
		}
		return q
	}
	semantic, multilingual := set(whole, 0), set(few, 2)
	for text, want := range map[string][2]uint32{
		"why did the pump of the boiler fail":         {1, 3},
		"warum ist die Pumpe des Kessels ausgefallen": {3, 3},
	} {
		q := &retrieve.Query{Scope: hippo.LocalScope(hippo.AllProjects), Text: text}
		q.Vectors[retrieve.Semantic] = retrieve.Vector{Values: semantic, Model: whole.ID, TopK: 2, MinCosine: -1}
		q.Vectors[retrieve.Multilingual] = retrieve.Vector{Values: multilingual, Model: few.ID, TopK: 2, MinCosine: -1}
		r, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got := [2]uint32{}
		for _, m := range r.Matches {
			if r.Reader.Key(m.Doc).ID == id(0) {
				got[0] = m.Passage
			} else {
				got[1] = m.Passage
			}
		}
		r.Close()
		if got != want {
			t.Errorf("%q: passages %v, want %v", text, got, want)
		}
	}
}

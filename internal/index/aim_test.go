package index_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
)

// Aim admits what a search with the same filters admits, in the same context.
func TestView_AimIsASearchWithoutMatches(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n, f := range []func(*hippo.Memory){
		func(*hippo.Memory) {},
		func(m *hippo.Memory) { m.Project, m.Situation = "p", []string{"debugging the gateway"} },
		func(m *hippo.Memory) { m.Namespace = "other" },
		func(m *hippo.Memory) { m.Pinned, m.Situation = true, []string{"gateway", "planning"} },
	} {
		m := note(n, "word")
		f(m)
		s.put(m)
	}
	x := open(t, s, nil)
	if err := x.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, q := range []index.Query{
		{},
		{Filter: hippo.Filter{Projects: []string{"p"}}},
		{Filter: hippo.Filter{Namespace: "unknown"}},
		{Filter: hippo.Filter{Pinned: true}, Situation: []string{"gateway"}},
		{Situation: []string{"the gateway of today"}},
	} {
		x.View(func(v *index.View) {
			want := make(map[uint32]float64)
			for _, m := range v.Search(q).Matches {
				want[m.Doc] = m.Context
			}
			v.Aim(q)
			for doc := range uint32(x.Stats().Memories) {
				context, ok := want[doc]
				if v.Admits(doc) != ok || ok && v.Context(doc) != context {
					t.Errorf("%+v: document %d, admitted %v, want %v", q, doc, v.Admits(doc), ok)
				}
				if got, ok := v.Find(v.Row(doc).ID); !ok || got != doc {
					t.Errorf("document %d is not found by its ID", doc)
				}
			}
			if _, ok := v.Find(hippo.ID{0: 0xff}); ok {
				t.Error("an unknown memory is found")
			}
		})
	}
}

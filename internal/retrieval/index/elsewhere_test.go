package index_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Whatever a store and a query are, a search in a project counts the memories of other projects that have half of the coverage in a search of all
// projects, and finds what it finds when it does not count.
func TestSearch_elsewhere_counts_all(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{src: newSource("s"), day: 1, opts: &index.Options{}}
		w.open(t)
		defer func() { _ = w.x.Close() }()
		some := func(t *rapid.T) hippo.ID { return id(rapid.IntRange(1, 100).Draw(t, "id")) }
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) { // each batch is a segment until it is merged
				for range rapid.IntRange(1, 20).Draw(t, "memories") {
					m := w.memory(t)
					m.ID, m.Namespace = some(t), rapid.SampledFrom([]string{"", "", "other"}).Draw(t, "namespace")
					m.Type = rapid.SampledFrom([]string{"", "", "error", hippo.EntityType}).Draw(t, "type")
					w.src.put(m)
				}
				w.must(t, w.x.CatchUp(t.Context()))
			},
			"purge": func(t *rapid.T) { w.src.purge(some(t)) },
			"forget": func(t *rapid.T) {
				if m := w.src.get(some(t)); m != nil {
					m.ForgottenAt = time.UnixMicro(1)
					w.src.put(m)
				}
			},
			"": func(t *rapid.T) {
				w.must(t, w.x.CatchUp(t.Context()))
				for range 8 {
					w.checkElsewhere(t)
				}
			},
		})
	})
}

func (w *world) checkElsewhere(t *rapid.T) {
	q := retrieve.Query{
		Scope:    hippo.Scope{Projects: rapid.SampledFrom([][]string{nil, nil, {"p", "q"}}).Draw(t, "scope")},
		Text:     words(t, "text", 9) + rapid.SampledFrom([]string{"", " deplyo", " unknown", " x ray"}).Draw(t, "more"),
		Insights: rapid.Bool().Draw(t, "insights"),
		Filter: hippo.Filter{
			Pinned: rapid.IntRange(0, 3).Draw(t, "pinned") == 0, Types: rapid.SampledFrom([][]string{nil, nil, {"error"}}).Draw(t, "types"),
		},
		Situation: retrieve.Situation{Elements: rapid.SampledFrom([][]string{nil, nil, {"flaky cache"}}).Draw(t, "situation"), Prefer: rapid.Bool().Draw(t, "prefer")},
	}
	projects := rapid.SampledFrom([][]string{{"p"}, {"", "q"}, {"none"}}).Draw(t, "projects")
	coverage := w.coverage(t, q)
	want, in := 0, make(map[hippo.ID]float64)
	for id, x := range coverage {
		switch {
		case slices.Contains(projects, w.src.get(id).Project):
			in[id] = x
		case x >= .5:
			want++
		}
	}
	q.Filter.Projects, q.Elsewhere = projects, true
	r, err := w.x.Search(t.Context(), &q)
	w.must(t, err)
	got := r.Elsewhere
	r.Close()
	if got != want {
		t.Fatalf("%+v: %d elsewhere, want %d", q, got, want)
	}
	if d := difference(in, w.coverage(t, q)); d != "" {
		t.Fatalf("%+v: other matches (-without counting +with):\n%s", q, d)
	}
}

// coverage returns that of the matches of a query.
func (w *world) coverage(t *rapid.T, q retrieve.Query) map[hippo.ID]float64 {
	r, err := w.x.Search(t.Context(), &q)
	w.must(t, err)
	defer r.Close()
	out := make(map[hippo.ID]float64)
	for i := range r.Matches {
		out[idOf(r, r.Matches[i].Doc)] = r.Matches[i].Coverage
	}
	return out
}

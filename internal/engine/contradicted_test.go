package engine_test

import (
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// A fact marks a text only while it holds, where both can be seen, and where it is trusted as much.
func TestSearch_ContradictedBy(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ana, acme, globex := f.entity("Ana Petrova", "person"), f.entity("Acme", "company"), f.entity("Globex", "company")
	moved := time.Date(2023, 6, 1, 12, 0, 0, 0, time.UTC)
	f.fact(ana, acme, "works_at", time.Time{}, moved)
	f.fact(ana, globex, "works_at", moved, time.Time{})
	f.fact(ana, globex, "advises", time.Time{}, time.Time{})
	f.record("Ana works at Acme.", .5)
	f.record("Ana Petrova works at Globex.", .5)
	f.record("Ana advises Acme.", .5)
	f.record("Lunch at noon: Ana, Acme and the works at hand.", .5)
	notes := func(m *engine.Memories, q hippo.Query) (out []string) {
		t.Helper()
		a, err := query.Search(t.Context(), m, q)
		if err != nil || len(a.Hits) == 0 {
			t.Fatal(len(a.Hits), err)
		}
		for i := range a.Hits {
			if x := a.Hits[i].ContradictedBy; x != nil {
				out = append(out, a.Hits[i].Memory.Content+" | "+query.ContradictionNote(x, f.now()))
			}
		}
		return out
	}
	const marked = "Ana works at Acme. | a fact says otherwise since 2023-06-01: Ana Petrova works at Globex"
	then := hippo.Query{Text: "where does Ana work", Filter: hippo.Filter{Moment: hippo.Moment{ValidAt: moved.AddDate(-1, 0, 0)}}}
	for name, q := range map[string]hippo.Query{
		"a question": {Text: "where does Ana work"}, "another one": {Text: "lunch with Acme"}, "no text": {}, "another ranker": {Text: "Ana works at Acme", Ranker: hippo.RankerBM25},
	} {
		if got := notes(f.Memories, q); len(got) != 1 || got[0] != marked {
			t.Errorf("%s: %q, want %q", name, got, marked)
		}
	}
	if got := notes(f.Memories, then); len(got) != 1 || got[0] != "Ana Petrova works at Globex. | a fact says otherwise: Ana Petrova works at Acme" {
		t.Errorf("at the time before: %q", got)
	}
	if _, err := knowledge.RemoveEntity(t.Context(), f.Memories, knowledge.EntityRemoval{Entity: "Globex"}); err != nil {
		t.Fatal(err)
	}
	if got := notes(f.Memories, hippo.Query{Text: "where does Ana work"}); len(got) != 0 {
		t.Errorf("after the object is forgotten: %q", got)
	}
}

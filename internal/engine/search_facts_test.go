package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// fact declares a relation that holds for a time.
func (f *fixture) fact(from, to hippo.ID, kind string, since, until time.Time) {
	f.t.Helper()
	r := hippo.Relation{From: from, To: to, Kind: kind, Weight: 1, ValidFrom: since, ValidUntil: until}
	if _, err := knowledge.Relate(f.t.Context(), f.Memories, []hippo.Relation{r}); err != nil {
		f.t.Fatal(err)
	}
}

// facts returns the facts of the answer to a query, a line each.
func (f *fixture) facts(q hippo.Query) []string {
	f.t.Helper()
	a, err := query.Search(f.t.Context(), f.Memories, q)
	if err != nil {
		f.t.Fatal(err)
	}
	out := []string{}
	for i := range a.Facts {
		out = append(out, knowledge.FactText(&a.Facts[i], f.now()))
	}
	return out
}

func TestSearch_Facts(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ana, acme, globex, rome := f.entity("Ana Petrova", "person", "the boss"), f.entity("Acme", "company"), f.entity("Globex", "company"), f.entity("Rome", "place")
	now := f.now()
	began, moved := time.Date(2019, 3, 1, 12, 0, 0, 0, time.UTC), time.Date(2023, 6, 1, 12, 0, 0, 0, time.UTC)
	f.fact(ana, acme, "works_at", began, moved)
	f.fact(ana, globex, "works_at", moved, time.Time{})
	f.fact(ana, rome, "lives_in", time.Time{}, time.Time{})
	f.fact(ana, acme, "advises", now.AddDate(1, 0, 0), time.Time{}) // not yet
	f.record("Lunch at noon with Ana Petrova", .5)

	works, lives, worked := "fact: Ana Petrova works at Globex (since 2023-06-01)", "fact: Ana Petrova lives in Rome", "fact: Ana Petrova works at Acme (since 2019-03-01, until 2023-06-01)"
	at := func(text string, y int) hippo.Query {
		return hippo.Query{Text: text, Filter: hippo.Filter{Moment: hippo.Moment{ValidAt: time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)}}}
	}
	for _, c := range []struct {
		name string
		q    hippo.Query
		want []string
	}{
		{"the one that is asked for is first", hippo.Query{Text: "where does Ána Petrova work?"}, []string{works, lives}},
		{"another one is asked for", hippo.Query{Text: "where does Ana Petrova live"}, []string{lives, works}},
		{"an alias, strict without a situation", hippo.Query{Text: "where does THE BOSS live?", Strict: true}, []string{lives, works}},
		{"the first name of a person", hippo.Query{Text: "where does Ana live?"}, []string{lives, works}},
		{"the other end", hippo.Query{Text: "who works at Globex?"}, []string{works}},
		{"an ended one is not current", hippo.Query{Text: "who works at Acme?"}, []string{}},
		{"at a time", at("where does Ana work?", 2020), []string{worked, lives}},
		{"no entity is named", hippo.Query{Text: "where is lunch?"}, []string{}},
		{"a name is a whole word", hippo.Query{Text: "where do bananas live, and romeo?"}, []string{}},
		{"no text", hippo.Query{}, []string{}},
		{"the second page", hippo.Query{Text: "where does Ana live?", Offset: 1}, []string{}},
		{"another ranker", hippo.Query{Text: "where does Ana live?", Ranker: hippo.RankerBM25}, []string{}},
		{"a filter that facts do not have", hippo.Query{Text: "where does Ana live?", Filter: hippo.Filter{Tags: []string{"x"}}}, []string{}},
		{"trust", hippo.Query{Text: "where does Ana live?", Filter: hippo.Filter{MinTrust: hippo.TrustHigh}}, []string{}},
	} {
		if got := f.facts(c.q); !cmp.Equal(got, c.want) {
			t.Errorf("%s: %q finds %q, want %q", c.name, c.q.Text, got, c.want)
		}
	}
}

// A fact is shown where both of its ends are: neither a forgotten entity nor one of another project has any.
func TestSearch_FactsWithinTheProjects(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ana, acme := f.entity("Ana", "person"), f.entity("Acme", "company")
	other := f.Memories
	o := f.In(hippo.LocalScope("other"))
	there, err := knowledge.AddEntity(t.Context(), o, knowledge.EntityDraft{Entity: hippo.Entity{Name: "Zanzibar"}})
	if err != nil {
		t.Fatal(err)
	}
	f.fact(ana, acme, "works_at", time.Time{}, time.Time{})
	f.fact(ana, there.ID, "lives_in", time.Time{}, time.Time{})
	f.Memories = f.In(hippo.LocalScope("mine"))
	if got, want := f.facts(hippo.Query{Text: "where does Ana live?"}), []string{"fact: Ana works at Acme"}; !cmp.Equal(got, want) {
		t.Errorf("in another project: %q, want %q", got, want)
	}
	all := hippo.Query{Text: "where does Ana live?", Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}}
	if got := f.facts(all); len(got) != 2 {
		t.Errorf("in all projects: %q", got)
	}
	f.Memories = other
	if _, err := knowledge.RemoveEntity(t.Context(), f.Memories, knowledge.EntityRemoval{Entity: "Acme"}); err != nil {
		t.Fatal(err)
	}
	if got := f.facts(hippo.Query{Text: "who works at Acme, Ana?"}); slices.Contains(got, "fact: Ana works at Acme") {
		t.Errorf("after the end is forgotten: %q", got)
	}
}

// The context of a prompt has facts below the memories that it reminds of; by the prompt alone, those that it asks for.
func TestContext_Facts(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ana, acme, rome := f.entity("Ana", "person"), f.entity("Acme", "company"), f.entity("Rome", "place")
	f.fact(ana, acme, "works_at", time.Time{}, time.Time{})
	f.fact(ana, rome, "lives_in", time.Time{}, time.Time{})
	for only, want := range map[bool]string{
		false: "## Related to the prompt\n- fact: Ana works at Acme\n- fact: Ana lives in Rome\n</",
		true:  "age]):\n- fact: Ana works at Acme\n</",
	} {
		b, err := query.Context(t.Context(), f.Memories, briefing.Query{Prompt: "where does Ana work these days?", PromptOnly: only})
		if err != nil {
			t.Fatal(err)
		}
		if text := b.Text; !strings.Contains(text, want) {
			t.Errorf("prompt only %v: %s", only, text)
		}
	}
}

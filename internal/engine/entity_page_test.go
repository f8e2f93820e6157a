package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

func (f *fixture) page(q api.ShowEntity) *api.EntityPage {
	f.t.Helper()
	p, err := knowledge.ShowEntity(f.t.Context(), f.Memories, q)
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

func texts(ms []*hippo.Memory) []string {
	out := []string{}
	for _, x := range ms {
		out = append(out, x.Content)
	}
	return out
}

func TestShowEntity(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ana, rome, paris := f.entity("Ana Petrova", "person", "the boss"), f.entity("Rome", "place"), f.entity("Paris", "place")
	march := f.now()
	for to, from := range map[hippo.ID]time.Time{paris: march.AddDate(-2, 0, 0), rome: march.AddDate(-1, 0, 0)} {
		r := hippo.Relation{From: ana, To: to, Kind: "lives_in", Weight: 1, ValidFrom: from}
		if to == paris {
			r.ValidUntil = march.AddDate(-1, 0, 0)
		}
		if _, err := knowledge.Relate(t.Context(), f.Memories, []hippo.Relation{r}); err != nil {
			t.Fatal(err)
		}
	}
	tea := f.record("Ana prefers tea", .5)
	f.record("lunch with the boss", .2)
	f.record("Ána Petrova, on the new plan", .9)
	f.record("banana bread", .9)
	f.advance(1, 0)
	if _, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: "Ana prefers coffee", Importance: hippo.Importance{Base: .5}}, tea); err != nil {
		t.Fatal(err)
	}
	p := f.page(api.ShowEntity{Entity: "petrova"})
	got := map[string][]string{"facts": texts(p.Facts), "former": texts(p.Former), "mentions": texts(p.Mentions), "others": texts(p.Others)}
	want := map[string][]string{
		"facts": {"Ana prefers coffee"}, "former": {"Ana prefers tea"},
		"mentions": {"Ána Petrova, on the new plan", "lunch with the boss"}, "others": {"Rome (place)", "Paris (place)"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(p.Relations) != 1 || p.Relations[0].To != rome || len(p.FormerRelations) != 1 || p.FormerRelations[0].To != paris {
		t.Errorf("relations %+v, former %+v", p.Relations, p.FormerRelations)
	}
	var events []string
	for _, e := range p.Timeline {
		events = append(events, strings.TrimSpace(fmt.Sprint(e.At.Format(time.DateOnly), " ", e.What, " ", e.Kind, " ", e.Text)))
	}
	if d := cmp.Diff([]string{
		"2024-03-01 began lives_in Paris (place)", "2025-03-01 ended lives_in Paris (place)", "2025-03-01 began lives_in Rome (place)",
		"2026-03-01 said  Ana prefers tea", "2026-03-01 said  lunch with the boss", "2026-03-01 said  Ána Petrova, on the new plan",
		"2026-03-02 ended  Ana prefers tea", "2026-03-02 said  Ana prefers coffee",
	}, events, cmp.Transformer("sorted", sortedLines)); d != "" {
		t.Errorf("timeline (-want +got):\n%s", d)
	}
	if p.Memories != 4 || p.About || p.Omitted != 0 {
		t.Errorf("%d memories, %d omitted", p.Memories, p.Omitted)
	}
	if then := f.page(api.ShowEntity{Entity: "Ana", At: hippo.Moment{ValidAt: march.Add(time.Hour)}}); len(then.Facts) != 1 || then.Facts[0].ID != tea {
		t.Errorf("facts a day before: %q", texts(then.Facts))
	}
	if known := f.page(api.ShowEntity{Entity: "Ana", At: hippo.Moment{KnownAt: march.Add(time.Hour)}}); len(known.Former) != 0 || known.Memories != 3 {
		t.Errorf("known a day before: %q of %d", texts(known.Former), known.Memories)
	}
}

// A page of facts alone has all that were read.
func TestShowEntity_Facts(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ana := f.entity("Ana", "person")
	const facts, links = 20, 30 // more than a page has
	for i := range facts {
		f.record(fmt.Sprintf("Ana prefers tea number %d", i), .5)
	}
	f.record("lunch with Ana", .5)
	for i := range links {
		to := f.entity(fmt.Sprintf("Town %d", i), "place")
		if _, err := knowledge.Relate(t.Context(), f.Memories, []hippo.Relation{{From: ana, To: to, Kind: "knows", Weight: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	p := f.page(api.ShowEntity{Entity: "Ana", Facts: true})
	if len(p.Facts) != facts || len(p.Relations) != links || len(p.Others) != links || p.Omitted != 0 {
		t.Errorf("%d facts, %d relations to %d, %d omitted, want %d and %d", len(p.Facts), len(p.Relations), len(p.Others), p.Omitted, facts, links)
	}
	if len(p.Mentions) != 0 || len(p.Timeline) != 0 {
		t.Errorf("%d mentions, %d events, want none", len(p.Mentions), len(p.Timeline))
	}
	if p = f.page(api.ShowEntity{Entity: "Ana"}); p.Omitted == 0 {
		t.Error("a whole page omits nothing")
	}
}

// sortedLines makes the order of what happened at one time irrelevant: the times are the beginnings of the lines.
func sortedLines(list []string) map[string]bool {
	out := make(map[string]bool)
	for _, line := range list {
		out[line] = true
	}
	return out
}

func TestShowEntity_FitsIn(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.entity("Ana", "person")
	for i := range 40 {
		f.record(fmt.Sprintf("Ana has %d meetings in the week after the launch of the new gateway", i), .5)
	}
	small, large := f.page(api.ShowEntity{Entity: "Ana", MaxTokens: 100}), f.page(api.ShowEntity{Entity: "Ana", MaxTokens: 4000})
	if n := len(small.Facts); n == 0 || n >= len(large.Facts) || small.Omitted+n != 40 || small.Memories != 40 {
		t.Errorf("%d facts and %d omitted of %d; large: %d", n, small.Omitted, small.Memories, len(large.Facts))
	}
	if small.Facts[0].Content[:6] != "Ana ha" || small.Facts[0].Content != large.Facts[0].Content {
		t.Errorf("the newest is %q, or %q", small.Facts[0].Content, large.Facts[0].Content)
	}
	for _, q := range []api.ShowEntity{{Entity: "Ana", MaxTokens: 1}, {Entity: "Ana", MaxTokens: 1 << 20}} {
		if _, err := knowledge.ShowEntity(t.Context(), f.Memories, q); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := knowledge.ShowEntity(t.Context(), f.Memories, api.ShowEntity{Entity: "Ben"}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("Ben: %v", err)
	}
}

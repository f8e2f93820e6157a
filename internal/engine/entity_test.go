package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
)

// entity records an entity.
func (f *fixture) entity(name, kind string, aliases ...string) hippo.ID {
	f.t.Helper()
	e, err := knowledge.AddEntity(f.t.Context(), f.Memories, knowledge.EntityDraft{Entity: hippo.Entity{Name: name, Kind: kind, Aliases: aliases}})
	if err != nil {
		f.t.Fatal(err)
	}
	return e.ID
}

func (f *fixture) find(name string) (*api.Entity, error) {
	return knowledge.FindEntity(f.t.Context(), f.Memories, name)
}

func TestFindEntity(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ana := f.entity("Anastasia Petrova", "person", "Ana", "the boss")
	ben := f.entity("Ben Müller", "person")
	f.entity("Ben Weber", "person")
	for name, want := range map[string]hippo.ID{
		"Anastasia Petrova": ana, "anastasia  PETROVA": ana, "ana": ana, "Petrova": ana, "The Boss": ana, "Anastasia": ana,
		"Ben Muller": ben, "müller": ben, ana.String(): ana, ben.Short(): ben,
	} {
		if e, err := f.find(name); err != nil || e.ID != want {
			t.Errorf("%q: %+v (%v), want %v", name, e, err, want)
		}
	}
	_, err := f.find("Ben")
	if several, ok := errors.AsType[*hippo.AmbiguousError](err); !ok || len(several.Candidates) != 2 {
		t.Errorf("Ben: %v", err)
	}
	for _, name := range []string{"Carla", "", "Petrova Anastasia", "!"} {
		if _, err := f.find(name); !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestFindEntity_ByRule(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("Yesterday we met Carla Rossi in the office", .5)
	f.record("asked Carla Rossi about internal/retrieval/rank/rank.go", .5)
	f.record("the gateway uses Postgres", .5)
	for name, want := range map[string]hippo.Entity{
		"carla rossi":                     {Name: "Carla Rossi"},
		"internal/retrieval/rank/rank.go": {Name: "internal/retrieval/rank/rank.go", Kind: "file"},
		"Gateway":                         {Name: "gateway"},
	} {
		e, err := f.find(name)
		if err != nil || !e.Found() || cmp.Diff(want, e.Entity) != "" {
			t.Errorf("%q: %+v (%v), want %+v", name, e, err, want)
		}
	}
	if _, err := f.find("office"); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("a word that is no name was found: %v", err)
	}
}

func TestRemoveEntity(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("we met Carla Rossi", .5)
	id := f.entity("Carla Rossi", "person")
	remove := func() (*api.Entity, error) {
		return knowledge.RemoveEntity(t.Context(), f.Memories, knowledge.EntityRemoval{Entity: "Carla Rossi"})
	}
	if e, err := remove(); err != nil || e.ID != id {
		t.Fatalf("%+v (%v)", e, err)
	}
	if e, err := f.find("Carla Rossi"); err != nil || !e.Found() {
		t.Errorf("the text still names her: %+v (%v)", e, err)
	}
	if e, err := remove(); err != nil || !e.Found() {
		t.Fatalf("%+v (%v)", e, err)
	}
	if _, err := f.find("Carla Rossi"); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("found although it is no entity: %v", err)
	}
	if _, err := remove(); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	again := f.entity("Carla Rossi", "person")
	f.undo(again)
	if _, err := f.find("Carla Rossi"); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("the undo of adding it again: %v", err)
	}
}

func TestModifyEntity(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("we met Carla Rossi", .5)
	f.entity("Ana", "person")
	kind := "person"
	e, err := knowledge.ModifyEntity(t.Context(), f.Memories, api.ModifyEntity{Entity: "carla rossi", Kind: &kind, Aliases: []string{"CR"}})
	want := hippo.Entity{Name: "Carla Rossi", Kind: "person", Aliases: []string{"CR"}}
	if err != nil || e.Found() || cmp.Diff(want, e.Entity) != "" {
		t.Fatalf("one that was found: %+v (%v)", e, err)
	}
	name := "Carla Bianchi"
	e, err = knowledge.ModifyEntity(t.Context(), f.Memories, api.ModifyEntity{Entity: "CR", Name: &name, Aliases: []string{"Carla Rossi"}, Without: []string{"cr"}})
	want = hippo.Entity{Name: name, Kind: "person", Aliases: []string{"Carla Rossi"}}
	if err != nil || cmp.Diff(want, e.Entity) != "" {
		t.Fatalf("%+v (%v)", e, err)
	}
	f.undo(e.ID)
	if e, err := f.find("CR"); err != nil || e.Name != "Carla Rossi" {
		t.Errorf("after the undo: %+v (%v)", e, err)
	}
	for _, c := range []struct {
		change api.ModifyEntity
		want   error
	}{
		{api.ModifyEntity{Entity: "CR", Without: []string{"nobody"}}, hippo.ErrNotFound},
		{api.ModifyEntity{Entity: "CR", Aliases: []string{"ANA"}}, hippo.ErrConflict},
		{api.ModifyEntity{Entity: "CR", Aliases: []string{"a;b"}}, hippo.ErrInvalid},
		{api.ModifyEntity{Entity: "nobody at all", Aliases: []string{"x"}}, hippo.ErrNotFound},
	} {
		if _, err := knowledge.ModifyEntity(t.Context(), f.Memories, c.change); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.change, err, c.want)
		}
	}
}

func TestAddEntity_RefusesNamesThatAreTaken(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.entity("Ana Petrova", "person", "Ana")
	for _, e := range []hippo.Entity{{Name: "ana petrova"}, {Name: "ANA"}, {Name: "Other", Aliases: []string{"Ána"}}} {
		if _, err := knowledge.AddEntity(t.Context(), f.Memories, knowledge.EntityDraft{Entity: e}); !errors.Is(err, hippo.ErrConflict) {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if _, err := knowledge.AddEntity(t.Context(), f.Memories, knowledge.EntityDraft{Entity: hippo.Entity{Name: "..."}}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("a name without a letter: %v", err)
	}
	if _, err := knowledge.AddEntity(t.Context(), f.Memories, knowledge.EntityDraft{Entity: hippo.Entity{Name: "Petrova"}}); err != nil {
		t.Errorf("a short form of another one is free: %v", err)
	}
}

// Searches and the context leave entities out unless the type is asked for; lists have them.
func TestSearch_LeavesEntitiesOut(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	id := f.entity("Ana Petrova", "person")
	said := f.record("Ana Petrova prefers tea", .5)
	related(t, f, said, "about", id)
	for _, ranker := range hippo.Rankers() {
		a := f.search(hippo.Query{Text: "Ana Petrova", Ranker: ranker})
		if slices.Contains(a.IDs(), id) || a.Total > 1 {
			t.Errorf("%s: %v of %d", ranker, a.IDs(), a.Total)
		}
	}
	if a := f.search(hippo.Query{}); slices.Contains(a.IDs(), id) {
		t.Error("a search for all has an entity")
	}
	if a := f.search(hippo.Query{Text: "Ana Petrova", Filter: hippo.Filter{Types: []string{hippo.EntityType}}}); !slices.Equal(a.IDs(), []hippo.ID{id}) {
		t.Errorf("by type: %v", a.IDs())
	}
}

func related(t *testing.T, f *fixture, from hippo.ID, kind string, to hippo.ID) {
	t.Helper()
	if _, err := knowledge.Relate(t.Context(), f.Memories, []hippo.Relation{{From: from, To: to, Kind: kind, Weight: 1}}); err != nil {
		t.Fatal(err)
	}
}

// relationsOf returns the relations of memories as texts.
func (f *fixture) relationsOf(names map[hippo.ID]string, ids ...hippo.ID) []string {
	f.t.Helper()
	list, err := knowledge.RelationsOf(f.t.Context(), f.Memories, ids)
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, r := range list {
		out = append(out, fmt.Sprint(names[r.From], " ", r.Kind, " ", names[r.To]))
	}
	slices.Sort(out)
	return out
}

func TestMergeEntities(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ana, boss := f.entity("Anastasia Petrova", "person"), f.entity("the boss", "", "chief")
	rome, gateway := f.entity("Rome", "place"), f.record("the gateway", .5)
	related(t, f, boss, "lives_in", rome)
	related(t, f, gateway, "owned_by", boss)
	related(t, f, ana, "knows", rome)
	related(t, f, boss, "knows", rome)
	related(t, f, boss, "knows", ana)
	names := map[hippo.ID]string{ana: "ana", boss: "boss", rome: "rome", gateway: "gateway"}
	before, stored := f.relationsOf(names, ana, boss, rome, gateway), f.getAll(ana, boss)

	done, err := knowledge.MergeEntities(t.Context(), f.Memories, api.MergeEntities{From: "chief", Into: "petrova"})
	if err != nil {
		t.Fatal(err)
	}
	want := hippo.Entity{Name: "Anastasia Petrova", Kind: "person", Aliases: []string{"the boss", "chief"}}
	if d := cmp.Diff(want, done.Entity.Entity); d != "" || done.Other.ID != boss || done.Moved != 4 {
		t.Errorf("%+v (-want +got):\n%s", done, d)
	}
	if d := cmp.Diff([]string{"ana knows rome", "ana lives_in rome", "gateway owned_by ana"}, f.relationsOf(names, ana)); d != "" {
		t.Errorf("relations (-want +got):\n%s", d)
	}
	if e, err := f.find("chief"); err != nil || e.ID != ana {
		t.Errorf("chief: %+v (%v)", e, err)
	}
	// A second merge of the same two, and one back, are merges of an entity with itself.
	for _, q := range []api.MergeEntities{{From: "chief", Into: "Petrova"}, {From: "petrova", Into: "the boss"}, {From: "Rome", Into: rome.String()}} {
		if _, err := knowledge.MergeEntities(t.Context(), f.Memories, q); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if op := f.last(ana); op.Verb != hippo.VerbMerge {
		t.Errorf("the operation is %s", op.Verb)
	}
	f.undo(ana)
	if d := cmp.Diff(before, f.relationsOf(names, ana, boss, rome, gateway)); d != "" {
		t.Errorf("relations after the undo (-want +got):\n%s", d)
	}
	for i, x := range f.getAll(ana, boss) {
		if x.Content != stored[i].Content || x.Forgotten() {
			t.Errorf("after the undo: %q, forgotten %v", x.Content, x.Forgotten())
		}
	}
}

func TestMergeEntities_ThatHaveNoRecord(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("we met Carla Rossi", .5)
	f.record("she calls Carla Bianchi", .5)
	ana := f.entity("Ana", "person")
	for _, q := range []api.MergeEntities{{From: "Carla Rossi", Into: "Carla Bianchi"}, {From: "Ana", Into: "Carla Bianchi"}} {
		done, err := knowledge.MergeEntities(t.Context(), f.Memories, q)
		if err != nil || done.Entity.Found() || done.Entity.Name != "Carla Bianchi" {
			t.Fatalf("%+v: %+v (%v)", q, done, err)
		}
		if e, err := f.find(q.From); err != nil || e.ID != done.Entity.ID {
			t.Errorf("%q: %+v (%v)", q.From, e, err)
		}
	}
	f.undo(ana)
	if e, err := f.find("Ana"); err != nil || e.ID != ana {
		t.Errorf("after the undo: %+v (%v)", e, err)
	}
}

func TestMergeEntities_Refuses(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.entity("Ana", "person")
	if _, err := knowledge.AddEntity(t.Context(), f.In(hippo.LocalScope("p")), knowledge.EntityDraft{Entity: hippo.Entity{Name: "Ben"}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		merge api.MergeEntities
		want  error
	}{
		{api.MergeEntities{From: "Ana", Into: "Ben"}, hippo.ErrInvalid}, // of two projects
		{api.MergeEntities{From: "Ana", Into: "nobody"}, hippo.ErrNotFound},
		{api.MergeEntities{From: "nobody", Into: "Ana"}, hippo.ErrNotFound},
	} {
		if _, err := knowledge.MergeEntities(t.Context(), f.Memories, c.merge); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.merge, err, c.want)
		}
	}
}

func TestSplitEntity(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	mercury := f.entity("Mercury", "planet", "Hg", "quicksilver")
	metal, sun := f.record("metals are dense", .5), f.record("the sun is hot", .5)
	related(t, f, mercury, "is_a", metal)
	related(t, f, mercury, "orbits", sun)
	done, err := knowledge.SplitEntity(t.Context(), f.Memories, api.SplitEntity{
		Entity: "hg", New: hippo.Entity{Name: "quicksilver", Kind: "metal", Aliases: []string{"Hg", "liquid silver"}}, Related: []hippo.ID{metal},
	})
	if err != nil {
		t.Fatal(err)
	}
	silver := done.Entity.ID
	names := map[hippo.ID]string{mercury: "mercury", silver: "silver", metal: "metal", sun: "sun"}
	if d := cmp.Diff([]string{"mercury orbits sun", "silver is_a metal"}, f.relationsOf(names, metal, sun)); d != "" || done.Moved != 1 {
		t.Errorf("moved %d (-want +got):\n%s", done.Moved, d)
	}
	if e, err := f.find("Hg"); err != nil || e.ID != silver || len(done.Other.Aliases) != 0 {
		t.Errorf("%+v (%v), the other %+v", e, err, done.Other)
	}
	f.undo(mercury)
	if e, err := f.find("Hg"); err != nil || e.ID != mercury || len(e.Aliases) != 2 {
		t.Errorf("after the undo: %+v (%v)", e, err)
	}
	if d := cmp.Diff([]string{"mercury is_a metal", "mercury orbits sun"}, f.relationsOf(names, mercury)); d != "" {
		t.Errorf("after the undo (-want +got):\n%s", d)
	}
	for _, c := range []struct {
		split api.SplitEntity
		want  error
	}{
		{api.SplitEntity{Entity: "Mercury", New: hippo.Entity{Name: "mercury"}}, hippo.ErrInvalid},
		{api.SplitEntity{Entity: "nobody", New: hippo.Entity{Name: "x"}}, hippo.ErrNotFound},
		{api.SplitEntity{Entity: "Mercury", New: hippo.Entity{}}, hippo.ErrInvalid},
	} {
		if _, err := knowledge.SplitEntity(t.Context(), f.Memories, c.split); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.split, err, c.want)
		}
	}
}

func TestListEntities_KnownAt(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.entity("Ana", "person")
	before := f.now()
	f.advance(1, 0)
	f.entity("Ben", "person")
	for _, c := range []struct {
		at   time.Time
		want []string
	}{{before, []string{"Ana"}}, {f.now(), []string{"Ana", "Ben"}}, {before.Add(-time.Hour), nil}} {
		l, err := knowledge.ListEntities(t.Context(), f.Memories, api.ListEntities{KnownAt: c.at})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range l.Entities {
			got = append(got, e.Name)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("known at %v (-want +got):\n%s", c.at, d)
		}
	}
}

func TestListEntities(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.entity("Rome", "place")
	f.entity("Ana", "person")
	for range 2 {
		f.record("met Carla Rossi and Ana Smith in Rome, see docs/plan.md", .5)
	}
	f.record("called Dana White", .5)
	list := func(q api.ListEntities) (out []string) {
		t.Helper()
		l, err := knowledge.ListEntities(t.Context(), f.Memories, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range l.Entities {
			out = append(out, fmt.Sprint(e.Name, "/", e.Kind, "/", e.Memories))
		}
		return append(out, fmt.Sprint(l.Total))
	}
	for _, c := range []struct {
		q    api.ListEntities
		want []string
	}{
		{api.ListEntities{}, []string{"Ana/person/0", "Rome/place/0", "2"}},
		{api.ListEntities{Kind: "PLACE"}, []string{"Rome/place/0", "1"}},
		{api.ListEntities{Offset: 1, Count: 1}, []string{"Rome/place/0", "2"}},
		{api.ListEntities{Found: true}, []string{"Ana Smith//2", "Carla Rossi//2", "docs/plan.md/file/2", "3"}},
	} {
		if d := cmp.Diff(c.want, list(c.q)); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c.q, d)
		}
	}
	if _, err := knowledge.ListEntities(t.Context(), f.Memories, api.ListEntities{Count: hippo.MaxCount + 1}); !errors.Is(err, hippo.ErrInvalid) {
		t.Error(err)
	}
}

func TestResolveNamed(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id, other := f.entity("Ana Petrova", "person"), f.record("x", .5)
	for ref, want := range map[string]hippo.ID{"ana": id, "Ana Petrova": id, id.Short(): id, other.Short(): other, other.String(): other} {
		if got, err := knowledge.ResolveNamed(t.Context(), f.Memories, ref, api.PreferLive); err != nil || got != want {
			t.Errorf("%q: %v (%v), want %v", ref, got, err, want)
		}
	}
	for _, ref := range []string{"nobody", "", "#12"} {
		if _, err := knowledge.ResolveNamed(t.Context(), f.Memories, ref, api.PreferLive); !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	const place = "pool/pool.go:7"
	if _, err := knowledge.ResolveNamed(t.Context(), f.Memories, place, api.PreferLive); hippo.CodeOf(err) != hippo.CodeInvalid || !strings.Contains(err.Error(), "is a place in code") {
		t.Errorf("a place in code: %v", err)
	}
	if _, err := knowledge.FindEntity(t.Context(), f.Memories, place); hippo.CodeOf(err) != hippo.CodeInvalid {
		t.Errorf("a place in code: %v", err)
	}
	id = f.entity(place, "file") // what is recorded is what is meant
	if got, err := knowledge.ResolveNamed(t.Context(), f.Memories, place, api.PreferLive); err != nil || got != id {
		t.Errorf("%v, %v", got, err)
	}
}

package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// A namespace that differs from a known one by letters or blanks alone is refused to the owner of a store, and a new one is not. Whoever has a
// token learns nothing of other tenants.
func TestNamespace_Mistyped(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	in := func(namespace string, r hippo.Rights) *engine.Memories {
		return f.In(hippo.Scope{Namespace: namespace, Rights: r})
	}
	record := func(namespace string, r hippo.Rights) error {
		_, err := memory.Record(t.Context(), in(namespace, r), &hippo.Memory{Content: "tea", Namespace: namespace, Importance: hippo.Importance{Base: .5, Value: .5}})
		return err
	}
	if err := record("team", hippo.AllRights); err != nil {
		t.Fatal(err)
	}
	for _, mistyped := range []string{"TEAM", "team ", " Team", "new "} {
		_, err := query.Search(t.Context(), in(mistyped, hippo.AllRights), hippo.Query{Text: "tea"})
		for _, err := range []error{err, record(mistyped, hippo.AllRights)} {
			bad, ok := errors.AsType[*hippo.FieldError](err)
			if !ok || bad.Field != "namespace" || strings.Contains(strings.ToLower(mistyped), "team") && !strings.Contains(err.Error(), `"team" has`) {
				t.Errorf("%q: %v", mistyped, err)
			}
		}
	}
	for namespace, rights := range map[string]hippo.Rights{"team": hippo.AllRights, "crew": hippo.AllRights, "tEAM": hippo.RightRead | hippo.RightWrite} {
		if err := record(namespace, rights); err != nil {
			t.Errorf("%q: %v", namespace, err)
		}
	}
}

// A project is known by its name in other letters and with blanks, to those who record and to those who ask.
func TestProject_Spelling(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.note(hippo.Memory{Content: "tea", Project: "Shop", Importance: hippo.Importance{Base: .5, Value: .5}})
	for _, name := range []string{"Shop", "shop", " SHOP "} {
		spelled, err := memory.SpelledProject(t.Context(), f.Memories, name)
		known, err2 := memory.KnownProjects(t.Context(), f.Memories, name, "", hippo.AllProjects)
		named, err3 := memory.NameProject(t.Context(), f.Memories, name)
		made, err4 := memory.NameProject(t.Context(), f.Memories, "new:"+name)
		if err := errors.Join(err, err2, err3, err4); err != nil || spelled != "Shop" || named != "Shop" || made != "Shop" || strings.Join(known, "|") != "Shop||*" {
			t.Errorf("%q: %q, %q, %q, %q, %v", name, spelled, known, named, made, err)
		}
	}
	if got, err := memory.KnownProjects(t.Context(), f.Memories, "Shop", "nowhere"); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("an unknown one: %q, %v", got, err)
	}
	scoped := f.In(hippo.Scope{Projects: []string{"Hop"}, Rights: hippo.AllRights})
	if got, err := memory.KnownProjects(t.Context(), scoped, "Hop"); err != nil || strings.Join(got, "|") != "Hop" {
		t.Errorf("one of the scope, for which nothing is stored yet: %q, %v", got, err)
	}
	if got, err := memory.NameProject(t.Context(), f.Memories, "new: "); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("a new one without a name: %q, %v", got, err)
	}
	if got, err := memory.SpelledProject(t.Context(), f.Memories, "crew"); err != nil || got != "crew" {
		t.Errorf("a new one: %q, %v", got, err)
	}
}

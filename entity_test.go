package hippo_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

func TestEntity_Content(t *testing.T) {
	t.Parallel()
	for _, e := range []hippo.Entity{
		{Name: "Ana"},
		{Name: "Ana Petrova", Kind: "person", Aliases: []string{"Ana", "A. Petrova"}, Description: "She runs the gateway.\nSince 2024."},
		{Name: "fmt.Println(x)", Description: "prints"},
		{Name: "Paris (Texas)"},
		{Name: "Paris (Texas)", Kind: "place"},
		{Name: "x", Description: "Also: not an alias"},
	} {
		if got := hippo.ParseEntity(e.Content()); cmp.Diff(e, got) != "" {
			t.Errorf("%q: (-want +got):\n%s", e.Content(), cmp.Diff(e, got))
		}
	}
}

func TestParseEntity_ReadsAnyText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]hippo.Entity{
		"Gateway (service)":            {Name: "Gateway", Kind: "service"},
		" Gateway \n\n It forwards. ":  {Name: "Gateway", Description: "It forwards."},
		"Gateway\nAlso: ;gw; ; API gw": {Name: "Gateway", Aliases: []string{"gw", "API gw"}},
		"(odd)":                        {Name: "(odd)"},
	} {
		if d := cmp.Diff(want, hippo.ParseEntity(text)); d != "" {
			t.Errorf("%q: (-want +got):\n%s", text, d)
		}
	}
}

func TestEntity_Validate(t *testing.T) {
	t.Parallel()
	for field, e := range map[string]hippo.Entity{
		"name":        {},
		"kind":        {Name: "x", Kind: "a)b"},
		"aliases":     {Name: "x", Aliases: []string{"a;b"}},
		"description": {Name: "x", Description: "\x00"},
	} {
		bad, ok := errors.AsType[*hippo.FieldError](e.Validate())
		if !ok || bad.Field != field {
			t.Errorf("%s: %v", field, e.Validate())
		}
	}
	long := hippo.Entity{Name: strings.Repeat("x", hippo.MaxEntityName+1)}
	if err := long.Validate(); err == nil {
		t.Error("a name that is too long passes")
	}
	e := hippo.Entity{Name: " Ana  Petrova ", Aliases: []string{"", "Ana", " Ana ", "Ana Petrova"}}
	e.Normalise()
	if d := cmp.Diff(hippo.Entity{Name: "Ana Petrova", Aliases: []string{"Ana"}}, e); d != "" || e.Validate() != nil {
		t.Errorf("(-want +got):\n%s %v", d, e.Validate())
	}
}

func FuzzParseEntity(f *testing.F) {
	f.Add("Ana Petrova (person)\nAlso: Ana; A.\nShe runs.")
	f.Add(" (")
	f.Fuzz(func(t *testing.T, text string) {
		e := hippo.ParseEntity(text)
		e.Normalise()
		if e.Validate() != nil {
			return
		}
		got := hippo.ParseEntity(e.Content())
		got.Normalise()
		if d := cmp.Diff(e, got); d != "" {
			t.Errorf("%q as %q: (-want +got):\n%s", text, e.Content(), d)
		}
	})
}

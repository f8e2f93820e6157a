package codeindex_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// groups returns the names of what is related, by relation.
func groups(r *api.CodeRelated) map[string][]string {
	out := make(map[string][]string)
	for _, g := range r.Groups {
		for i := range g.Symbols {
			out[g.Relation] = append(out[g.Relation], g.Symbols[i].Name)
		}
		slices.Sort(out[g.Relation])
	}
	return out
}

func TestRelatedTo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tree")
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	r, err := codeindex.RelatedTo(t.Context(), tree, "Pool.Wait", codeindex.Filter{}, 0)
	if err != nil || len(r.Of) != 1 || !strings.Contains(r.Of[0].Doc, "queue is drained") {
		t.Fatalf("%+v, %v", r, err)
	}
	got := groups(r)
	if diff := cmp.Diff([]string{"New", "Server.Close", "start"}, got[codeindex.UsedBy]); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(got[codeindex.UsedWith], "helper") || slices.Contains(got[codeindex.Beside], "helper") || slices.Contains(got[codeindex.Similar], "Pool.Wait") {
		t.Errorf("each once, with the first relation: %v", got)
	}
	if r, err = codeindex.RelatedTo(t.Context(), tree, "pool/pool.go", codeindex.Filter{}, 1); err != nil || r.File != "pool/pool.go" || len(r.Of) != 0 || r.Groups[0].Relation != codeindex.UsedBy || r.Groups[0].More == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, g := range r.Groups {
		for _, d := range g.Symbols {
			if d.Path == "pool/pool.go" {
				t.Errorf("%s: %s is in the file itself", g.Relation, d.Name)
			}
		}
	}
	for of, want := range map[string]string{"": "is empty", "Pool.Wiat": "near are Pool.Wait", "pool/": "is a folder", "nothing at all": "nothing is called"} {
		if _, err := codeindex.RelatedTo(t.Context(), tree, of, codeindex.Filter{}, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", of, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if r, err = codeindex.RelatedTo(t.Context(), tree, "Pool.Wait", codeindex.Filter{}, 0); err != nil || r.Of[0].Freshness != api.CodeMissing || r.Of[0].Doc != "" || r.Groups[0].Symbols[0].Freshness != api.CodeMissing {
		t.Errorf("a tree that is gone: %+v, %v", r, err)
	}
}

func TestLibrary_Choose(t *testing.T) {
	t.Parallel()
	all, here := hippo.LocalScope(""), t.TempDir()
	l := library(t, t.TempDir())
	if _, err := l.Choose(&all, codeindex.Choice{}); !errors.Is(err, hippo.ErrNotFound) || !strings.Contains(err.Error(), "hippo code index") {
		t.Errorf("no tree: %v", err)
	}
	dirs := make(map[string]string)
	for _, name := range []string{"one", "two", "one/inner"} {
		dir := filepath.Join(here, name)
		write(t, dir, map[string]string{"a.md": "# A\n"})
		dirs[name] = add(t, l, dir).Root.Path
	}
	for _, c := range []struct {
		name   string
		scope  hippo.Scope
		choice codeindex.Choice
		want   string // of dirs, or part of the error
	}{
		{"several", all, codeindex.Choice{}, "root: several trees are indexed, name one: "},
		{"by folder", all, codeindex.Choice{Dir: filepath.Join(dirs["two"], "x")}, "two"},
		{"the innermost", all, codeindex.Choice{Dir: dirs["one/inner"]}, "one/inner"},
		{"by path", all, codeindex.Choice{Root: filepath.Join(dirs["one"], "a.md"), Dir: dirs["two"]}, "one"},
		{"by name", all, codeindex.Choice{Root: "inner"}, "one/inner"},
		{"outside", all, codeindex.Choice{Root: "/etc"}, "root: no indexed tree holds /etc"},
		{"not of the projects", hippo.Scope{Rights: hippo.RightRead, Projects: []string{"p"}}, codeindex.Choice{Dir: dirs["two"]}, "no source tree is indexed"},
		{"another tenant", hippo.Scope{Rights: hippo.AllRights, Namespace: "n"}, codeindex.Choice{Root: dirs["two"]}, "no source tree is indexed"},
		{"no right to read", hippo.Scope{Rights: hippo.RightWrite}, codeindex.Choice{Root: dirs["two"]}, "no source tree is indexed"},
	} {
		got, err := l.Choose(&c.scope, c.choice)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got.Root.Path != dirs[c.want] {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestRoot_Relative(t *testing.T) {
	t.Parallel()
	r := codeindex.Root{Path: filepath.Join(t.TempDir(), "tree")}
	for given, want := range map[string]string{
		"": "", "a/b.go": "a/b.go", "./a": "a", ".": ".", `a\b`: "a/b", filepath.Join(r.Path, "a"): "a", "a/../../x": "!", "/etc/passwd": "!", r.Path + "s/a": "!", "..": "!",
	} {
		got, err := r.Relative(given)
		if bad, ok := errors.AsType[*hippo.FieldError](err); ok != (want == "!") || ok && bad.Field != "path" || !ok && got != want {
			t.Errorf("%q: got %q, %v", given, got, err)
		}
	}
}

package codeindex_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// setProjects makes the roots that a folder has indexes of belong to projects, by the names of their folders.
func setProjects(t *testing.T, indexes string, projects map[string]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(indexes, "*", "root.json"))
	if err != nil || len(files) != len(projects) {
		t.Fatal(files, err)
	}
	for _, file := range files {
		var r codeindex.Root
		b, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(b, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Project = projects[filepath.Base(r.Path)]
		if b, err = json.Marshal(r); err == nil {
			err = os.WriteFile(file, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Of a project with several trees one takes part; those of no project all do.
func TestLibrary_OfProjects(t *testing.T) {
	t.Parallel()
	base, indexes := t.TempDir(), t.TempDir()
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	l := library(t, indexes)
	projects := map[string]string{"a": "p", "b": "p", "c": "q", "d": "", "e": ""}
	for name := range projects {
		dir := filepath.Join(base, name)
		write(t, dir, map[string]string{"x.md": "# X\n"})
		add(t, l, dir)
	}
	setProjects(t, indexes, projects)
	l = library(t, indexes)
	all, one := hippo.LocalScope(""), hippo.Scope{Rights: hippo.RightRead, Projects: []string{"p"}}
	for _, c := range []struct {
		name     string
		scope    hippo.Scope
		projects []string
		dir      string
		want     []string
	}{
		{"all", all, nil, "", []string{"a", "c", "d", "e"}},
		{"in the second tree", all, nil, filepath.Join(base, "b", "deep"), []string{"b", "c", "d", "e"}},
		{"one and none", all, []string{"p", ""}, "", []string{"a", "d", "e"}},
		{"unknown", all, []string{"r"}, "", nil},
		{"scope of one", one, nil, "", []string{"a"}},
		{"outside of the scope", one, []string{"q", ""}, "", nil},
		{"no right", hippo.Scope{}, nil, "", nil},
	} {
		trees, err := l.OfProjects(&c.scope, c.projects, c.dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range trees {
			got = append(got, filepath.Base(x.Root.Path))
		}
		if slices.Sort(got); !cmp.Equal(c.want, got) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// What another process says of the project of a tree counts in this one, too: a repository that got its first commit since it
// was indexed is no longer for those who may read what is of no project.
func TestProjectOf(t *testing.T) {
	t.Parallel()
	indexes, dir := t.TempDir(), filepath.Join(t.TempDir(), "a")
	write(t, dir, map[string]string{"x.md": "# X\n"})
	l := library(t, indexes)
	first := add(t, l, dir)
	of := func(project string) int {
		t.Helper()
		trees, err := l.Visible(&hippo.Scope{Rights: hippo.RightRead, Projects: []string{project}})
		if err != nil {
			t.Fatal(err)
		}
		return len(trees)
	}
	if codeindex.ProjectOf(first) != "" || of("") != 1 || of("p") != 0 {
		t.Fatalf("project %q, %d and %d trees", codeindex.ProjectOf(first), of(""), of("p"))
	}
	setProjects(t, indexes, map[string]string{"a": "p"})
	if of("") != 0 || of("p") != 1 || codeindex.ProjectOf(first) != "p" || first.Status(t.Context()).Project != "p" {
		t.Errorf("project %q, %d and %d trees", codeindex.ProjectOf(first), of(""), of("p"))
	}
}

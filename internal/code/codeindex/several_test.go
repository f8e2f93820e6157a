package codeindex_test

import (
	"context"
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

// workspace indexes folders of a new one, each with files, and returns the library and the folder.
func workspace(t *testing.T, folders map[string]map[string]string, projects map[string]string) (l *codeindex.Library, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	indexes := t.TempDir()
	l = library(t, indexes)
	for name, files := range folders {
		write(t, filepath.Join(dir, name), files)
		update(t, add(t, l, filepath.Join(dir, name)))
	}
	if projects != nil {
		setProjects(t, indexes, projects)
		l = library(t, indexes)
	}
	return l, dir
}

// In a folder above several trees all of them are meant, but for copies of the same code.
func TestLibrary_ChooseAll(t *testing.T) {
	t.Parallel()
	file := map[string]string{"a.md": "# A\n"}
	l, dir := workspace(t, map[string]map[string]string{
		"work/api": file, "work/web": file, "work/web/inner": file, "work/copy1": file, "work/copy2": file, "work/mono/a": file, "work/mono/b": file, "other/tool": file,
	}, map[string]string{"api": "x", "web": "", "inner": "", "copy1": "c", "copy2": "c", "a": "m", "b": "m", "tool": "t"})
	if err := os.MkdirAll(filepath.Join(dir, "work/mono/.git/objects"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n", "refs/heads/x": ""} {
		write(t, filepath.Join(dir, "work/mono/.git"), map[string]string{name: text})
	}
	all, own := hippo.LocalScope(""), hippo.LocalScope("x")
	for _, c := range []struct {
		name   string
		scope  hippo.Scope
		choice codeindex.Choice
		want   []string
	}{
		{"above several", all, codeindex.Choice{Dir: filepath.Join(dir, "work")}, []string{"work/api", "work/copy1", "work/mono/a", "work/mono/b", "work/web"}},
		{"above all", all, codeindex.Choice{Dir: dir}, []string{"other/tool", "work/api", "work/copy1", "work/mono/a", "work/mono/b", "work/web"}},
		{"above one", all, codeindex.Choice{Dir: filepath.Join(dir, "other")}, []string{"other/tool"}},
		{"in one", all, codeindex.Choice{Dir: filepath.Join(dir, "work/web/src")}, []string{"work/web"}},
		{"in an inner one", all, codeindex.Choice{Dir: filepath.Join(dir, "work/web/inner")}, []string{"work/web/inner"}},
		{"the current project", own, codeindex.Choice{Dir: filepath.Join(dir, "work")}, []string{"work/api"}},
		{"named", all, codeindex.Choice{Dir: dir, Root: "tool"}, []string{"other/tool"}},
		{"beside all", all, codeindex.Choice{Dir: filepath.Join(dir, "empty")}, nil},
		{"of no folder", all, codeindex.Choice{}, nil},
		{"not of the projects", hippo.Scope{Rights: hippo.RightRead, Projects: []string{"c", "t"}}, codeindex.Choice{Dir: dir}, []string{"other/tool", "work/copy1"}},
	} {
		trees, err := l.ChooseAll(&c.scope, c.choice)
		if bad, ok := errors.AsType[*hippo.FieldError](err); ok != (c.want == nil) || ok && bad.Field != "root" {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := rootsIn(dir, trees); !cmp.Equal(c.want, got) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if one, err := l.Choose(&c.scope, c.choice); (err == nil) != (len(c.want) == 1) || err == nil && one != trees[0] {
			t.Errorf("%s: one tree: %v, %v", c.name, one, err)
		}
	}
	trees, err := l.OfProjects(&all, []string{"m"}, filepath.Join(dir, "work"))
	if got := rootsIn(dir, trees); err != nil || !cmp.Equal([]string{"work/mono/a", "work/mono/b"}, got) {
		t.Errorf("parts of one project: %v, %v", got, err)
	}
}

// rootsIn are the roots of trees from a folder.
func rootsIn(dir string, trees []*codeindex.Tree) (out []string) {
	for _, x := range trees {
		out = append(out, strings.TrimPrefix(filepath.ToSlash(x.Root.Path), filepath.ToSlash(dir)+"/"))
	}
	return out
}

// The hits of several trees are in one order, and the answer names the trees and those that cannot be asked.
func TestSearchAll(t *testing.T) {
	t.Parallel()
	drain := "package p\n\n// Wait blocks until the queue is drained.\nfunc Wait() { helper() }\n\nfunc helper() {}\n"
	l, dir := workspace(t, map[string]map[string]string{
		"api": {"pool/pool.go": drain}, "web": {"queue.md": "# Queue\n\nIt is drained at night.\n"}, "doc": {"a.md": "# Holidays\n\nNobody works.\n"},
	}, nil)
	trees, err := l.Trees()
	if err != nil || len(trees) != 3 {
		t.Fatal(trees, err)
	}
	q := codeindex.Query{Text: "until the queue is drained", Count: 3}
	a, err := codeindex.SearchAll(t.Context(), trees, dir, q)
	if err != nil || !a.Several || len(a.Hits) != 2 || !slices.Equal(a.Notes, []string{"source trees asked: api, doc, web"}) {
		t.Fatalf("%+v, %v", a, err)
	}
	if got := codeindex.PlaceOf(a, &a.Hits[0], dir); got != "api/pool/pool.go" || !slices.IsSortedFunc(a.Hits, func(x, y api.CodeHit) int { return int(1e6 * (y.Relevance - x.Relevance)) }) {
		t.Errorf("%s: %+v", got, a.Hits)
	}
	if got := codeindex.PlaceOf(a, &a.Hits[0], filepath.Join(dir, "doc")); got != filepath.ToSlash(filepath.Join(a.Hits[0].Root, a.Hits[0].Path)) {
		t.Errorf("from elsewhere: %s", got)
	}
	total := 0
	for _, x := range trees {
		one, err := codeindex.SearchAll(t.Context(), []*codeindex.Tree{x}, dir, q)
		if err != nil || one.Several || one.Confidence > a.Confidence || codeindex.PlaceOf(one, &api.CodeHit{Path: "x"}, dir) != "x" {
			t.Fatalf("%+v, %v", one, err)
		}
		total += one.Total
	}
	if a.Total != total {
		t.Errorf("%d of %d in all", a.Total, total)
	}
	q.Language = "go"
	if a, err = codeindex.SearchAll(t.Context(), trees, dir, q); err != nil || len(a.Hits) == 0 || a.Notes[0] != "source trees asked: api" || !strings.Contains(strings.Join(a.Notes, "\n"), "web was not asked: ") {
		t.Errorf("%+v, %v", a, err)
	}
	q.Language = "cobol"
	if _, err = codeindex.SearchAll(t.Context(), trees, dir, q); hippo.CodeOf(err) != hippo.CodeInvalid {
		t.Errorf("of no tree: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err = codeindex.SearchAll(ended, trees, dir, q); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}

// No more than a number of trees are asked.
func TestSearchAll_most(t *testing.T) {
	t.Parallel()
	l, dir := workspace(t, map[string]map[string]string{"api": {"a.md": "# A\n"}}, nil)
	trees, err := l.Trees()
	if err != nil {
		t.Fatal(err)
	}
	trees = slices.Repeat(trees, codeindex.MaxTrees+2)
	a, err := codeindex.SearchAll(t.Context(), trees, dir, codeindex.Query{Text: "a"})
	if err != nil || len(a.Notes) != 2 || !strings.HasPrefix(a.Notes[1], "2 more source trees were not asked") {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestTreeAt(t *testing.T) {
	t.Parallel()
	file := map[string]string{"a.md": "# A\n"}
	l, dir := workspace(t, map[string]map[string]string{"api": file, "web": file}, nil)
	trees, err := l.Trees()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"api/a.md": "api", "./web": "web", filepath.Join(dir, "web/x"): "web", "api2": "", "": "", "wait until": "", "..": ""} {
		got := ""
		if x := codeindex.TreeAt(trees, dir, path); x != nil {
			got = filepath.Base(x.Root.Path)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

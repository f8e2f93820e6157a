package codeindex_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// walked returns the links of a walk as FROM USE TO, sorted.
func walked(t *testing.T, tree *codeindex.Tree, q api.CodeWalk) []string {
	t.Helper()
	w, err := codeindex.Neighbours(t.Context(), tree, &q)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]string, len(w.Links))
	for i, l := range w.Links {
		list[i] = fmt.Sprintf("%s %s %s", l.From.Key, l.Use, l.To.Key)
	}
	slices.Sort(list)
	return list
}

// A walk has every link between the definitions that it found, and which way it leads.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tree")
	write(t, dir, map[string]string{
		"a.go": "package a\n\ntype Box struct{ n int }\n\nfunc (b *Box) Open() { look(b) }\n\nfunc look(b *Box) { look(b) }\n",
		"b.go": "package a\n\nfunc first() { second() }\n\nfunc second() { (&Box{}).Open() }\n",
	})
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	at := func(path, key string) api.CodeRef { return api.CodeRef{Path: path, Key: key} }
	for _, tc := range []struct {
		name string
		ask  api.CodeWalk
		want []string
	}{
		{"callers", api.CodeWalk{Start: at("a.go", "Box.Open"), Depth: 1, In: true, Calls: true}, []string{"second call Box.Open"}},
		{"callers of callers", api.CodeWalk{Start: at("", "Box.Open"), Depth: 2, In: true, Calls: true}, []string{"first call second", "second call Box.Open"}},
		{"what calls itself", api.CodeWalk{Start: at("a.go", "Box.Open"), Depth: 2, Out: true, Calls: true}, []string{"Box.Open call look", "look call look"}},
		{"what it holds", api.CodeWalk{Start: at("a.go", "Box"), Depth: 1, Out: true}, []string{"Box contains Box.Open", "Box contains Box.n"}},
		{"what uses it", api.CodeWalk{Start: at("a.go", "look"), Depth: 1, In: true, Out: true}, []string{"Box.Open call look", "look call look", "look read Box"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, walked(t, tree, tc.ask)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A walk has bounds, says what they left out, and where it ended.
func TestNeighbours_Bounds(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("package a\n\nfunc hub() {}\n")
	for i := range 60 {
		fmt.Fprintf(&text, "\nfunc caller%02d() { hub() }\n", i)
	}
	dir := filepath.Join(t.TempDir(), "tree")
	write(t, dir, map[string]string{"a.go": text.String()})
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	w, err := codeindex.Neighbours(t.Context(), tree, &api.CodeWalk{Start: api.CodeRef{Key: "hub"}, Depth: 1, In: true, Calls: true})
	if err != nil || len(w.Of) != 1 || len(w.Found) != 50 || len(w.Links) != 50 || w.Left != 10 || len(w.Frontier) != 50 || w.Frontier[0] != (api.CodeRef{Path: "a.go", Key: "caller00"}) {
		t.Fatalf("%+v, %v", w, err)
	}
	for name, tc := range map[string]struct {
		ask  api.CodeWalk
		want error
	}{
		"no depth": {api.CodeWalk{Start: api.CodeRef{Key: "hub"}}, hippo.ErrInvalid},
		"too deep": {api.CodeWalk{Start: api.CodeRef{Key: "hub"}, Depth: 6}, hippo.ErrInvalid},
		"no file":  {api.CodeWalk{Start: api.CodeRef{Path: "b.go", Key: "hub"}, Depth: 1}, hippo.ErrNotFound},
		"no key":   {api.CodeWalk{Start: api.CodeRef{Path: "a.go", Key: "hub~2"}, Depth: 1}, hippo.ErrNotFound},
		"no name":  {api.CodeWalk{Start: api.CodeRef{Key: "nobody"}, Depth: 1}, hippo.ErrNotFound},
	} {
		if _, err := codeindex.Neighbours(t.Context(), tree, &tc.ask); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", name, err, tc.want)
		}
	}
}

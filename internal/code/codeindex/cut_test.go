package codeindex_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

// A catalog that was cut within its first update is refused like a damaged one, and the next update makes it again.
func TestTree_cutCatalog(t *testing.T) {
	t.Parallel()
	cache, dir := t.TempDir(), t.TempDir()
	write(t, dir, small())
	first := codeindex.NewLibrary(config(t, cache))
	update(t, add(t, first, dir))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for _, share := range []int64{2, 4, 40} {
		files, err := filepath.Glob(filepath.Join(cache, "*", "*", "catalog"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%q, %v", files, err)
		}
		info, err := os.Stat(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(files[0], info.Size()/share); err != nil {
			t.Fatal(err)
		}
		l := codeindex.NewLibrary(config(t, cache))
		tree := add(t, l, dir)
		if a, err := tree.Search(t.Context(), codeindex.Query{Text: "queue drained"}); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("cut to 1/%d: %+v, %v: want that it is damaged", share, a, err)
		}
		update(t, tree)
		if a, err := tree.Search(t.Context(), codeindex.Query{Text: "queue drained"}); err != nil || len(a.Hits) == 0 {
			t.Errorf("cut to 1/%d, after an update: %+v, %v: want hits", share, a, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// twice makes a tree with two updates, and returns the file of its catalog and where the first of them ends.
func twice(t *testing.T) (cache, dir, file string, first int64) {
	t.Helper()
	cache, dir = t.TempDir(), t.TempDir()
	write(t, dir, small())
	l := codeindex.NewLibrary(config(t, cache))
	tree := add(t, l, dir)
	update(t, tree)
	files, err := filepath.Glob(filepath.Join(cache, "*", "*", "catalog"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	first = size(t, files[0])
	write(t, dir, map[string]string{"heron.go": "package m\n\n// Heron stands in the water.\nfunc Heron() {}\n"})
	update(t, tree)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return cache, dir, files[0], first
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// wantDamage fails unless every answer about a tree, and its status, say that it is damaged, or none does.
func wantDamage(t *testing.T, tree *codeindex.Tree, want bool) {
	t.Helper()
	a, err := tree.Search(t.Context(), codeindex.Query{Text: "heron in the water"})
	if err != nil {
		t.Fatal(err)
	}
	degraded := func(list ...string) bool {
		return slices.ContainsFunc(list, func(n string) bool { return strings.HasPrefix(n, "degraded: the index is damaged") })
	}
	s := tree.Status(t.Context())
	if degraded(a.Notes...) != want || degraded(codeindex.Notes(tree)...) != want || degraded(s.Problem) != want || s.Problem != "" != want {
		t.Errorf("damaged: %t; the search says %q, others %q, the status %q", want, a.Notes, codeindex.Notes(tree), s.Problem)
	}
	if found := slices.ContainsFunc(a.Hits, func(h api.CodeHit) bool { return h.Name == "Heron" }); found == want {
		t.Errorf("damaged: %t; found what the lost update had: %t", want, found)
	}
}

// A catalog that was cut within a later update answers from the state before it and reports the damage. The next update repairs it.
func TestTree_cutLaterUpdate(t *testing.T) {
	t.Parallel()
	cache, dir, file, first := twice(t)
	for _, share := range []int64{1, 50, 95, 99} {
		end := size(t, file)
		if err := os.Truncate(file, first+max(1, (end-first)*share/100)); err != nil {
			t.Fatal(err)
		}
		l := codeindex.NewLibrary(config(t, cache))
		tree := add(t, l, dir)
		wantDamage(t, tree, true)
		update(t, tree)
		wantDamage(t, tree, false)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Bytes behind the last update that are not an update themselves are removed by the next update, even if no file has changed.
func TestTree_dirtTail(t *testing.T) {
	t.Parallel()
	cache, dir, file, _ := twice(t)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("dirt")
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	tree := add(t, library(t, cache), dir)
	if notes := codeindex.Notes(tree); len(notes) > 0 {
		t.Errorf("before it is opened: %q", notes)
	}
	if s := tree.Status(t.Context()); !strings.HasPrefix(s.Problem, "degraded") {
		t.Errorf("the status says %q", s.Problem)
	}
	update(t, tree)
	wantDamage(t, tree, false)
}

// If a catalog is cut while a process has it open, the next update of that process repairs it. A hole in the file would lose
// everything behind it.
func TestTree_cutWhileOpen(t *testing.T) {
	t.Parallel()
	cache, dir, file, first := twice(t)
	tree := add(t, library(t, cache), dir)
	wantDamage(t, tree, false)
	if err := os.Truncate(file, first+1); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"egret.go": "package m\n\n// Egret is white.\nfunc Egret() {}\n"})
	update(t, tree)
	wantDamage(t, tree, false)
	other := add(t, library(t, cache), dir)
	wantDamage(t, other, false)
	if got := found(t, other, codeindex.Query{Text: "Egret"}); len(got) == 0 {
		t.Error("another process does not find what was written after the cut")
	}
}

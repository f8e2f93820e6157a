package codeindex_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/code/codeindex"
)

func TestLibrary_Defined(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{
		"a/one.go": "package a\n\ntype One struct{ size int }\n\nfunc (o *One) Grow() {}\n", "a/b/two.go": "package b\n\nfunc Two() {}\n", "top.go": "package top\n\nfunc Top() {}\n",
		"notes.md": "# Heading\n\nText.\n",
	})
	l := library(t, cache)
	tree := add(t, l, filepath.Join(dir, "a"))
	update(t, tree)
	fresh := codeindex.NewLibrary(codeindex.Config{Dir: cache})
	for name, c := range map[string]struct {
		files, want []string
	}{
		"in turn":    {[]string{"a/one.go", "a/b/two.go"}, []string{"one.go.One", "b.Two", "one.go.One.Grow", "one.go.One.size"}},
		"no index":   {[]string{"top.go", "notes.md"}, nil},
		"not there":  {[]string{"a/gone.go", "../x.go"}, nil},
		"a repeated": {[]string{"a/b/two.go", "a/b/two.go"}, []string{"b.Two"}},
		"none":       {nil, nil},
	} {
		if d := cmp.Diff(c.want, fresh.Defined(dir, c.files)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	update(t, add(t, l, dir))
	if d := cmp.Diff([]string{"top.go.Top", "b.Two"}, fresh.Defined(dir, []string{"a/b/two.go", "top.go", "notes.md"})); d != "" {
		t.Errorf("two trees (-want +got):\n%s", d)
	}
	catalogs, err := filepath.Glob(filepath.Join(cache, "*", "g1", "catalog"))
	if err != nil || len(catalogs) != 2 {
		t.Fatal(catalogs, err)
	}
	for _, path := range catalogs {
		if err := os.WriteFile(path, []byte("no catalog"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := fresh.Defined(dir, []string{"a/one.go"}); got != nil {
		t.Errorf("an index that cannot be read: %q", got)
	}
}

func TestTouched(t *testing.T) {
	t.Parallel()
	x := codeindex.NewTouched([]string{"pool/pool.go", "README.md"}, []string{"pool.Pool", "pool.Pool.Wait", "pool.helper", "main.go.parse_config"})
	for text, want := range map[string]bool{
		"Pool.Wait blocks":                true,
		"call pool.Pool.Wait twice":       true,
		"Other.Wait blocks":               false,
		"we wait for the Pool":            false, // plain words
		"`helper` is slow":                true,
		"helper() is slow":                true,
		"see pool.go":                     true,
		"see pool/pool.go, line 3":        true,
		"see other/pool.go":               false,
		"whirlpool.go":                    false,
		"parse_config reads README.md":    true,
		"parse_configs":                   false,
		"Pool::Wait and Pool#Wait differ": true,
		"":                                false,
	} {
		if got := x.In(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	if codeindex.NewTouched(nil, nil).In("Pool.Wait in pool.go") {
		t.Error("nothing is touched")
	}
}

package codeindex_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// freshness returns what the answers say of pool/pool.go, by question.
func freshness(t *testing.T, tree *codeindex.Tree) map[string]api.Freshness {
	t.Helper()
	out := make(map[string]api.Freshness)
	list, err := tree.Symbols(t.Context(), "Pool.Wait", codeindex.Filter{}, 0, false)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	out["symbol"] = list[0].Freshness
	if list, err = tree.Outline(t.Context(), "pool/pool.go"); err != nil {
		t.Fatal(err)
	}
	out["outline"] = list[len(list)-1].Freshness
	callers, err := tree.Callers(t.Context(), "helper", codeindex.Filter{}, 0, true)
	if err != nil || len(callers.Edges) != 1 {
		t.Fatalf("%+v, %v", callers, err)
	}
	out["called"], out["callers"] = callers.Of[0].Freshness, callers.Edges[0].Freshness
	callees, err := tree.Callees(t.Context(), "Server.Close", codeindex.Filter{}, 0, true)
	if err != nil || len(callees.Edges) != 1 {
		t.Fatalf("%+v, %v", callees, err)
	}
	out["callees"] = callees.Edges[0].Freshness
	m, err := tree.Map(t.Context(), codeindex.Filter{Path: "pool"}, 0)
	if err != nil || len(m.Files) != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	out["map"] = m.Files[0].Freshness
	if stale := m.Files[0].Freshness; strings.Contains(m.Text, "since it was indexed") != (stale != api.CodeFresh) || m.Files[0].Symbols[0].Freshness != stale {
		t.Errorf("%q: %+v", m.Text, m)
	}
	return out
}

// Every answer says of the files that it shows whether they are what was indexed.
func TestTree_answers_stale(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tree")
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	check := func(want api.Freshness) {
		t.Helper()
		for question, got := range freshness(t, tree) {
			if got != want {
				t.Errorf("%s: got %q, want %q", question, got, want)
			}
		}
	}
	check(api.CodeFresh)
	write(t, dir, map[string]string{"pool/pool.go": "package pool\n"})
	check(api.CodeChanged)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	check(api.CodeMissing)
}

// No definition of a name is left out because there are many.
func TestTree_Callers_many(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const packages = 150
	files := make(map[string]string)
	for i := range packages {
		files[fmt.Sprintf("p%03d/a.go", i)] = fmt.Sprintf("package p%03d\n\ntype T struct{}\n\nfunc (t T) Walk() {}\n\nfunc Run() {}\n\nfunc use() { Run() }\n", i)
	}
	files["q/q.go"] = "package q\n\nfunc guess(queue chan any) {\n\tx := <-queue\n\tx.Walk()\n}\n"
	write(t, dir, files)
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	callers, err := tree.Callers(t.Context(), "Run", codeindex.Filter{}, codeindex.MaxCount, true)
	if err != nil || len(callers.Edges) != codeindex.MaxCount || callers.More != packages-codeindex.MaxCount || callers.MoreOf != packages-codeindex.MaxCount {
		t.Errorf("%d edges, %d more, %d more of the name, %v", len(callers.Edges), callers.More, callers.MoreOf, err)
	}
	callers, err = tree.Callers(t.Context(), "Walk", codeindex.Filter{Path: "p149"}, 0, true)
	if err != nil || len(callers.Edges) != 1 || callers.Edges[0].Name != "guess" || callers.Edges[0].Candidates != packages {
		t.Errorf("%+v, %v", callers, err)
	}
}

// A definition that refers to another one several times is reported with the reference that is surest.
func TestTree_Callers_surest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a/a.go": "package a\n\ntype T struct{}\n\nfunc (t T) Run() {}\n\nfunc use(x any, t T) {\n\tx.Run()\n\tt.Run()\n}\n"})
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	for what, ask := range map[string]func(context.Context, string, codeindex.Filter, int, bool) (*api.CodeEdges, error){"Run": tree.Callers, "use": tree.Callees} {
		e, err := ask(t.Context(), what, codeindex.Filter{}, 0, true)
		if err != nil || len(e.Edges) != 1 || !e.Edges[0].Sure || e.Edges[0].Line != 9 {
			t.Errorf("%s: %+v, %v", what, e, err)
		}
	}
}

// topParser gives no symbol to the references of variables: they are at the top of the file.
type topParser struct{ goParser }

func (p topParser) Parse(ctx context.Context, language string, src []byte) (syntax.File, error) {
	f, err := p.goParser.Parse(ctx, language, src)
	for i := range f.References {
		if r := &f.References[i]; r.In >= 0 && f.Symbols[r.In].Kind == syntax.Variable {
			r.In = -1
		}
	}
	return f, err
}

func TestTree_Map_top(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.go": "package a\n\nfunc last() int { return 1 }\n", "b.go": "package a\n\nvar one = last()\n"})
	c := config(t, t.TempDir())
	c.Parser = topParser{}
	l := opened(t, c)
	tree := add(t, l, dir)
	update(t, tree)
	m, err := tree.Map(t.Context(), codeindex.Filter{}, 0)
	if err != nil || m.Files[0].Path != "a.go" || m.Files[0].References != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// The dot of a hidden folder belongs to its name.
func TestTree_Search_hidden(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{".hippoignore": "!.github/\n", ".github/ci.md": "# Checks\n\nAll of them run.\n"})
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	for _, path := range []string{".github", "./.github", ".github/ci.md", "."} {
		if got := first(found(t, tree, codeindex.Query{Text: "checks", Filter: codeindex.Filter{Path: path}})); got != ".github/ci.md:1 Checks" {
			t.Errorf("%s: got %q", path, got)
		}
	}
}

// Pages of definitions follow one another, and say how many there are.
func TestSymbolPage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tree")
	write(t, dir, map[string]string{"a.go": "package a\n\nfunc run() {}\n\nfunc runA() {}\n\nfunc runB() {}\n"})
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	for offset, want := range map[int][]string{0: {"run", "runA"}, 2: {"runB"}, 9: {}} {
		page, total, err := codeindex.SymbolPage(t.Context(), tree, "run", codeindex.Filter{}, offset, 2)
		got := make([]string, len(page))
		for i := range page {
			got[i] = page[i].Name
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil || total != 3 {
			t.Errorf("from %d: %d, %v\n%s", offset, total, err, diff)
		}
	}
	if _, _, err := codeindex.SymbolPage(t.Context(), tree, " ", codeindex.Filter{}, 0, 2); hippo.CodeOf(err) != hippo.CodeInvalid {
		t.Errorf("no name: %v", err)
	}
}

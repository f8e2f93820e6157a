package codeindex_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/models"
)

// later is a clock that is far behind the times of files, so that these say whether a file has changed.
func later() time.Time { return time.Now().Add(time.Hour) }

func weights() *rank.Weights {
	w := rank.DefaultWeights()
	return &w
}

func config(t testing.TB, dir string) codeindex.Config {
	t.Helper()
	own, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := static.OpenWithCode(own, models.Code())
	if err != nil {
		t.Fatal(err)
	}
	return codeindex.Config{Dir: dir, Parser: goParser{}, Model: static.Functions{WithCode: tokens}, Tokens: tokens, Weights: weights(), Now: later}
}

func library(t testing.TB, dir string) *codeindex.Library {
	t.Helper()
	return opened(t, config(t, dir))
}

// opened returns a library that the test closes.
func opened(t testing.TB, c codeindex.Config) *codeindex.Library {
	t.Helper()
	l := codeindex.NewLibrary(c)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func add(t testing.TB, l *codeindex.Library, dir string) *codeindex.Tree {
	t.Helper()
	tree, err := l.Add(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func update(t testing.TB, tree *codeindex.Tree) *codeindex.Report {
	t.Helper()
	r, err := tree.Update(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found returns the places and names of the hits of a search.
func found(t testing.TB, tree *codeindex.Tree, q codeindex.Query) (list []string) {
	t.Helper()
	a, err := tree.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range a.Hits {
		list = append(list, fmt.Sprintf("%s:%d %s", h.Path, h.First, h.Name))
	}
	return list
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func small() map[string]string {
	return map[string]string{
		"go.mod": "module example.org/m\n",
		"server/server.go": `package server

import (
	"errors"

	"example.org/m/pool"
)

// Server answers requests.
type Server struct {
	workers *pool.Pool
}

// Close waits until all workers have finished.
func (s *Server) Close() error {
	s.workers.Wait()
	return errors.New("closed")
}

func start(p *pool.Pool) *Server {
	p.Wait()
	return &Server{workers: p}
}
`,
		"pool/pool.go": `package pool

import "sync"

// Pool runs jobs at the same time.
type Pool struct{ group sync.WaitGroup }

// Wait blocks until the queue is drained.
func (p *Pool) Wait() { p.group.Wait() }

// New makes a pool and waits for it.
func New() *Pool {
	p := &Pool{}
	p.Wait()
	helper()
	return p
}

func helper() {}
`,
		"README.md": "# About\n\nIt keeps the gateway alive.\n\n## Install\n\nRun the installer with care.\n",
	}
}

func TestTree_Search(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	if _, err := tree.Search(t.Context(), codeindex.Query{Text: "x"}); !errors.Is(err, hippo.ErrNotFound) || !strings.Contains(err.Error(), "hippo code index") {
		t.Errorf("before the first update: %v", err)
	}
	r := update(t, tree)
	if r.Files != 4 || r.Parsed != 4 || r.Symbols != 11 {
		t.Errorf("report %+v", r)
	}
	for query, want := range map[codeindex.Query]string{
		{Text: "wait until all workers have finished"}: "server/server.go:14 Server.Close",
		{Text: "queue drained"}:                        "pool/pool.go:8 Pool.Wait",
		{Text: "installer"}:                            "README.md:5 About.Install",
		{Text: "helper"}:                               "pool/pool.go:19 helper",
		{Text: "wait", Filter: codeindex.Filter{Path: "server", Kind: "method"}}:       "server/server.go:14 Server.Close",
		{Text: "wait", Filter: codeindex.Filter{Path: "pool/pool.go", Kind: "struct"}}: "",
		{Text: "gateway", Filter: codeindex.Filter{Language: "markdown"}}:              "README.md:1 About",
		{Text: "gateway", Filter: codeindex.Filter{Language: "go"}}:                    "",
	} {
		if got := first(found(t, tree, query)); got != want && (want != "" || strings.Contains(got, "README")) {
			t.Errorf("%+v: got %q, want %q", query, got, want)
		}
	}
	a, err := tree.Search(t.Context(), codeindex.Query{Text: "queue drained", Count: 1})
	if err != nil || len(a.Hits) != 1 || a.Hits[0].Signature != "func (p *Pool) Wait()" || !strings.Contains(a.Hits[0].Text, "p.group.Wait()") || a.Hits[0].Kind != "method" {
		t.Errorf("%+v, %v", a, err)
	}
	a, err = tree.Search(t.Context(), codeindex.Query{Text: "queue drained " + strings.Repeat("job ", hippo.MaxQuery)})
	if err != nil || len(a.Hits) == 0 || len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0], "only the first 81") {
		t.Errorf("a long query: %+v, %v", a, err)
	}
	for _, q := range []codeindex.Query{{}, {Text: " "}, {Text: "x", Count: -1}, {Text: "x", Count: codeindex.MaxCount + 1}} {
		if _, err := tree.Search(t.Context(), q); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func TestTree_Search_stale(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	write(t, dir, map[string]string{"pool/pool.go": "package pool\n"})
	if err := os.Remove(filepath.Join(dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]api.Freshness{"queue drained": api.CodeChanged, "installer": api.CodeMissing, "wait until all workers have finished": api.CodeFresh} {
		a, err := tree.Search(t.Context(), codeindex.Query{Text: text, Count: 1})
		if err != nil || len(a.Hits) != 1 || a.Hits[0].Freshness != want || (a.Hits[0].Text == "") != (want != api.CodeFresh) {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
	if r := update(t, tree); r.Parsed != 1 || r.Removed != 1 || r.Unchanged != 2 {
		t.Errorf("report %+v", r)
	}
	if got := found(t, tree, codeindex.Query{Text: "queue drained installer"}); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "README") || strings.Contains(s, "Wait") }) {
		t.Errorf("found what is gone: %v", got)
	}
}

func TestTree_Symbols(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	for name, want := range map[string]string{
		"Server": "Server", "Close": "Server.Close", "Server.Close": "Server.Close", "server.Server": "Server", "pool.New": "New", "close": "Server.Close", "Serv": "Server", "helpr": "helper", "Sevrer": "Server", "Pool.Close": "",
		"nothing": "", "ool": "Pool",
	} {
		list, err := tree.Symbols(t.Context(), name, codeindex.Filter{}, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(list) > 0 {
			got = list[0].Name
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	list, err := tree.Symbols(t.Context(), "Pool.Wait", codeindex.Filter{}, 0, true)
	if err != nil || len(list) != 1 || list[0].Doc != "// Wait blocks until the queue is drained." || list[0].Text != "func (p *Pool) Wait() { p.group.Wait() }" || list[0].First != 9 {
		t.Errorf("%+v, %v", list, err)
	}
	outline, err := tree.Outline(t.Context(), "pool/pool.go")
	if err != nil || len(outline) != 5 || outline[1].Key != "Pool.group" || outline[2].Key != "Pool.Wait" {
		t.Errorf("%+v, %v", outline, err)
	}
	if _, err := tree.Outline(t.Context(), "missing.go"); !errors.Is(err, hippo.ErrNotFound) {
		t.Error(err)
	}
}

func names(e *api.CodeEdges) (list []string) {
	for _, x := range e.Edges {
		list = append(list, fmt.Sprintf("%s:%d %s", x.Path, x.Line, x.Name))
	}
	return list
}

func TestTree_Callers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	callers, err := tree.Callers(t.Context(), "Pool.Wait", codeindex.Filter{}, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	got := names(callers)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"pool/pool.go:14 New", "server/server.go:16 Server.Close", "server/server.go:21 start"}, got); diff != "" {
		t.Error(diff)
	}
	callees, err := tree.Callees(t.Context(), "pool.New", codeindex.Filter{}, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	got = names(callees)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"pool/pool.go:14 Pool.Wait", "pool/pool.go:15 helper"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := tree.Callers(t.Context(), "Nothing", codeindex.Filter{}, 0, true); !errors.Is(err, hippo.ErrNotFound) {
		t.Error(err)
	}
	m, err := tree.Map(t.Context(), codeindex.Filter{}, 0)
	if err != nil || len(m.Files) != 2 || m.Files[0].Path != "pool/pool.go" || !strings.Contains(m.Text, "func (p *Pool) Wait()") {
		t.Errorf("%+v, %v", m, err)
	}
	if tiny, err := tree.Map(t.Context(), codeindex.Filter{}, codeindex.MinMapTokens); err != nil || tiny.Tokens > codeindex.MinMapTokens {
		t.Errorf("%+v, %v", tiny, err)
	}
	if _, err := tree.Map(t.Context(), codeindex.Filter{}, 1); !errors.Is(err, hippo.ErrInvalid) {
		t.Error(err)
	}
}

// Two repositories of one name, and two working trees of one repository, are different roots.
func TestLibrary_roots(t *testing.T) {
	t.Parallel()
	cache, one, two := t.TempDir(), filepath.Join(t.TempDir(), "repo"), filepath.Join(t.TempDir(), "repo")
	write(t, one, map[string]string{"a.go": "package a\n\nfunc First() {}\n", "sub/b.go": "package b\n"})
	write(t, two, map[string]string{"a.go": "package a\n\nfunc Second() {}\n"})
	l := library(t, cache)
	for _, dir := range []string{one, two} {
		update(t, add(t, l, dir))
	}
	roots, err := l.Roots()
	if err != nil || len(roots) != 2 {
		t.Fatalf("%v, %v", roots, err)
	}
	tree, err := l.Holding(filepath.Join(one, "sub", "b.go"))
	if err != nil || first(found(t, tree, codeindex.Query{Text: "First"})) != "a.go:1 First" && first(found(t, tree, codeindex.Query{Text: "First"})) != "a.go:3 First" {
		t.Errorf("%v, %v", found(t, tree, codeindex.Query{Text: "First"}), err)
	}
	if _, err := l.Holding(os.TempDir()); !errors.Is(err, hippo.ErrNotFound) || !strings.Contains(err.Error(), "hippo code index") {
		t.Error(err)
	}
	if _, err := l.Forget(t.Context(), filepath.Join(one, "sub")); !errors.Is(err, hippo.ErrNotFound) {
		t.Error(err)
	}
	if _, err := l.Forget(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if roots, err = l.Roots(); err != nil || len(roots) != 1 {
		t.Errorf("%v, %v", roots, err)
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	for _, bad := range []string{filepath.Join(one, "missing"), filepath.Join(two, "a.go")} {
		if _, err := l.Add(t.Context(), bad); err == nil {
			t.Errorf("%s: want an error", bad)
		}
	}
}

func TestTree_Update_root_deleted(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tree")
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	write(t, dir, map[string]string{"late.go": "package late\n"})
	_, err := tree.Update(t.Context(), &codeindex.UpdateOptions{Progress: func(p api.CodeProgress) {
		if p.Phase == api.CodeParsing {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		}
	}})
	if !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("deleted meanwhile: %v", err)
	}
	if _, err := tree.Update(t.Context(), nil); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("deleted before: %v", err)
	}
	a, err := tree.Search(t.Context(), codeindex.Query{Text: "queue drained"})
	if err != nil || len(a.Hits) == 0 || a.Hits[0].Freshness != api.CodeMissing || len(a.Notes) == 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if s := tree.Status(t.Context()); s.Problem == "" || s.Files != 4 {
		t.Errorf("%+v", s)
	}
}

func TestTree_Update_canceled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	tree := add(t, library(t, t.TempDir()), dir)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := tree.Update(ctx, &codeindex.UpdateOptions{Progress: func(p api.CodeProgress) {
		if p.Phase == api.CodeParsing {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := tree.Search(t.Context(), codeindex.Query{Text: "x"}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("half an index answers: %v", err)
	}
	update(t, tree)
}

func TestTree_Skips(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.go": "package a\n", "made.go": "// Code generated by x. DO NOT EDIT.\n\npackage a\n", ".gitignore": "b.go\n", "b.go": "package a\n", "bin.go": "\x00\x01"})
	tree := add(t, library(t, t.TempDir()), dir)
	for range 2 { // the second one remembers why files were left out
		r := update(t, tree)
		got := make(map[string]walk.Reason)
		for _, s := range r.Skips {
			got[s.Path] = s.Reason
		}
		want := map[string]walk.Reason{"made.go": walk.Generated, "bin.go": walk.Binary, ".gitignore": walk.Hidden, "b.go": walk.Ignored}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := tree.Outline(t.Context(), "made.go"); !errors.Is(err, hippo.ErrNotFound) || !strings.Contains(err.Error(), "generated") {
		t.Error(err)
	}
}

// Any sequence of edits leaves an index that answers as one that is built from nothing.
func TestTree_Update_random(t *testing.T) {
	t.Parallel()
	base := config(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "tree")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		base.Dir = filepath.Join(dir, "cache")
		root := filepath.Join(dir, "root")
		if err := os.MkdirAll(root, 0o700); err != nil {
			t.Fatal(err)
		}
		l := codeindex.NewLibrary(base)
		defer l.Close() //nolint:errcheck // a test
		tree, err := l.Add(context.Background(), root)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 6).Draw(t, "updates") {
			for range rapid.IntRange(1, 3).Draw(t, "edits") {
				edit(t, root)
			}
			if _, err := tree.Update(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}
		base.Dir = filepath.Join(dir, "fresh")
		other := codeindex.NewLibrary(base)
		defer other.Close() //nolint:errcheck // a test
		fresh, err := other.Add(context.Background(), root)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fresh.Update(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"alpha", "waits for the queue", "common"} {
			a, err := tree.Search(context.Background(), codeindex.Query{Text: text, Count: 50})
			if err != nil {
				t.Fatal(err)
			}
			b, err := fresh.Search(context.Background(), codeindex.Query{Text: text, Count: 50})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(b, a); diff != "" {
				t.Fatalf("%s: %s", text, diff)
			}
		}
	})
}

// edit writes or deletes a file.
func edit(t *rapid.T, root string) {
	name := filepath.Join(root, rapid.SampledFrom([]string{"a.go", "b.go", "c.md"}).Draw(t, "name"))
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"alpha", "beta", "gamma", "delta"}), 0, 4).Draw(t, "parts")
	if len(parts) == 0 {
		_ = os.Remove(name) // it may not be there
		return
	}
	text := "package p\n"
	for _, p := range parts {
		text += fmt.Sprintf("\n// %s waits for the queue.\nfunc %s() { common(%q) }\n", p, p, rapid.SampledFrom([]string{"x", "y"}).Draw(t, "body"))
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

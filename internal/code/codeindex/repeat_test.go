package codeindex_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// A file that differs when the words are rebuilt has its chunks again when its content is back.
func TestTree_Update_content_returns(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]time.Duration{"same time": 0, "later": time.Second} {
		t.Run(name, func(t *testing.T) { t.Parallel(); contentReturns(t, later) })
	}
}

// contentReturns has a file come back with a time that is so much later.
func contentReturns(t *testing.T, later time.Duration) {
	t.Helper()
	dir, cache := t.TempDir(), t.TempDir()
	write(t, dir, small())
	l := library(t, cache)
	tree := add(t, l, dir)
	update(t, tree)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pool", "pool.go")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"pool/pool.go": "package pool\n"})
	words, err := filepath.Glob(filepath.Join(cache, "*", "*", "words*"))
	if err != nil || len(words) == 0 {
		t.Fatalf("no words in %s: %v", cache, err)
	}
	for _, w := range words {
		if err := os.RemoveAll(w); err != nil {
			t.Fatal(err)
		}
	}
	tree = add(t, library(t, cache), dir)
	query := codeindex.Query{Text: "queue drained"}
	if got := first(found(t, tree, query)); got == "pool/pool.go:8 Pool.Wait" {
		t.Fatalf("found %q in a file that has changed", got)
	}
	write(t, dir, map[string]string{"pool/pool.go": small()["pool/pool.go"]})
	if err := os.Chtimes(path, time.Time{}, info.ModTime().Add(later)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one repeats nothing
		if r := update(t, tree); r.Parsed != 0 || r.Unchanged != 4 {
			t.Errorf("report %+v", r)
		}
		if got := first(found(t, tree, query)); got != "pool/pool.go:8 Pool.Wait" {
			t.Errorf("found %q", got)
		}
	}
}

// brokenParser cannot run while it is broken.
type brokenParser struct {
	goParser
	broken *atomic.Bool
}

func (p brokenParser) Parse(ctx context.Context, language string, src []byte) (syntax.File, error) {
	if p.broken.Load() {
		return syntax.File{}, errors.New("no room for the grammar")
	}
	return p.goParser.Parse(ctx, language, src)
}

// What a parser that cannot run leaves is text, and is parsed as soon as it can.
func TestTree_Update_parser_fails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	c := config(t, t.TempDir())
	var broken atomic.Bool
	broken.Store(true)
	c.Parser = brokenParser{broken: &broken}
	var logged strings.Builder
	c.Log = slog.New(slog.NewTextHandler(&logged, nil))
	l := codeindex.NewLibrary(c)
	defer l.Close() //nolint:errcheck // a test
	tree := add(t, l, dir)
	if r := update(t, tree); r.Parsed != 4 || r.Errors != 2 {
		t.Errorf("report %+v", r)
	}
	if n := strings.Count(logged.String(), "the parser cannot run"); n != 1 || !strings.Contains(logged.String(), "files=2") {
		t.Errorf("%d warnings, want one for 2 files: %s", n, logged.String())
	}
	if got := found(t, tree, codeindex.Query{Text: "queue drained", Count: 1}); len(got) != 1 || !strings.HasPrefix(got[0], "pool/pool.go") {
		t.Errorf("found %q", got)
	}
	if r := update(t, tree); r.Parsed != 2 || r.Unchanged != 2 {
		t.Errorf("still broken: report %+v", r)
	}
	broken.Store(false)
	if r := update(t, tree); r.Parsed != 2 || r.Symbols != 11 {
		t.Errorf("mended: report %+v", r)
	}
	if r := update(t, tree); r.Parsed != 0 {
		t.Errorf("afterwards: report %+v", r)
	}
}

// Files that were written shortly before an update are read by the next one, and not by those after it.
func TestTree_Update_settles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, small())
	c := config(t, t.TempDir())
	now := time.Now()
	c.Now = func() time.Time { return now }
	l := codeindex.NewLibrary(c)
	defer l.Close() //nolint:errcheck // a test
	tree := add(t, l, dir)
	for i, want := range []bool{true, true, false, false} {
		read := false
		if _, err := tree.Update(t.Context(), &codeindex.UpdateOptions{Progress: func(p api.CodeProgress) {
			read = read || p.Phase == api.CodeParsing
		}}); err != nil {
			t.Fatal(err)
		}
		if read != want {
			t.Errorf("update %d: read %t, want %t", i, read, want)
		}
		now = now.Add(time.Minute)
	}
}

package codeindex_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/codeindex"
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

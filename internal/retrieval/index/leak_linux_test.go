package index_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// mapsOf counts the mappings of a file in this process.
func mapsOf(t *testing.T, path string) int {
	t.Helper()
	all, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(all), path)
}

// An index that was closed, and a fork that nobody refers to, keep no mapping: neither a cleanup nor the timer of the working
// memory refers to them.
func TestClose_unmaps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	s := newSource("s")
	fill(s, 0, 500)
	o := &index.Options{Path: path, Models: []modelof.Model{whole}}
	save(t, open(t, s, o))
	for range 15 {
		x, err := index.Open(t.Context(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		f, err := x.Fork(func() (index.Source, error) { return s, nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []*index.Index{x, f} {
			catchUp(t, of)
			if got, _ := search(of, query{Text: "word"}); len(got) != 500 {
				t.Fatalf("found %d, want 500", len(got))
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	unmap()
	if n := mapsOf(t, path); n > 2 { // those of the first index
		t.Errorf("%d mappings of the file after 15 indexes were closed", n)
	}
}

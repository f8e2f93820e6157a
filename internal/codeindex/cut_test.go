package codeindex_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/codeindex"
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

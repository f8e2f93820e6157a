package index_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// A rebuild that writes the file in the background leaves about as large a file as one that
// writes it once.
func TestRebuild_fileSize(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for i := range 18_000 {
		s.put(note(i, "word"))
	}
	size := func(saveEvery int) int64 {
		o := &index.Options{Path: filepath.Join(t.TempDir(), "index"), SaveEvery: saveEvery}
		x := open(t, s, o)
		if err := x.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(o.Path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if once, often := size(1<<30), size(1000); float64(often) > 1.1*float64(once) {
		t.Errorf("the file has %d bytes, %d when it is written once", often, once)
	}
}

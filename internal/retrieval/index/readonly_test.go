package index_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// A read-only index follows the store and leaves its file as it is: one that fits, one that does
// not, and one that is not there.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	s, good := sample(t)
	bad := bytes.Clone(good)
	bad[9]++ // the version
	for name, file := range map[string][]byte{"fits": good, "does not fit": bad, "is missing": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "index")
			if file != nil {
				if err := os.WriteFile(path, file, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o := sampleOptions(path)
			o.ReadOnly, o.SaveEvery = true, 1
			x, err := index.Open(t.Context(), s, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := x.CatchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := x.Stats().Memories; n != 30 {
				t.Errorf("%d memories, want 30", n)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if file == nil && !os.IsNotExist(err) || file != nil && (err != nil || !bytes.Equal(got, file)) {
				t.Errorf("the file has changed (%v)", err)
			}
		})
	}
}

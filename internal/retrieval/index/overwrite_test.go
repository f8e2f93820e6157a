package index_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A small file fits into a page: when it is cut or overwritten there is no fault, and the mapping
// shows zeros or other bytes. It must be noticed all the same, and none of it saved again.
func TestFile_OverwrittenWithoutAFault(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(path string, size int) error{
		"cut":   func(path string, _ int) error { return os.Truncate(path, 200) },
		"zeros": func(path string, size int) error { return os.WriteFile(path, make([]byte, size), 0o600) },
		"longer": func(path string, size int) error {
			return os.WriteFile(path, bytes.Repeat([]byte("x"), size+100), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSource("s")
			s.put(note(1, "the crane eats fish"))
			s.put(note(2, "the heron sleeps"))
			o := sampleOptions(filepath.Join(t.TempDir(), "index"))
			save(t, open(t, s, o))
			x := open(t, s, o)
			if err := change(o.Path, len(read(t, o.Path))); err != nil {
				t.Fatal(err)
			}
			s.put(note(3, "the stork is new"))
			_ = x.CatchUp(t.Context()) // finds that the file is damaged
			catchUp(t, x)
			for _, text := range []string{"crane", "heron", "stork"} {
				q := query{Text: text}
				if got, want := ids(x, q), ids(open(t, s, nil), q); len(got) != 1 || !cmp.Equal(got, want) {
					t.Errorf("%s: found %v, want %v", text, got, want)
				}
			}
			_ = x.Save(t.Context())
			if got := ids(open(t, s, o), query{Text: "crane"}); len(got) != 1 {
				t.Errorf("the next process found %v", got)
			}
		})
	}
}

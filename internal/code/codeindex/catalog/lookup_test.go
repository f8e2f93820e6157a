package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
)

// Lookup says of each file what Open says, after any updates, and wherever the file was cut off.
func TestLookup(t *testing.T) {
	t.Parallel()
	var files []string
	for i := range 6 {
		files = append(files, fmt.Sprintf("dir/%s%d.go", strings.Repeat("x", 50*i), i))
	}
	rapid.Check(t, func(rt *rapid.T) {
		path, j, c := create(t)
		for range rapid.IntRange(1, 6).Draw(rt, "updates") {
			d := c.Draft()
			for _, f := range rapid.SliceOfNDistinct(rapid.SampledFrom(files), 1, 4, rapid.ID[string]).Draw(rt, "files") {
				switch old := c.Entry(f); {
				case old != nil && rapid.Bool().Draw(rt, "delete"):
					d.Delete(f)
				case old != nil && rapid.Bool().Draw(rt, "touch"):
					d.Touch(old, stamp("touched"))
				default:
					x, chunks := file(rapid.SliceOfN(rapid.StringMatching(`[A-Z][a-z]{1,9}`), 1, 40).Draw(rt, "names")...)
					d.Put(f, stamp(f), x, chunks)
				}
			}
			c = commit(t, j, d)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			rt.Fatal(err)
		}
		if rapid.Bool().Draw(rt, "cut") {
			if err := os.WriteFile(path, b[:len(b)-rapid.IntRange(0, min(len(b)-80, 400)).Draw(rt, "off")], 0o600); err != nil {
				rt.Fatal(err)
			}
		}
		_, want, err := catalog.Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := catalog.Lookup(path, files[1:])
		if err != nil {
			rt.Fatal(err)
		}
		for i, f := range files {
			e := want.Entry(f)
			if i == 0 {
				e = nil // not asked for
			}
			if d := cmp.Diff(bodyOf(rt, e), bodyOf(rt, got[f])); d != "" {
				rt.Errorf("%s (-open +lookup):\n%s", f, d)
			}
		}
	})
}

// bodyOf returns what an entry says of its file; nothing for nil.
func bodyOf(t *rapid.T, e *catalog.Entry) string {
	if e == nil {
		return ""
	}
	f, chunks, err := e.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %v %+v %+v", e.Path, e.First, f, chunks)
}

func TestLookup_Bad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"text": "no catalog\n", "long": strings.Repeat("x", 100_000), "short": "hippo code catalog 3 2\nabc", "empty": ""} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := catalog.Lookup(path, []string{"a.go"}); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := catalog.Lookup(filepath.Join(dir, "none"), nil); err == nil {
		t.Error("a file that is not there")
	}
}

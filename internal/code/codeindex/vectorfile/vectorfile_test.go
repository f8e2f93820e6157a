package vectorfile_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/code/codeindex/vectorfile"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

const form = "1"

func model() embed.Model { return embed.Model{ID: "m@1", Dimension: 3} }

type tester interface {
	Helper()
	Fatal(args ...any)
}

func read(t tester, path string, m embed.Model, form string) *vectorfile.File {
	t.Helper()
	f, err := vectorfile.Read(path, m, form)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What was added is read again within the steps of 16 bits, whatever was cut off of the end of the file or changed in it: that
// and what follows is missing then, and what is added later is there.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		path := filepath.Join(dir, rapid.StringMatching(`[a-z]{12}`).Draw(r, "name"))
		var list []vectorfile.Vector
		for key := range uint64(rapid.IntRange(1, 8).Draw(r, "texts")) {
			values := rapid.SliceOfN(rapid.Float32Range(-1, 1), 3, 3).Draw(r, "values")
			if rapid.Bool().Draw(r, "two") {
				values = append(values, 0, -1, .5)
			}
			list = append(list, vectorfile.Vector{Key: key, Values: values})
		}
		half := rapid.IntRange(0, len(list)).Draw(r, "half")
		f := read(r, path, model(), form)
		for _, some := range [][]vectorfile.Vector{list[:half], list[half:]} {
			if err := f.Add(some); err != nil {
				r.Fatal(err)
			}
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			r.Fatal(err)
		}
		cut := rapid.IntRange(0, len(whole)).Draw(r, "cut")
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			r.Fatal(err)
		}
		f = read(r, path, model(), form)
		if cut == len(whole) && f.Len() != len(list) {
			r.Fatalf("%d texts of %d", f.Len(), len(list))
		}
		if err := f.Add(list[f.Len():]); err != nil {
			r.Fatal(err)
		}
		f = read(r, path, model(), form)
		for _, v := range list {
			got := f.Get(v.Key)
			if len(got) != len(v.Values) {
				r.Fatalf("text %d has %d numbers of %d", v.Key, len(got), len(v.Values))
			}
			for i := range got {
				if math.Abs(float64(got[i]-v.Values[i])) > 1e-4 {
					r.Fatalf("%v, not %v", got, v.Values)
				}
			}
		}
		if err := os.Remove(path); err != nil {
			r.Fatal(err)
		}
	})
}

func TestFile_others(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vectors")
	if err := read(t, path, model(), form).Add([]vectorfile.Vector{{Key: 1, Values: []float32{1, 0, 0}}}); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		model embed.Model
		form  string
		want  int
	}{
		"the same":          {model(), form, 1},
		"another model":     {embed.Model{ID: "m@2", Dimension: 3}, form, 0},
		"another dimension": {embed.Model{ID: "m@1", Dimension: 4}, form, 0},
		"another form":      {model(), "2", 0},
	} {
		if got := read(t, path, tc.model, tc.form).Len(); got != tc.want {
			t.Errorf("%s: %d texts", name, got)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-6] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path, model(), form).Len(); got != 0 {
		t.Errorf("a damaged record counts")
	}
}

// The file may be deleted or cut while it is in use.
func TestFile_gone(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"deleted": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 30) },
	} {
		path := filepath.Join(t.TempDir(), "vectors")
		f := read(t, path, model(), form)
		for key := range uint64(3) {
			if key == 2 {
				if err := damage(path); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Add([]vectorfile.Vector{{Key: key, Values: []float32{1, 0, float32(key)}}}); err != nil {
				t.Fatal(err)
			}
		}
		again := read(t, path, model(), form)
		if again.Len() != 3 || again.Get(2) == nil {
			t.Errorf("%s: %d texts", name, again.Len())
		}
	}
}

// Texts that nothing needs any more are dropped once they are most of the file.
func TestFile_Keep(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vectors")
	f := read(t, path, model(), form)
	var list []vectorfile.Vector
	for key := range uint64(10) {
		list = append(list, vectorfile.Vector{Key: key, Values: []float32{1, 0, 0}})
	}
	if err := f.Add(list); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ keep, want int }{{6, 10}, {4, 4}, {4, 4}} {
		keys := make(map[uint64]bool)
		for key := range uint64(tc.keep) {
			keys[key] = true
		}
		if err := f.Keep(keys); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path, model(), form).Len(); got != tc.want || f.Len() != tc.want {
			t.Errorf("with %d in use: %d, %d, not %d", tc.keep, f.Len(), got, tc.want)
		}
	}
	if err := f.Add(list[9:]); err != nil || read(t, path, model(), form).Len() != 5 {
		t.Errorf("%v", err)
	}
}

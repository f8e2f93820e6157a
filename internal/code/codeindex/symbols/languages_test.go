package symbols_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// samples returns the source and the outline of testdata by language.
func samples(t testing.TB) map[string][2]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	out := map[string][2]string{}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil || len(a.Files) != 2 {
			t.Fatalf("%s: want a source and an outline, %v", name, err)
		}
		out[strings.TrimSuffix(filepath.Base(name), ".txtar")] = [2]string{string(a.Files[0].Data), string(a.Files[1].Data)}
	}
	return out
}

// TestSamples reads a file of each language: definitions with what holds them, their comments, references, calls and imports.
func TestSamples(t *testing.T) {
	for language, sample := range samples(t) {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			compare(t, language, sample[0], sample[1])
		})
	}
}

// TestSamples_cut reads what is left of each sample when it ends in the middle: nothing that is said is out of place.
func TestSamples_cut(t *testing.T) {
	for language, sample := range samples(t) {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			step := 31
			if testing.Short() {
				step = 310
			}
			for n := 0; n < len(sample[0]); n += step {
				parse(t, language, sample[0][:n])
				parse(t, language, sample[0][n:])
			}
		})
	}
}

func FuzzSamples(f *testing.F) {
	for language, sample := range samples(f) {
		f.Add(language, sample[0])
		for _, s := range hostile() {
			if len(s) < 1000 {
				f.Add(language, s)
			}
		}
	}
	f.Fuzz(func(t *testing.T, language, source string) { parse(t, language, source) })
}

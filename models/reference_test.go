package models_test

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/bert"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/cnn"
	"github.com/hippo-memory/hippo/models"
)

// referenceDir is the variable with the folder that tools/reference/builtin.py has written.
const referenceDir = "HIPPO_REFERENCE"

// referenceText is a text that vectors are compared for.
type referenceText struct {
	Language string `json:"language"`
	Text     string `json:"text"`
}

// TestInterop_Models compares the models in the program with those that they were packed from, on
// texts of 25 languages and 1 to 300 words.
func TestInterop_Models(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(referenceDir)
	if dir == "" {
		t.Skip(referenceDir + " names no folder; make interop sets it")
	}
	multilingual, err := cnn.Open(models.Multilingual(), cnn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file        string
		model       embed.Embedder
		least, mean float64
	}{
		{"contextual", openContextual(t, bert.Options{}), .985, .998},
		{"multilingual", multilingual, .85, .97},
		{"packed", multilingual, .99999, .999999},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			compareWithReference(t, c.model, dir, c.file, c.least, c.mean)
		})
	}
}

// compareWithReference reports the least and the mean cosine of a model's vectors to those of a
// file, in all and by language, and fails below the bounds.
func compareWithReference(t *testing.T, m embed.Embedder, dir, file string, least, mean float64) {
	t.Helper()
	texts := referenceTexts(t, dir)
	want := floats(t, filepath.Join(dir, file+".f32"), m.Model().Dimension)
	by := make(map[string][]float64)
	for i, r := range texts {
		got, err := m.Embed(t.Context(), embed.Passage, []string{r.Text})
		if err != nil {
			t.Fatal(err)
		}
		if dot(want[i], want[i]) == 0 {
			if dot(got[0], got[0]) != 0 {
				t.Errorf("%q has a vector", r.Text)
			}
			continue
		}
		c := dot(got[0], want[i]) / math.Sqrt(dot(got[0], got[0])*dot(want[i], want[i]))
		if !(c >= least) {
			t.Errorf("%s: %.80q: cosine %.6f, want at least %g", r.Language, r.Text, c, least)
		}
		by[""] = append(by[""], c)
		by[r.Language] = append(by[r.Language], c)
	}
	average := func(list []float64) float64 {
		sum := 0.0
		for _, c := range list {
			sum += c
		}
		return sum / float64(len(list))
	}
	if got := average(by[""]); !(got >= mean) {
		t.Errorf("mean cosine %.6f, want at least %g", got, mean)
	}
	t.Logf("%d texts: least cosine %.8f, mean %.8f", len(by[""]), slices.Min(by[""]), average(by[""]))
	for _, language := range slices.Sorted(maps.Keys(by))[1:] {
		t.Logf("%-8s least %.6f, mean %.6f", language, slices.Min(by[language]), average(by[language]))
	}
}

func referenceTexts(t *testing.T, dir string) (texts []referenceText) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "texts.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// floats reads rows of little-endian float32 numbers.
func floats(t *testing.T, path string, dim int) (rows [][]float32) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for row := range slices.Chunk(raw, 4*dim) {
		v := make([]float32, dim)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:]))
		}
		rows = append(rows, v)
	}
	return rows
}

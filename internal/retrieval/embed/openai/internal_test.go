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

// FuzzDecode checks that vectors are what was asked for, whatever the answer.
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
			square := 0.0
			for _, x := range v {
				square += float64(x) * float64(x)
			}
			if len(v) != dimension || dimension == 0 || !(math.Abs(math.Sqrt(square)-1) < 1e-3) {
				t.Fatalf("vector %d has %d dimensions and length %g, want %d and 1", i, len(v), math.Sqrt(square), dimension)
			}
		}
	})
}

// Windows are in order, overlap or follow each other except for white space, and are no
// longer than allowed. No other character occurs twice, so the place of each is certain.
func TestSplit_covers_the_text(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var words []string
		n := 0
		for _, length := range rapid.SliceOfN(rapid.IntRange(1, 12), 1, 60).Draw(t, "lengths") {
			word := make([]rune, length)
			for i := range word {
				word[i] = rune([]int{'a' + n/3, 0x100 + n, 0x4e00 + n}[n%3])
				if n/3 > 25 {
					word[i] = rune(0x4e00 + n)
				}
				n++
			}
			words = append(words, string(word))
		}
		text := strings.Join(words, rapid.SampledFrom([]string{"", " ", "\n\n", "            "}).Draw(t, "space"))
		size := rapid.IntRange(1, 80).Draw(t, "size")
		covered := 0
		for _, w := range split(text, size) {
			if n := utf8.RuneCountInString(w); n > size || !utf8.ValidString(w) {
				t.Fatalf("window %q has %d characters, want %d at most", w, n, size)
			}
			at := lastStart(text, w, covered)
			if at < 0 {
				t.Fatalf("window %q leaves a gap after %d bytes", w, covered)
			}
			covered = at + len(w)
		}
		if strings.TrimSpace(text[covered:]) != "" {
			t.Fatalf("%d bytes of %d are covered", covered, len(text))
		}
	})
}

// lastStart returns the last place where a window may begin that leaves only white
// space after the first covered bytes of text.
func lastStart(text, window string, covered int) int {
	end := covered + len(text[covered:]) - len(strings.TrimLeftFunc(text[covered:], unicode.IsSpace))
	for at := end; at >= 0; at-- {
		if strings.HasPrefix(text[at:], window) && at+len(window) > covered {
			return at
		}
	}
	return -1
}

func TestSplit_prefers_white_space(t *testing.T) {
	t.Parallel()
	got := split(strings.Repeat("word ", 40), 40)
	for _, p := range got {
		for w := range strings.FieldsSeq(p) {
			if w != "word" {
				t.Errorf("split within a word: %q in %q", w, got)
			}
		}
	}
	if len(got) < 5 || len(got) > 8 {
		t.Errorf("%d windows: %q", len(got), got)
	}
}

func TestMean_that_cancels_out(t *testing.T) {
	t.Parallel()
	if got := mean([]string{"a", "b"}, [][]float32{{1, 0}, {-1, 0}}); got[0] != 0 || got[1] != 0 {
		t.Errorf("got %v, want zeros", got)
	}
}

package static_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
)

var _ embed.Embedder = (*static.Model)(nil)

func roles() []embed.Role { return []embed.Role{embed.Passage, embed.Query, embed.Sentence} }

func vectors(t testing.TB, m *static.Model, role embed.Role, texts ...string) [][]float32 {
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

// unit brings v to length 1.
func unit(v [dimension]float64) [dimension]float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(sum)
	}
	return v
}

func wantNear(t *testing.T, got []float32, want [dimension]float64) {
	t.Helper()
	if len(got) != dimension {
		t.Fatalf("%d numbers, want %d", len(got), dimension)
	}
	for i, x := range got {
		if !(math.Abs(float64(x)-want[i]) <= 1e-6) { // so written, NaN is wrong, too
			t.Errorf("vector %v, want %v", got, want)
			return
		}
	}
}

// TestEmbedValues compares with sums made by hand. A token counts scale times row;
// in a text of a search also its weight, and 48/(48+its place).
func TestEmbedValues(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	type sums = [dimension]float64
	at := func(place float64) float64 { return 48 / (48 + place) }
	for _, c := range []struct {
		name, text       string
		search, sentence sums
	}{
		{"one token", "alpha", sums{0: 1}, sums{0: 1}},
		{"two tokens", "alpha beta", sums{0: 2, 1: 6 * at(1)}, sums{0: 1, 1: 1.5}},
		{"the other order", "beta alpha", sums{0: 2 * at(1), 1: 6}, sums{0: 1, 1: 1.5}},
		{"capitals, spaces, accents", " ÁLPHA\n\tBêta ", sums{0: 2, 1: 6 * at(1)}, sums{0: 1, 1: 1.5}},
		{"token inside of a word", "alphas", sums{0: 2, 2: -1 * at(1)}, sums{0: 1, 2: -1}},
		{"inside of a word twice", "betass", sums{1: 6, 2: -1*at(1) - 1*at(2)}, sums{1: 1.5, 2: -2}},
		{"weight zero", "the alpha the beta", sums{0: 2 * at(1), 1: 6 * at(3)}, sums{0: 1, 1: 1.5, 3: 10}},
		{"only weight zero", "the", sums{}, sums{3: 1}},
		{"repetition", "alpha beta alpha", sums{0: 2 + 2*at(2), 1: 6 * at(1)}, sums{0: 2, 1: 1.5}},
		{"punctuation, extremes of a row", "ø!", sums{4: -128, 5: 2 * 0.5 * at(1), 7: 127 * 0.5 * at(1)}, sums{4: -128, 5: 2, 7: 127}},
		{"bytes D0 B6", "ж", sums{0: 16, 6: -10 * at(1)}, sums{0: 16, 6: -10}},
		{"the same bytes as a capital", "Ж", sums{0: 16, 6: -10 * at(1)}, sums{0: 16, 6: -10}},
		{"bytes D1 80, the first of the table", "р", sums{1: 17, 0: -64 * at(1)}, sums{1: 17, 0: -64}},
		{"bytes between words", "alpha ж beta", sums{0: 2 + 16*at(1), 1: 6 * at(3), 6: -10 * at(2)}, sums{0: 17, 1: 1.5, 6: -10}},
		// E6 97 A5 is 102, 23, 37 and E6 9C AC is 102, 28, 44 above 0x80.
		{
			"two words of a character each", "日本",
			sums{6: 38 + 38*at(3), 7: -41 * at(1), 5: -27 * at(2), 4: -36*at(4) - 20*at(5)},
			sums{6: 76, 7: -41, 5: -27, 4: -56},
		},
		{"ASCII in a word without tokens is nothing", "alphaж", sums{0: 16, 6: -10 * at(1)}, sums{0: 16, 6: -10}},
		{"a word without tokens takes no place", "qq beta", sums{1: 1}, sums{1: 1}},
		{"48 places are half", strings.Repeat("the ", 48) + "alpha beta", sums{0: 2 * 0.5, 1: 6 * at(49)}, sums{0: 1, 1: 1.5, 3: 240}},
		{"bytes that are not UTF-8", "al\xffpha\xc3 beta", sums{0: 2, 1: 6 * at(1)}, sums{0: 1, 1: 1.5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.search != (sums{}) {
				c.search = unit(c.search)
			}
			wantNear(t, vectors(t, m, embed.Passage, c.text)[0], c.search)
			wantNear(t, vectors(t, m, embed.Query, c.text)[0], c.search)
			wantNear(t, vectors(t, m, embed.Sentence, c.text)[0], unit(c.sentence))
		})
	}
}

func TestEmbedOfNothingKnownIsZero(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	long := strings.Repeat("beta", 26) // a word of more than 100 letters has no tokens
	for _, role := range roles() {
		for _, text := range []string{"", " \t\r\n ", "\x00\x7f", "\xff\xfe", "\u200b", "\ufffd", "qq", "qq zz?", "é", long} {
			if v := vectors(t, m, role, text)[0]; !cmp.Equal(v, make([]float32, dimension)) {
				t.Errorf("%s of %q: %v", role, text, v)
			}
		}
	}
}

func TestEmbedWithoutTexts(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	if v := vectors(t, m, embed.Query); len(v) != 0 {
		t.Errorf("vectors %v", v)
	}
}

// text draws a text of words with tokens and without.
func text() *rapid.Generator[string] {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"alpha", "betas", "the", "ø", "!", "ж", "日本", "qq", "\xff", "ÁLPHA", "한국", "🙂"}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 200).Draw(t, "words"), " ") })
}

func TestEmbedHasLengthOneOrZero(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	rapid.Check(t, func(rt *rapid.T) {
		s := text().Draw(rt, "text")
		for _, role := range roles() {
			sum := 0.0
			for _, x := range vectors(t, m, role, s)[0] {
				sum += float64(x) * float64(x)
			}
			if sum != 0 && !(math.Abs(sum-1) < 1e-6) {
				rt.Errorf("%s: length %v", role, math.Sqrt(sum))
			}
		}
	})
}

// A text has the same vector wherever it stands among others.
func TestEmbedKeepsOrder(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(text(), 0, 12).Draw(rt, "texts")
		role := rapid.SampledFrom(roles()).Draw(rt, "role")
		for i, v := range vectors(t, m, role, texts...) {
			if d := cmp.Diff(vectors(t, m, role, texts[i])[0], v); d != "" {
				rt.Errorf("text %d (-alone +among others):\n%s", i, d)
			}
		}
	})
}

// The caller owns the vectors: growing or changing one leaves the others alone.
func TestEmbedVectorsAreApart(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	v := vectors(t, m, embed.Passage, "alpha", "beta")
	_ = append(v[0], 7)
	v[0][0] = 7
	wantNear(t, v[1], [dimension]float64{1: 1})
	wantNear(t, vectors(t, m, embed.Passage, "alpha")[0], [dimension]float64{0: 1})
}

func TestEmbedIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	texts := []string{"alpha betas", "the beta!", "ж 日本", "", strings.Repeat("alpha ж ", 300), "ø"}
	want := make([][][]float32, len(roles()))
	for i, role := range roles() {
		want[i] = vectors(t, m, role, texts...)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for n := range 30 {
				i := (g + n) % len(want)
				got, err := m.Embed(t.Context(), roles()[i], texts)
				if err != nil || !slices.EqualFunc(got, want[i], slices.Equal[[]float32]) {
					t.Errorf("%s: vectors differ, or error %v", roles()[i], err)
				}
			}
		})
	}
	all.Wait()
}

// ends is a context that is cancelled when it was asked for its error n times.
type ends struct {
	context.Context
	n *int
}

func (e ends) Err() error {
	if *e.n--; *e.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestEmbedStopsWithContext(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	for n := range 3 {
		v, err := m.Embed(ends{t.Context(), &n}, embed.Query, []string{"alpha", "beta", "the"})
		if !errors.Is(err, context.Canceled) || v != nil {
			t.Errorf("vectors %v, error %v", v, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if v, err := m.Embed(ctx, embed.Query, []string{"alpha"}); !errors.Is(err, context.DeadlineExceeded) || v != nil {
		t.Errorf("vectors %v, error %v", v, err)
	}
}

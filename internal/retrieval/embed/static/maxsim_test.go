package static_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
)

var _ embed.TokenEmbedder = (*static.Model)(nil)

func TestTokenize(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	const first = 6 // that stands for a byte
	for text, want := range map[string][]int32{
		"":             nil,
		" \t\n":        nil,
		"qq":           nil,
		"alpha":        {0},
		"Alphas BÉTA!": {0, 2, 1, 5},
		"the the":      {3, 3},
		"ø":            {4},
		"ж":            {first + 0x50, first + 0x36},
	} {
		got := m.Tokenize(nil, text)
		if !slices.Equal(got, want) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
		if got = m.Tokenize([]int32{9, 8}, text); !slices.Equal(got, append([]int32{9, 8}, want...)) {
			t.Errorf("%q is %v behind others", text, got)
		}
	}
}

// The weight of a token is the length of what it adds to the vector of a query.
func TestWeight(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	for i, p := range small() {
		sum := 0.0
		for _, x := range p.row {
			sum += float64(x) * float64(x)
		}
		want := math.Sqrt(sum) * float64(p.scale) * float64(p.weight)
		if got := m.Weight(int32(i)); !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("%s weighs %v, want %v", p.text, got, want)
		}
	}
}

// wide returns a model of n columns whose rows are those of the tokens of the bytes.
func wide(t testing.TB, n int, row func(token, column int) int8) (*static.Model, [][]int8) {
	t.Helper()
	all := withBytes()
	h := head(all, 256)
	h["dimension"] = n
	w := write(t, h, all, 256)
	data := bytes.Clone(w.data[:w.at["rows"]])
	rows := make([][]int8, len(all))
	for i := range rows {
		for k := range n {
			x := row(i, k)
			rows[i] = append(rows[i], x)
			data = append(data, byte(x))
		}
	}
	return open(t, data), rows
}

// cosine is that of two rows in float64; 0 if one has no length.
func cosine(a, b []int8) float64 {
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	if x == 0 || y == 0 {
		return 0
	}
	return dot / math.Sqrt(x*y)
}

func brute(rows [][]int8, query, text []int32) []float64 {
	out := make([]float64, len(query))
	for i, q := range query {
		for _, p := range text {
			out[i] = max(out[i], cosine(rows[q], rows[p]))
		}
	}
	return out
}

func wantBest(t interface {
	Helper()
	Fatalf(string, ...any)
}, got []float32, want []float64, what string,
) {
	t.Helper()
	for i := range want {
		if !(math.Abs(float64(got[i])-want[i]) <= 1e-6) {
			t.Fatalf("%s: token %d is at best %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestUpdate_is_the_highest_cosine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.SampledFrom([]int{1, 7, 31, 32, 33, 64, 100}).Draw(r, "dimension")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		m, rows := wide(t, n, func(token, column int) int8 {
			switch token % 8 {
			case 0:
				return 0
			case 1:
				return -128
			case 2:
				return 127
			default:
				return int8(random.IntN(256) - 128)
			}
		})
		tokens := rapid.SliceOfN(rapid.Int32Range(0, int32(len(rows)-1)), 0, 12)
		for k := range 3 { // in the memory of those before
			query := tokens.Draw(r, "query")
			x, got := m.NewMaxSim(query), make([]float32, len(query))
			for i := range 3 {
				text := tokens.Draw(r, "text")
				cut := rapid.IntRange(0, len(text)).Draw(r, "cut")
				clear(got)
				x.Update(got, text[:cut])
				x.Update(got, text[cut:])
				wantBest(r, got, brute(rows, query, text), fmt.Sprint("query ", k, " text ", i))
			}
			x.Close()
		}
	})
}

func TestUpdate_extremes(t *testing.T) {
	t.Parallel()
	m, rows := wide(t, 96, func(token, _ int) int8 { return []int8{-128, 127, 0, 1}[token%4] })
	query := []int32{0, 1, 2, 3, 0}
	for _, text := range [][]int32{nil, {0}, {1}, {2}, {3}, {1, 0}, {2, 2, 1}, {0, 1, 2, 3}} {
		got := make([]float32, len(query))
		m.NewMaxSim(query).Update(got, text)
		wantBest(t, got, brute(rows, query, text), fmt.Sprint(text))
	}
}

func TestUpdate_of_nothing(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	m.NewMaxSim(nil).Update(nil, []int32{0, 1})
	got := []float32{.25, 1}
	m.NewMaxSim([]int32{0, 1}).Update(got, nil)
	if d := cmp.Diff([]float32{.25, 1}, got); d != "" {
		t.Error(d)
	}
}

func TestUpdate_lowers_nothing(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	got := []float32{7, 0}
	m.NewMaxSim([]int32{0, 1}).Update(got, []int32{0, 1})
	if got[0] != 7 || math.Abs(float64(got[1])-1) > 1e-6 {
		t.Errorf("got %v, want 7 as it was and 1", got)
	}
}

// IDs outside of the vocabulary may come from a damaged file: they have no weight and are
// similar to nothing.
func TestMaxSim_unknown_tokens(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	outside := []int32{-1, math.MinInt32, int32(len(small())), 65535, math.MaxInt32}
	query := slices.Concat([]int32{0}, outside)
	got := make([]float32, len(query))
	x := m.NewMaxSim(query)
	x.Update(got, outside)
	if d := cmp.Diff(make([]float32, len(query)), got); d != "" {
		t.Errorf("an unknown token is similar to something (-want +got):\n%s", d)
	}
	x.Update(got, slices.Concat(outside, []int32{0}, outside))
	if math.Abs(float64(got[0])-1) > 1e-6 || slices.Max(got[1:]) != 0 {
		t.Errorf("got %v, want 1 and zeros", got)
	}
	for _, p := range outside {
		if w := m.Weight(p); w != 0 {
			t.Errorf("token %d weighs %v, want 0", p, w)
		}
	}
}

// An index stores two bytes a token, with the name of the vocabulary.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	if m.Vocabulary() == "" || m.Vocabulary() != m.Model().ID {
		t.Errorf("got vocabulary %q, want the ID of the model, %q", m.Vocabulary(), m.Model().ID)
	}
	for _, p := range m.Tokenize(nil, "Alphas BÉTA! ж \xff") {
		if p < 0 || p >= 1<<16 {
			t.Errorf("token %d does not fit two bytes", p)
		}
	}
}

// Several MaxSims of one model do not disturb each other, and the caller may change the
// query afterwards.
func TestMaxSim_concurrent(t *testing.T) {
	t.Parallel()
	m, rows := wide(t, 40, func(token, column int) int8 { return int8(token*37 + column*column*11) })
	var wg sync.WaitGroup
	for g := range int32(8) {
		wg.Go(func() {
			query := []int32{g, g + 20, 127 - g}
			kept := slices.Clone(query)
			x, got := m.NewMaxSim(query), make([]float32, len(query))
			defer x.Close()
			clear(query)
			for at := range int32(20) {
				text := []int32{at, at + g, 100 - at}
				clear(got)
				x.Update(got, text)
				want := brute(rows, kept, text)
				for i := range want {
					if math.Abs(float64(got[i])-want[i]) > 1e-6 {
						t.Errorf("query %v, text %v: got %v, want %v", kept, text, got, want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

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

	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/static"
)

var _ embed.Pieces = (*static.Model)(nil)

func TestPieces(t *testing.T) {
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
		got := m.Pieces(nil, text)
		if !slices.Equal(got, want) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
		if got = m.Pieces([]int32{9, 8}, text); !slices.Equal(got, append([]int32{9, 8}, want...)) {
			t.Errorf("%q is %v behind others", text, got)
		}
	}
}

// What a token counts is the length of what it adds to the vector of a query.
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

func TestBest_is_the_highest_cosine(t *testing.T) {
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
			x, got := m.Interact(query), make([]float32, len(query))
			for i := range 3 {
				text := tokens.Draw(r, "text")
				cut := rapid.IntRange(0, len(text)).Draw(r, "cut")
				clear(got)
				x.Best(got, text[:cut])
				x.Best(got, text[cut:])
				wantBest(r, got, brute(rows, query, text), fmt.Sprint("query ", k, " text ", i))
			}
			x.Close()
		}
	})
}

func TestBest_extremes(t *testing.T) {
	t.Parallel()
	m, rows := wide(t, 96, func(token, _ int) int8 { return []int8{-128, 127, 0, 1}[token%4] })
	query := []int32{0, 1, 2, 3, 0}
	for _, text := range [][]int32{nil, {0}, {1}, {2}, {3}, {1, 0}, {2, 2, 1}, {0, 1, 2, 3}} {
		got := make([]float32, len(query))
		m.Interact(query).Best(got, text)
		wantBest(t, got, brute(rows, query, text), fmt.Sprint(text))
	}
}

func TestBest_of_nothing(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	m.Interact(nil).Best(nil, []int32{0, 1})
	got := []float32{.25, 1}
	m.Interact([]int32{0, 1}).Best(got, nil)
	if d := cmp.Diff([]float32{.25, 1}, got); d != "" {
		t.Error(d)
	}
}

func TestBest_lowers_nothing(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	got := []float32{7, 0}
	m.Interact([]int32{0, 1}).Best(got, []int32{0, 1})
	if got[0] != 7 || math.Abs(float64(got[1])-1) > 1e-6 {
		t.Errorf("got %v, want 7 as it was and 1", got)
	}
}

// Numbers that are not in the table may come from a damaged file: they weigh nothing,
// and are like nothing.
func TestPieces_outside_the_table(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	outside := []int32{-1, math.MinInt32, int32(len(small())), 65535, math.MaxInt32}
	query := slices.Concat([]int32{0}, outside)
	got := make([]float32, len(query))
	x := m.Interact(query)
	x.Best(got, outside)
	if d := cmp.Diff(make([]float32, len(query)), got); d != "" {
		t.Errorf("what is unknown is like something (-want +got):\n%s", d)
	}
	x.Best(got, slices.Concat(outside, []int32{0}, outside))
	if math.Abs(float64(got[0])-1) > 1e-6 || slices.Max(got[1:]) != 0 {
		t.Errorf("got %v, want 1 and zeros", got)
	}
	for _, p := range outside {
		if w := m.Weight(p); w != 0 {
			t.Errorf("token %d weighs %v, want 0", p, w)
		}
	}
}

// What an index keeps is two bytes a token, under the name of the table.
func TestPieces_Table(t *testing.T) {
	t.Parallel()
	m := open(t, writeSmall(t).data)
	if m.Table() == "" || m.Table() != m.Model().ID {
		t.Errorf("got table %q, want the ID of the model, %q", m.Table(), m.Model().ID)
	}
	for _, p := range m.Pieces(nil, "Alphas BÉTA! ж \xff") {
		if p < 0 || p >= 1<<16 {
			t.Errorf("token %d does not fit two bytes", p)
		}
	}
}

// Interactions of one model do not disturb each other, and the query may change
// after it was asked.
func TestInteract_apart(t *testing.T) {
	t.Parallel()
	m, rows := wide(t, 40, func(token, column int) int8 { return int8(token*37 + column*column*11) })
	var wg sync.WaitGroup
	for g := range int32(8) {
		wg.Go(func() {
			query := []int32{g, g + 20, 127 - g}
			kept := slices.Clone(query)
			x, got := m.Interact(query), make([]float32, len(query))
			defer x.Close()
			clear(query)
			for at := range int32(20) {
				text := []int32{at, at + g, 100 - at}
				clear(got)
				x.Best(got, text)
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

package cnn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/cnn"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

func open(t testing.TB, m *model, o cnn.Options) *cnn.Model {
	t.Helper()
	data, _ := m.bytes(t, nil)
	e, err := cnn.Open(data, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func vectors(t testing.TB, m *cnn.Model, texts ...string) [][]float32 {
	t.Helper()
	v, err := m.Embed(t.Context(), embed.Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	if err := embed.Check(m.Model(), len(texts), v); err != nil {
		t.Fatal(err)
	}
	return v
}

// off is how far a component may be from that of the reference: [gemm.VNNI] rounds what it multiplies to 16 bits.
func off(k gemm.Kernel) float64 {
	if k == gemm.VNNI {
		return 8e-5
	}
	return 2e-5
}

// compare reports an error unless got is want within off.
func compare(t *testing.T, name string, got []float32, want []float64, off float64) {
	t.Helper()
	for i, x := range got {
		if !(math.Abs(float64(x)-want[i]) < off) {
			t.Fatalf("%s: component %d is %g, want %g", name, i, x, want[i])
		}
	}
}

// withSpecial puts the first and the last token around others.
func withSpecial(ids ...int32) []int32 { return append(append([]int32{1}, ids...), 2) }

func TestModel(t *testing.T) {
	t.Parallel()
	if got, want := open(t, small(1), cnn.Options{}).Model(), (embed.Model{ID: "small@1", Space: "small", Dimension: dimension}); got != want {
		t.Errorf("model %+v, want %+v", got, want)
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	s := small(1)
	cases := []struct {
		text string
		ids  []int32
	}{
		{"s", withSpecial(25)},
		{"alpha", withSpecial(8)},
		{"alphabet", withSpecial(10)},
		{"alpha beta", withSpecial(8, 9)},
		{"  alpha \n\t beta ", withSpecial(8, 9)},
		{"alpha日本\u200b É.", withSpecial(8, 20, 22, 24)},
		{"e\u0301", withSpecial(22)},
		{"alpha жжж beta", withSpecial(8, 6, 0, 9)},
		{"alpha\xff\xfebeta", withSpecial(8, 9)},
	}
	for _, k := range gemm.Available() {
		m := open(t, s, cnn.Options{Kernel: &k, Threads: 1})
		for _, c := range cases {
			compare(t, fmt.Sprintf("%s: %q", k, c.text), vectors(t, m, c.text)[0], s.embed(c.ids), off(k))
		}
	}
}

// A text has more tokens than a window: its vector is the mean of those of the windows,
// weighted by their new tokens.
func TestEmbed_long(t *testing.T) {
	t.Parallel()
	s := small(1)
	m := open(t, s, cnn.Options{})
	const window, overlap = 128, 16
	for _, n := range []int{window, window + 1, 2*window - overlap + 1} {
		ids := make([]int32, n)
		var text strings.Builder
		for i := range ids {
			word := []int32{8, 9, 10, 25}[(i*i+i/7)%4]
			ids[i] = word
			text.WriteString(strings.Replace(pieces()[word], "▁", " ", 1))
		}
		want := make([]float64, dimension)
		for at, done := 0, 0; done < n; at += window - overlap {
			end := min(at+window, n)
			for i, x := range s.embed(withSpecial(ids[at:end]...)) {
				want[i] += x * float64(end-done)
			}
			done = end
		}
		length := 0.0
		for _, x := range want {
			length += x * x
		}
		for i := range want {
			want[i] /= math.Sqrt(length)
		}
		compare(t, fmt.Sprintf("%d tokens", n), vectors(t, m, text.String())[0], want, off(gemm.Best()))
	}
}

// A text without a known token has no meaning, so its vector is similar to nothing.
func TestEmbed_nothing(t *testing.T) {
	t.Parallel()
	m := open(t, small(1), cnn.Options{})
	texts := []string{"", " ", "\n\t \u200b", "\uFFFD", "\xff"}
	for i, v := range vectors(t, m, append(texts, "s")...) {
		zero := !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
		if zero != (i < len(texts)) {
			t.Errorf("text %d: zeros: %v", i, zero)
		}
	}
	if got, err := m.Embed(t.Context(), embed.Query, nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

// texts returns texts of many lengths.
func texts(n int) []string {
	words := []string{"alpha", "beta", "alphabet", "日本", "é", "🚀", "жж", "s."}
	out := make([]string, n)
	for i := range out {
		for j := range 1 + i*i%13 {
			out[i] += words[(i+j*j)%len(words)] + strings.Repeat(" ", (i+j)%3)
		}
	}
	return out
}

// The vector of a text is the same, bit by bit, whatever is embedded with it, by any number
// of threads.
func TestEmbed_batch(t *testing.T) {
	t.Parallel()
	s, all := small(2), texts(24)
	one := open(t, s, cnn.Options{Threads: 1})
	want := make([][]float32, len(all))
	for i, text := range all {
		want[i] = vectors(t, one, text)[0]
	}
	for threads := range 3 {
		m := open(t, s, cnn.Options{Threads: threads})
		for i, v := range vectors(t, m, all[threads:]...) {
			if !slices.Equal(v, want[threads+i]) {
				t.Errorf("%d threads: text %d has another vector than alone", threads, threads+i)
			}
		}
	}
}

func TestEmbed_concurrent(t *testing.T) {
	t.Parallel()
	m, all := open(t, small(3), cnn.Options{}), texts(12)
	results := make([][][]float32, 4)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			v, err := m.Embed(t.Context(), embed.Role(i%3), all)
			if err != nil {
				t.Error(err)
			}
			results[i] = v
		})
	}
	wait.Wait()
	for _, got := range results[1:] {
		for i, v := range got {
			if !slices.Equal(v, results[0][i]) {
				t.Errorf("text %d has different vectors in concurrent calls", i)
			}
		}
	}
}

func TestEmbed_canceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v, err := open(t, small(1), cnn.Options{}).Embed(ctx, embed.Query, []string{"alpha"})
	if !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("vectors %v, error %v", v, err)
	}
}

// Not parallel, because it counts what the whole process allocates.
func TestEmbed_allocations(t *testing.T) {
	if underRace {
		t.Skip("the race detector drops what is kept in a sync.Pool at random, which then is allocated again; without it the test runs")
	}
	m := open(t, small(1), cnn.Options{Threads: 1})
	vectors(t, m, strings.Repeat("alpha beta ", 60))
	n := testing.AllocsPerRun(50, func() { vectors(t, m, "alpha beta") })
	if n > 24 {
		t.Errorf("%v allocations for a text, want at most 24", n)
	}
}

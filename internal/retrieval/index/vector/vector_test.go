package vector_test

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// unit returns a random vector of length 1 near a centre.
func unit(r *rand.Rand, centre []float32, spread float64, dim int) []float32 {
	v := make([]float32, dim)
	sum := 0.0
	for i := range v {
		x := r.NormFloat64() * spread
		if centre != nil {
			x += float64(centre[i])
		}
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// clustered returns vectors around a few hundred centres, as texts lie.
func clustered(r *rand.Rand, n, dim int) [][]float32 {
	centres := make([][]float32, 200)
	for i := range centres {
		centres[i] = unit(r, nil, 1, dim)
	}
	out := make([][]float32, n)
	for i := range out {
		out[i] = unit(r, centres[r.IntN(len(centres))], .8/math.Sqrt(float64(dim)), dim)
	}
	return out
}

// exact is the cosine in float64.
func exact(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// oracle returns the k nearest by a plain scan.
func oracle(all [][]float32, q []float32, k int) []uint32 {
	rows := make([]uint32, len(all))
	score := make([]float64, len(all))
	for i := range rows {
		rows[i], score[i] = uint32(i), exact(all[i], q)
	}
	slices.SortFunc(rows, func(a, b uint32) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
	return rows[:min(k, len(rows))]
}

func tableOf(all [][]float32) *vector.Table {
	t := vector.New(len(all[0]))
	for _, v := range all {
		t.Append(v)
	}
	return t
}

// Nearly every one of the nearest by a plain scan of float32 is found.
func TestSearch_AgainstExactScan(t *testing.T) {
	t.Parallel()
	const k = 20
	n, queries := 20_000, 100
	if testing.Short() {
		n, queries = 2_000, 20
	}
	for name, make := range map[string]func(*rand.Rand) [][]float32{
		"clustered": func(r *rand.Rand) [][]float32 { return clustered(r, n, 384) },
		"random": func(r *rand.Rand) [][]float32 {
			out := make([][]float32, n)
			for i := range out {
				out[i] = unit(r, nil, 1, 384)
			}
			return out
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			all := make(r)
			table := tableOf(all)
			found := 0
			for range queries {
				q := unit(r, all[r.IntN(n)], .3/math.Sqrt(384), 384)
				code := vector.Quantize(q)
				want := oracle(all, q, k)
				for _, c := range nearest(table, &code, k) {
					if slices.Contains(want, c.row) {
						found++
					}
				}
			}
			recall := float64(found) / float64(k*queries)
			t.Logf("recall@%d %.4f", k, recall)
			if recall < .999 {
				t.Errorf("recall@%d is %.4f, want at least .999", k, recall)
			}
		})
	}
}

func TestQuantize_Bound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-1e30, 1e30), 1, 100).Draw(t, "v")
		c := vector.Quantize(v)
		back := c.Floats(nil, len(v))
		for i := range v {
			d := math.Abs(float64(v[i]) - float64(back[i]))
			if d > float64(c.Scale)*.51 && d > 4e-34 {
				t.Fatalf("component %d: %g became %g, scale %g", i, v[i], back[i], c.Scale)
			}
		}
	})
}

// Components are rounded half away from zero, also next to a half.
func TestQuantize_Rounding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := []float32{rapid.Float32Range(1e-30, 1e30).Draw(t, "largest")}
		scale := vector.Quantize(v).Scale
		for _, k := range rapid.SliceOfN(rapid.IntRange(-32639, 32638), 1, 60).Draw(t, "steps") {
			half := float32((float64(k) + .5) * float64(scale))
			v = append(v, math.Nextafter32(half, -v[0]), half, math.Nextafter32(half, v[0]))
		}
		c := vector.Quantize(v)
		for i, x := range v {
			want := min(max(math.Round(float64(x)/float64(c.Scale)), -32639), 32639)
			if got := 256*int(c.Hi[i]) + int(c.Lo[i]); got != int(want) {
				t.Fatalf("%g at scale %g became %d, want %g", x, c.Scale, got, want)
			}
		}
	})
}

func TestQuantize_Odd(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{nil, {0}, {nan}, {inf, -inf}, {nan, 1, inf}, {math.SmallestNonzeroFloat32}, {3.761582e-37}, {-1, 1}} {
		c := vector.Quantize(v)
		if len(c.Hi) != len(c.Lo) || len(c.Hi)%32 != 0 || math.IsNaN(float64(c.Scale)) {
			t.Errorf("%v: got %v", v, c)
		}
		if x := vector.Cosine(&c, &c); math.IsNaN(x) || x < -1 || x > 1 {
			t.Errorf("%v: cosine with itself is %v", v, x)
		}
	}
}

// Rough and exact cosines keep their bounds, whatever the dimension and however
// the table came to be.
func TestTable(t *testing.T) {
	t.Parallel()
	n := uint32(3000)
	if testing.Short() {
		n = 500
	}
	for _, dim := range []int{1, 31, 32, 33, 100, 384, 1000} {
		r := rand.New(rand.NewPCG(uint64(dim), 1))
		var all [][]float32
		for range n {
			all = append(all, unit(r, nil, 1, dim))
		}
		grown := tableOf(all)
		var odd []uint32
		for i := uint32(1); i < n; i += 2 {
			odd = append(odd, i)
		}
		picked := pick(grown, odd)
		hi, lo, scales := picked.Planes()
		opened, err := vector.Open(dim, picked.Len(), bytes.Clone(hi), bytes.Clone(lo), bytes.Clone(scales))
		if err != nil {
			t.Fatal(err)
		}
		opened.Append(all[0])
		q := vector.Quantize(all[7])
		rough, again := grown.Scan(nil, &q), opened.Scan(nil, &q)
		for i, v := range all {
			c := grown.At(uint32(i))
			want := exact(v, all[7])
			if got := vector.Cosine(&q, &c); math.Abs(got-want) > 1e-4 {
				t.Fatalf("dimension %d, row %d: exact cosine %v, want %v", dim, i, got, want)
			}
			if math.Abs(float64(rough[i])-want) > .02 {
				t.Fatalf("dimension %d, row %d: rough cosine %v, want %v", dim, i, rough[i], want)
			}
		}
		for i, row := range odd {
			if again[i] != rough[row] {
				t.Fatalf("dimension %d: row %d of the opened table: %v, want %v", dim, i, again[i], rough[row])
			}
		}
		if got := again[len(odd)]; got != rough[0] {
			t.Errorf("dimension %d: the appended row: %v, want %v", dim, got, rough[0])
		}
	}
}

// candidate is a row and its cosine with a query.
type candidate struct {
	row    uint32
	cosine float64
}

// nearest returns the k rows nearest to q, as a search does: a scan chooses candidates, and exact
// cosines rank them.
func nearest(table *vector.Table, q *vector.Code, k int) []candidate {
	order := func(a, b candidate) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.row, b.row)) }
	best := top.New(max(4*k, 100), order)
	for row, score := range table.Scan(nil, q) {
		if b := best.Bound(); b == nil || float64(score) > b.cosine {
			best.Add(candidate{uint32(row), float64(score)})
		}
	}
	list := best.Sorted()
	for i := range list {
		c := table.At(list[i].row)
		list[i].cosine = vector.Cosine(q, &c)
	}
	slices.SortFunc(list, order)
	return list[:min(k, len(list))]
}

// One goroutine appends while others search copies.
func TestTable_Concurrent(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	all := clustered(r, 3000, 64)
	table := tableOf(all[:1500])
	var wg sync.WaitGroup
	for i := range 4 {
		then := *table
		wg.Go(func() {
			q := vector.Quantize(all[i])
			for range 20 {
				if got := nearest(&then, &q, 1); len(got) != 1 || got[0].row != uint32(i) {
					t.Errorf("got %v, want row %d", got, i)
				}
			}
		})
	}
	for _, v := range all[1500:] {
		table.Append(v)
	}
	wg.Wait()
	if table.Len() != 3000 {
		t.Errorf("got %d rows, want 3000", table.Len())
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(4, 2, make([]byte, 64), make([]byte, 64), make([]byte, 8))
	f.Add(1, -1, []byte{}, []byte{}, []byte{})
	f.Add(1<<40, 1, []byte{1}, []byte{2}, []byte{3, 4, 5, 6})
	f.Fuzz(func(t *testing.T, dim, rows int, hi, lo, scales []byte) {
		table, err := vector.Open(dim, rows, hi, lo, scales)
		if err != nil {
			if !errors.Is(err, hippo.ErrCorrupt) {
				t.Errorf("got %v, want ErrCorrupt", err)
			}
			return
		}
		q := vector.Quantize(make([]float32, dim))
		if got := table.Scan(nil, &q); len(got) != rows {
			t.Errorf("got %d scores for %d rows", len(got), rows)
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{10_000, 100_000} {
		all := clustered(r, n, 384)
		table := tableOf(all)
		rows := make([]uint32, n)
		for i := range rows {
			rows[i] = uint32(i)
		}
		table = pick(table, rows)
		q := vector.Quantize(unit(r, all[0], .02, 384))
		b.Run(map[int]string{10_000: "10k", 100_000: "100k"}[n], func(b *testing.B) {
			for b.Loop() {
				nearest(table, &q, 50)
			}
		})
	}
}

// pick returns a table of some rows of another, in one piece.
func pick(t *vector.Table, rows []uint32) *vector.Table {
	p := vector.NewSized(t.Dim(), len(rows))
	for _, r := range rows {
		p.AppendCode(t.At(r))
	}
	return p
}

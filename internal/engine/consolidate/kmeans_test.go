package consolidate

import (
	"math/rand/v2"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// directions returns n vectors of length 1, each near one of some axes; amount 0: on them.
func directions(n, axes int, amount float64) []vector.Code {
	r := rand.New(rand.NewPCG(1, 1))
	out := make([]vector.Code, n)
	for i := range out {
		v := make([]float32, 64)
		v[i%axes] = 1
		for k := range v {
			v[k] += float32(amount * r.NormFloat64())
		}
		out[i] = unit(vector.Quantize(v))
	}
	return out
}

func options(seed uint64) *Clustering {
	o := Default().Clusters
	o.Seed = seed
	return &o
}

func TestClustersFor(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{4: 2, 8: 2, 18: 3, 200: 10, 512: 16, 100_000: 16} {
		if got := clustersFor(n); got != want {
			t.Errorf("%d clusters for %d vectors, want %d", got, n, want)
		}
	}
	for n, want := range map[int]int{4: 16, 2000: 8, 100_000: 1} {
		if got := restarts(n); got != want {
			t.Errorf("%d runs for %d vectors, want %d", got, n, want)
		}
	}
}

func TestDivide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, axes int
		amount  float64
		k, want int
	}{
		{40, 1, 0, 8, 1},   // one point
		{40, 3, 0, 8, 3},   // fewer points than clusters
		{40, 4, .01, 4, 4}, // one cluster an axis
		{4, 4, 0, 2, 2},
	} {
		lists, err := divide(never, directions(c.n, c.axes, c.amount), c.k, 4, options(1))
		if err != nil {
			t.Fatal(err)
		}
		if len(lists) != c.want {
			t.Errorf("%+v: %d clusters", c, len(lists))
		}
		all := 0
		for _, l := range lists {
			all += len(l)
			for i, at := range l {
				if c.want == c.axes && at%c.axes != l[0]%c.axes || i > 0 && at <= l[i-1] {
					t.Errorf("%+v: a cluster of %v", c, l)
				}
			}
		}
		if all != c.n {
			t.Errorf("%+v: %d vectors in clusters", c, all)
		}
	}
}

func TestDivide_TakesTheBestRun(t *testing.T) {
	t.Parallel()
	codes := directions(300, 12, .15)
	quality := func(runs int, seed uint64) float64 {
		lists, err := divide(never, codes, 12, runs, options(seed))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, l := range lists {
			total := make([]float64, 64)
			for _, i := range l {
				add(total, &codes[i])
			}
			centroid := direction(total, codes[0])
			for _, i := range l {
				sum += vector.Cosine(&centroid, &codes[i])
			}
		}
		return sum / float64(len(codes))
	}
	one, more := 0.0, 0.0
	for seed := range uint64(10) {
		one += quality(1, seed) / 10
		more += quality(8, seed) / 10
	}
	if more < one+.005 {
		t.Errorf("the mean cosine with a centroid is %.4f with one run and %.4f with eight", one, more)
	}
}

func TestReseed(t *testing.T) {
	t.Parallel()
	m := &kmeans{codes: directions(6, 2, 0), of: []int{0, 0, 0, 0, 1, 1}, cosine: []float32{.9, .2, .8, 1, .1, .95}}
	m.centroids = make([]vector.Code, 4)
	m.reseed()
	size := make([]int, 4)
	for _, k := range m.of {
		size[k]++
	}
	for k, n := range size {
		if n == 0 {
			t.Errorf("cluster %d is empty: %v", k, m.of)
		}
	}
	if m.of[4] != 2 || m.of[1] != 3 {
		t.Errorf("the farthest vectors went to %v, want the one at 4 to cluster 2 and that at 1 to cluster 3", m.of)
	}
	// Where all are at their centroids nothing moves.
	m = &kmeans{codes: m.codes, of: make([]int, 6), cosine: []float32{1, 1, 1, 1, 1, 1}, centroids: make([]vector.Code, 2)}
	if m.reseed(); m.of[0]+m.of[5] != 0 {
		t.Errorf("equal vectors were divided: %v", m.of)
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		var a, b item
		both, either := 0, 0
		for term := range uint32(40) {
			x, y := r.IntN(10) < 7, r.IntN(10) < 7
			if x {
				a.terms = append(a.terms, term)
			}
			if y {
				b.terms = append(b.terms, term)
			}
			if x && y {
				both++
			}
			if x || y {
				either++
			}
		}
		want := float64(both) / float64(either)
		for _, least := range []float64{.3, .5, want, .7, 1} {
			got := overlap(&a, &b, least)
			if want >= least && got != want || want < least && got != 0 && got != want {
				t.Fatalf("overlap %v at least %v, want %v", got, least, want)
			}
		}
	}
}

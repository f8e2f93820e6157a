package top_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/base/top"
)

// Whatever comes in whatever order, what is kept is the beginning of it all, sorted.
func TestList_is_the_beginning_of_the_sorted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		all := rapid.SliceOf(rapid.IntRange(0, 30)).Draw(r, "all")
		n := rapid.IntRange(-1, 20).Draw(r, "n")
		l := top.New(n, cmp.Compare[int])
		for i, x := range all {
			if b := l.Bound(); b != nil && *b < slices.Sorted(slices.Values(all[:i]))[n-1] {
				r.Fatalf("after %v: the bound of the best %d is %d", all[:i], n, *b)
			}
			l.Add(x)
		}
		if b := l.Bound(); n > 0 && b == nil && len(all) >= 2*n+16 {
			r.Fatalf("after %v: no bound of the best %d", all, n)
		}
		want := slices.Sorted(slices.Values(all))
		want = want[:min(max(n, 0), len(want))]
		if got := slices.Sorted(slices.Values(l.Items())); !slices.Equal(got, want) {
			r.Fatalf("got items %v, want %v", got, want)
		}
		if got := l.Sorted(); !slices.Equal(got, want) {
			r.Fatalf("got %v, want %v", got, want)
		}
	})
}

func BenchmarkList(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]int, 10_000)
	for i := range all {
		all[i] = random.IntN(1 << 30)
	}
	for b.Loop() {
		l := top.New(200, cmp.Compare[int])
		for _, x := range all {
			if b := l.Bound(); b == nil || x < *b {
				l.Add(x)
			}
		}
		l.Sorted()
	}
}

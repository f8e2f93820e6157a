package bm25_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

func TestScorer_known_values(t *testing.T) {
	t.Parallel()
	stats := bm25.Stats{Docs: 4, Length: [bm25.NumFields]uint64{40, 8, 0}}
	s := bm25.NewScorer(bm25.DefaultParams(), stats)
	for _, c := range []struct {
		tf, length bm25.Counts
		want       float64
	}{
		{bm25.Counts{1}, bm25.Counts{10}, 1},                                 // mean length: tf (k1+1)/(tf+k1)
		{bm25.Counts{2}, bm25.Counts{10}, 1.375},                             // 2*2.2/3.2
		{bm25.Counts{1}, bm25.Counts{20}, (1 / 1.75) * 2.2 / (1/1.75 + 1.2)}, // twice the mean
		{bm25.Counts{1, 1}, bm25.Counts{10, 2}, 1.375},                       // fields add up before they saturate
		{bm25.Counts{0, 0, 1}, bm25.Counts{0, 0, 3}, 1},                      // no mean: no normalisation
		{bm25.Counts{}, bm25.Counts{10}, 0},
	} {
		if got := s.Saturated(&c.tf, &c.length); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%v of %v: got %v, want %v", c.tf, c.length, got, c.want)
		}
	}
	if got, want := bm25.IDF(10, 2), math.Log(1+8.5/2.5); got != want {
		t.Errorf("got idf %v, want %v", got, want)
	}
}

func TestScorer_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1000).Draw(t, "docs")
		s := bm25.NewScorer(bm25.DefaultParams(), bm25.Stats{
			Docs: n, Length: [bm25.NumFields]uint64{uint64(n * rapid.IntRange(1, 300).Draw(t, "mean"))},
		})
		tf := rapid.Uint32Range(1, 500).Draw(t, "tf")
		length := tf + rapid.Uint32Range(0, 500).Draw(t, "rest")
		score := func(tf, length uint32) float64 { return s.Saturated(&bm25.Counts{tf}, &bm25.Counts{length}) }
		got := score(tf, length)
		if got <= 0 || got >= s.Most() {
			t.Errorf("got %v, bound %v", got, s.Most())
		}
		if row := s.Row(tf); row != nil && int(length) < len(row) && row[length] != got {
			t.Errorf("got %v from the table, %v from the formula", row[length], got)
		}
		if score(tf+1, length+1) < score(tf, length+1) || score(tf, length+1) > got {
			t.Error("not monotone")
		}
		if df := rapid.IntRange(0, n).Draw(t, "df"); bm25.IDF(n, df) <= 0 {
			t.Errorf("idf of %d of %d is not positive", df, n)
		}
	})
}

func Example() {
	bm25.Words().Terms("HTTPServerError in the caches", func(term []byte) { fmt.Println(string(term)) })
	// Output:
	// http
	// server
	// error
	// httpservererror
	// in
	// the
	// cach
}

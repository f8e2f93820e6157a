package recall_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// A search without a distribution has the hits and the total of one with it, although it does not read
// what cannot be a hit.
func TestRecall_NoDistribution(t *testing.T) {
	t.Parallel()
	for name, words := range map[string][]*embedtest.Words{"lexical": nil, "semantic": {embedtest.NewWords("word")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openReranking(t, words...)
			f.put(many(3000)...)
			for _, text := range []string{"car", "car fuel lunch", "red rain green", "which lisbon petrol blue car"} {
				for _, situation := range [][]string{nil, {"debugging"}} {
					for _, offset := range []int{0, 40, 150} {
						q := hippo.Query{Text: text, Situation: situation, Offset: offset, Count: 50, Ranker: hippo.RankerHippo}
						want := f.recall(q)
						q.NoDistribution = true
						got := f.recall(q)
						if want.Total < 1000 || want.Distribution.Sum() != want.Total || got.Distribution.Sum() != 0 {
							t.Fatalf("%+v: total %d, distributions %v and %v: not a test", q, want.Total, want.Distribution, got.Distribution)
						}
						got.Distribution = want.Distribution
						if d := cmp.Diff(want, got); d != "" {
							t.Errorf("%+v (-with a distribution +without):\n%s", q, d)
						}
					}
				}
			}
		})
	}
}

// many returns memories with a few words in common, some of them superseded by one without them, archived, or
// pinned.
func many(n int) []*hippo.Memory {
	r := rand.New(rand.NewPCG(3, 5))
	words := strings.Fields("car fuel petrol lunch rain red green blue lisbon car car rain rain red tram")
	out := make([]*hippo.Memory, n)
	for i := range out {
		text := make([]string, 1+r.IntN(6))
		for k := range text {
			text[k] = words[r.IntN(len(words))]
		}
		m := turn(i+1, "", strings.Join(text, " "))
		m.ID = hippo.ID{0: byte(i * 89), 1: 1, 13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)}
		m.Importance.Value = r.Float64()
		m.Pinned = r.IntN(50) == 0
		if r.IntN(4) == 0 {
			m.Situation = []string{[]string{"debugging", "debugging outages", "travel"}[r.IntN(3)]}
		}
		if r.IntN(20) == 0 {
			m.ArchivedAt = m.CreatedAt
		}
		out[i] = m
	}
	for range n / 50 {
		old, by := r.IntN(n), r.IntN(n)
		if old != by {
			out[old].SupersededBy = out[by].ID
			if r.IntN(2) == 0 {
				out[by].Content = "bicycle"
			}
		}
	}
	return out
}

package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// Whatever is asked, of however few memories, there is an answer that adds up.
func TestSearch_OddQueries(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for n := 0; long.Len() < hippo.MaxQuery-16; n++ {
		fmt.Fprintf(&long, "Word%d car ", n)
	}
	for name, text := range map[string]string{
		"nothing": "", "punctuation": "?!... -- \"'", "one sign": "?", "function words": "the of and",
		"unknown": "Zyx", "long": long.String(), "repeated": strings.Repeat("car ", hippo.MaxQuery/4),
	} {
		for _, memories := range []int{0, 1, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, memories), func(t *testing.T) {
				t.Parallel()
				m := openTalk(t, newKept(), &wordPieces{}, instant(newFake("word")))
				for n := range memories {
					m.put(turn(n+1, "s", []string{"car", "!!!", "the car of Word1"}[n]))
				}
				for _, ranker := range hippo.Rankers() {
					a := m.search(hippo.Query{Text: text, Ranker: ranker, Explain: true, Relevance: &hippo.Range{Max: 2}})
					if a.Total != len(a.Hits) || a.Distribution.Sum() != a.Total || !(a.Confidence >= 0 && a.Confidence <= 1) {
						t.Errorf("%s: total %d, distribution %v, %d hits, confidence %v", ranker, a.Total, a.Distribution, len(a.Hits), a.Confidence)
					}
					for _, h := range a.Hits {
						if !(h.Relevance >= 0 && h.Relevance <= 1) {
							t.Errorf("%s: relevance %v", ranker, h.Relevance)
						}
					}
				}
			})
		}
	}
}

func TestSearch_PagesFarBehind(t *testing.T) {
	t.Parallel()
	m := newTalk(t)
	m.put(turn(1, "", "car"))
	for _, offset := range []int{1, 1 << 30, math.MaxInt - 200, math.MaxInt - 20, math.MaxInt} {
		for _, ranker := range hippo.Rankers() {
			a := m.search(hippo.Query{Text: fmt.Sprint("car ", offset), Ranker: ranker, Offset: offset, Relevance: &hippo.Range{Max: 2}})
			if len(a.Hits) != 0 || ranker != hippo.RankerCosine && a.Total != 1 {
				t.Errorf("%s at %d: %d hits of %d", ranker, offset, len(a.Hits), a.Total)
			}
		}
	}
}

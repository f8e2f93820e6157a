package consolidate

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/label"
)

const (
	// keptWeights is the number of terms of a cluster that have a weight.
	keptWeights = 64
	// labelled is the number of members in whose texts the words of a label are looked for.
	labelled = 32
)

// telling returns the terms that distinguish a cluster from the rest, with their weights: the share of the members that
// have the term, times its inverse document frequency. A term of one member of several says nothing of the others.
func (c *corpus) telling(stop pause, at []int) (map[uint32]float64, error) {
	count := make(map[uint32]int)
	for k, i := range at {
		if err := stop.at(k, checkEvery); err != nil {
			return nil, err
		}
		for _, t := range c.items[i].terms {
			count[t]++
		}
	}
	type weighted struct {
		term   uint32
		weight float64
	}
	list := make([]weighted, 0, len(count))
	for t, n := range count {
		if n > 1 || len(at) == 1 {
			list = append(list, weighted{t, float64(n) / float64(len(at)) * c.idf(t)})
		}
	}
	slices.SortFunc(list, func(a, b weighted) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term)) })
	out := make(map[uint32]float64, keptWeights)
	for _, w := range list[:min(len(list), keptWeights)] {
		out[w.term] = w.weight
	}
	return out, nil
}

// label returns the words of the most central members whose terms have the largest weights.
func (c *corpus) label(g *group, n int) []string {
	var texts []string
	for _, m := range g.members[:min(len(g.members), labelled)] {
		texts = append(texts, c.items[m.at].Content)
	}
	return label.Of(c.analyzer, texts, n, func(t *label.Term) float64 {
		if number, ok := c.term([]byte(t.Text)); ok {
			return g.weights[number]
		}
		return 0
	})
}

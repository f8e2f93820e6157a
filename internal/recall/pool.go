package recall

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieve"
	"github.com/hippo-memory/hippo/internal/top"
)

// pool collects the candidates to be reranked: the best of the first stage, and the best of each
// list whatever the others say, so that no list is overruled by weights that do not fit the query.
type pool struct {
	first *firstStage
	lists [1 + retrieve.Channels]*top.List[listed]
}

// listed is a match and the score that orders a list.
type listed struct {
	by float64
	scoredMatch
}

func newPool(f *firstStage) *pool {
	p := &pool{first: f}
	for i := range p.lists {
		p.lists[i] = top.New(f.weights.Rerank.Lists, p.better)
	}
	return p
}

// size is the largest number of candidates.
func (p *pool) size() int {
	return p.first.weights.Rerank.TopK + len(p.lists)*p.first.weights.Rerank.Lists
}

func (p *pool) better(a, b listed) int {
	if a.by != b.by {
		return cmp.Compare(b.by, a.by)
	}
	return p.first.better(a.scoredMatch, b.scoredMatch)
}

func (p *pool) add(m *retrieve.Match, x scoredMatch) {
	for i, by := range [...]float64{m.Score, m.Cosine, m.Multilingual} {
		if by <= 0 {
			continue
		}
		if b := p.lists[i].Bound(); b == nil || by >= b.by {
			p.lists[i].Add(listed{by, x})
		}
	}
}

// top returns the candidates, best first. best are the best of the first stage, best first.
func (p *pool) top(best []scoredMatch) []scoredMatch {
	out := make([]scoredMatch, 0, p.size())
	out = append(out, firstOf(best, p.first.weights.Rerank.TopK)...)
	for _, list := range p.lists {
		for _, x := range list.Items() {
			out = append(out, x.scoredMatch)
		}
	}
	slices.SortFunc(out, func(a, b scoredMatch) int { return cmp.Compare(a.number, b.number) })
	out = slices.CompactFunc(out, func(a, b scoredMatch) bool { return a.number == b.number })
	slices.SortFunc(out, p.first.better)
	return out
}

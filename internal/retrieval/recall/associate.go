package recall

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

const (
	// relatedHits is how many of the best hits a search reads the relations of, beyondHits of
	// how many memories that learned ones lead to, and relationsEach how many of each. Further
	// hits are less relevant, at the same cost.
	relatedHits   = 8
	beyondHits    = 8
	relationsEach = 8
)

// link is a way from one of the best hits to another memory: a relation, or two learned ones in a
// row.
type link struct {
	from, to hippo.ID
	weight   float64
	learned  bool
}

// links reads the relations of memories, and those of the memories that learned relations lead to,
// and returns the ways from them. What has no learned relation is read once.
func (s *Searcher) links(ctx context.Context, p *Plan, ids []hippo.ID, at time.Time) ([]link, error) {
	near, err := s.relations.Relations(ctx, p.search.Scope, ids, at, relationsEach)
	if err != nil {
		return nil, err
	}
	beyond := learnedEnds(near, ids)
	if len(beyond) == 0 {
		return ways(&p.weights.Relations, ids, near), nil
	}
	far, err := s.relations.Relations(ctx, p.search.Scope, beyond, at, relationsEach)
	if err != nil {
		return nil, err
	}
	all := append(near, far...)
	slices.SortFunc(all, func(a, b hippo.Relation) int { return a.Compare(&b) })
	return ways(&p.weights.Relations, ids, slices.CompactFunc(all, func(a, b hippo.Relation) bool { return a.Compare(&b) == 0 })), nil
}

// learnedEnds returns the other ends of the strongest learned relations of memories, without those
// memories.
func learnedEnds(list []hippo.Relation, of []hippo.ID) (out []hippo.ID) {
	best := top.New(beyondHits, func(a, b hippo.Relation) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), a.Compare(&b)) })
	for _, r := range list {
		if r.Kind == hippo.CoRecalled && slices.Contains(of, r.From) != slices.Contains(of, r.To) {
			best.Add(r)
		}
	}
	for _, r := range best.Sorted() {
		id := r.From
		if slices.Contains(of, id) {
			id = r.To
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// ways returns the ways from memories over relations, which are different ones.
func ways(w *rank.Relations, from []hippo.ID, list []hippo.Relation) (out []link) {
	degrees := make(map[hippo.ID]float64)
	for _, r := range list {
		if r.Kind == hippo.CoRecalled {
			degrees[r.From] += r.Weight
			degrees[r.To] += r.Weight
		}
	}
	ends := make(map[hippo.ID][]link)
	for i := range list {
		r := &list[i]
		weight := w.Spread(r, degrees[r.From], degrees[r.To])
		for _, id := range []hippo.ID{r.From, r.To} {
			ends[id] = append(ends[id], link{id, r.Other(id), weight, r.Kind == hippo.CoRecalled})
		}
	}
	for _, id := range from {
		for _, first := range ends[id] {
			out = append(out, first)
			if !first.learned {
				continue
			}
			for _, second := range ends[first.to] {
				if second.learned && second.to != id {
					out = append(out, link{id, second.to, first.weight * second.weight, true})
				}
			}
		}
	}
	return out
}

// relatedness returns, by memory, the largest product of the weight of a way to it and the
// relevance of the memory where that begins.
func relatedness(links []link, relevance map[hippo.ID]float64) map[hippo.ID]float64 {
	related := make(map[hippo.ID]float64, len(links))
	for _, l := range links {
		related[l.to] = max(related[l.to], l.weight*relevance[l.from])
	}
	return related
}

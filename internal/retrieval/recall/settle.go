package recall

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// settle ranks what is superseded behind those of its successors that are hits, with a ranker with which these do not take its
// place, and what does not hold behind what holds and is as relevant. Cost: a read of the row of each hit.
func settle(p *Plan, found *retrieve.Result, in ranking) ranking {
	var superseded []int
	lapsed := false
	for i := range in.hits {
		lapsed = lapsed || in.hits[i].signals.Lapsed
		if found.Reader.Row(in.hits[i].match.Doc).Superseded {
			superseded = append(superseded, i)
		}
	}
	if len(superseded) == 0 && !lapsed || p.about.any {
		return in
	}
	relevance, steps := make(map[hippo.ID]float64, len(in.hits)), make(map[hippo.ID]int)
	for i := range in.hits {
		relevance[in.hits[i].ID] = in.hits[i].relevance
	}
	out := in
	out.hits = slices.Clone(in.hits)
	for _, i := range superseded {
		h := &out.hits[i]
		least, n := behind(found.Reader, h.match.Doc, relevance)
		if steps[h.ID] = n; least < h.relevance {
			out.tally.move(&h.relevance, least, p.within)
			h.relevance, h.via = least, hippo.ViaSuccession
		}
	}
	slices.SortStableFunc(out.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.relevance, a.relevance), rank.LapsedLast(!a.signals.Lapsed, !b.signals.Lapsed), cmp.Compare(steps[a.ID], steps[b.ID]))
	})
	return out
}

// behind returns the least relevance of a memory and the hits that supersede it, one after the other, and how many those are.
func behind(r retrieve.Reader, doc retrieve.Doc, relevance map[hippo.ID]float64) (least float64, steps int) {
	least = relevance[r.Key(doc).ID]
	for range maxPredecessors {
		next, ok := r.Successor(doc)
		if !ok || next == doc {
			break
		}
		if x, hit := relevance[r.Key(next).ID]; hit {
			least = min(least, x)
			steps++
		}
		doc = next
	}
	return least, steps
}

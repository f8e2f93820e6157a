package recall

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/retrieve"
)

const (
	// vagueMemories is the least number of hits that have as much of a vague query as the best: a page.
	vagueMemories = 10
	// covers is the share of the best coverage that counts as the same.
	covers = .99
	// reserved is the number of reserved places. The first one is the third of all, and each
	// further one the second after it, so that all are among the first five.
	reserved, firstReserved, reservedStep = 2, 2, 2
	// moreImportant is the least difference of an importance from the median.
	moreImportant = .15
	// alike is the similarity from which a memory says the same as another one.
	alike = .8
)

// reserve gives places among the first five hits of a vague query to the most important memories
// that match it, one of several alike: "tell me about auth" fits each of twenty memories on
// auth, and text does not tell which of them matters. What is asked precisely stays as it is.
func reserve(p *Plan, found *retrieve.Result, r reranked, in ranking) ranking {
	if r.passages == nil || len(in.hits) <= firstReserved || !isVague(p, found) {
		return in
	}
	chosen := important(found, r, in)
	if len(chosen) == 0 {
		return in
	}
	out := in
	out.hits = slices.Clone(in.hits)
	for i, id := range chosen {
		to := firstReserved + i*reservedStep
		if from := slices.IndexFunc(out.hits, func(h hit) bool { return h.ID == id }); from > to {
			out.promote(p, from, to)
		}
	}
	return out
}

// promote moves a hit forward, to a relevance between those of its new neighbours.
func (o *ranking) promote(p *Plan, from, to int) {
	h := o.hits[from]
	was := h.relevance
	h.relevance, h.via = (o.hits[to-1].relevance+o.hits[to].relevance)/2, hippo.ViaImportance
	o.tally.move(&was, h.relevance, p.within)
	o.hits = slices.Insert(slices.Delete(o.hits, from, from+1), to, h)
}

// important returns the memories that a vague query reserves places for, the most important first.
func important(found *retrieve.Result, r reranked, in ranking) (chosen []hippo.ID) {
	members := topical(&r, in)
	if len(members) < vagueMemories {
		return nil
	}
	slices.SortStableFunc(members, func(a, b hit) int { return cmp.Compare(b.signals.Importance, a.signals.Importance) })
	least := members[len(members)/2].signals.Importance + moreImportant
	var docs []retrieve.Doc
	for i := range members {
		m := &members[i]
		if len(chosen) == reserved || m.signals.Importance < least {
			break
		}
		same := slices.ContainsFunc(docs, func(d retrieve.Doc) bool { return found.Reader.Similarity(d, m.match.Doc) >= alike })
		if !same {
			chosen, docs = append(chosen, m.ID), append(docs, m.match.Doc)
		}
	}
	return chosen
}

// topical returns the hits that have as much of the query literally as any memory, in their order.
func topical(r *reranked, in ranking) (members []hit) {
	most := r.context[rank.Reach]
	for i := range in.hits {
		if h := &in.hits[i]; h.match.Coverage > 0 && h.match.Coverage >= covers*most {
			members = append(members, *h)
		}
	}
	return members
}

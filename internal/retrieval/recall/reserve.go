package recall

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// vagueMemories is the least number of hits that have as much of a vague query as the best: a page.
	vagueMemories = 10
	// covers is the share of the best coverage that counts as the same.
	covers = .99
	// reserved is the number of reserved places. The first one is the third of all, and each
	// further one the second after it, so that all are among the first five.
	reserved, firstReserved, reservedStep = 2, 2, 2
	// moreImportant is the least difference of a salience from the median, where those above the
	// median differ a lot, and littleMore where they do not; spreads is how many times the
	// distance of the upper quartile it is between them.
	moreImportant, littleMore, spreads = .15, .03, 4
)

// reserveSlots gives places among the first five hits of a vague query to the most important memories
// that match it, one of several alike: "tell me about auth" fits each of twenty memories on
// auth, and text does not tell which of them matters. What is asked precisely stays as it is.
func reserveSlots(p *Plan, found *retrieve.Result, r reranked, in ranking) ranking {
	known := knownTerms(p, found)
	if r.passages == nil || len(in.hits) <= firstReserved || known < 1 || known > vagueTerms {
		return in
	}
	chosen := important(found, r, in, known)
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
	h.relevance, h.via = (o.hits[to-1].relevance+o.hits[to].relevance)/2, hippo.ViaImportance
	o.tally.move(&o.hits[from].relevance, h.relevance, p.within)
	o.hits = slices.Insert(slices.Delete(o.hits, from, from+1), to, h)
}

// member is a hit that a vague query fits as well as any other, and its salience: its importance,
// which fades unless it is used, and its surprise, which does not.
type member struct {
	*hit
	salience float64
	scored   bool // it has a surprise
}

// important returns the memories that a vague query reserves places for, those of the highest salience first.
func important(found *retrieve.Result, r reranked, in ranking, known int) (chosen []hippo.ID) {
	members := salience(found, r.importanceClock, topical(&r, in, known))
	if len(members) < vagueMemories {
		return nil
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(b.salience, a.salience) })
	median := members[len(members)/2].salience
	least := median + min(max(spreads*(members[len(members)/4].salience-median), littleMore), moreImportant)
	var docs []retrieve.Doc
	for i := range members {
		m := &members[i]
		if len(chosen) == reserved || m.salience < least {
			break
		}
		same := slices.ContainsFunc(docs, func(d retrieve.Doc) bool { return found.Reader.Similarity(d, m.match.Doc) >= alike })
		if !same {
			chosen, docs = append(chosen, m.ID), append(docs, m.match.Doc)
		}
	}
	return chosen
}

// salience returns hits with their salience. Without a surprise they have the mean of the others.
func salience(found *retrieve.Result, importanceClock rank.Clock, hits []*hit) []member {
	members := make([]member, len(hits))
	sum, n := 0.0, 0
	for i, h := range hits {
		row := found.Reader.Row(h.match.Doc)
		members[i] = member{h, importanceClock.Importance(row.Untied, row.UntiedDay, row.Pinned), row.Scored}
		if row.Scored {
			members[i].salience += row.Surprise
			sum += row.Surprise
			n++
		}
	}
	for i := range members {
		if n > 0 && !members[i].scored {
			members[i].salience += sum / float64(n)
		}
	}
	return members
}

// topical returns the hits that have as much of the query literally as any memory, without those that are archived or do not hold, in their order. If
// memories know a single term of it, as much as the last of a page is enough: what one of them has more
// is like a word that no memory has, such as "fell" is like "tell".
func topical(r *reranked, in ranking, known int) (members []*hit) {
	least := covers * r.context[rank.Reach]
	if known == 1 {
		best := top.New(vagueMemories, func(a, b float64) int { return cmp.Compare(b, a) })
		for i := range in.hits {
			best.Add(in.hits[i].match.Coverage)
		}
		list := best.Sorted()
		least = covers * list[len(list)-1]
	}
	for i := range in.hits {
		if h := &in.hits[i]; !h.signals.Behind && !h.signals.Lapsed && h.match.Coverage > 0 && h.match.Coverage >= least {
			members = append(members, h)
		}
	}
	return members
}

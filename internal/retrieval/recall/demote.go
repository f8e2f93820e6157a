package recall

import (
	"math"
	"slices"
)

// demote returns the scores of the first stage with what was not reranked below what was: both
// stages measure relevance, but the first one knows less. The passages count with the scale of these scores.
func demote(p *Plan, s scored, r reranked) (scored, reranked) {
	if r.passages == nil || r.top == 0 {
		return s, r
	}
	least := math.Inf(1)
	for i := range r.list[:r.top] {
		least = min(least, r.final(p, &r.list[i], 0).relevance)
	}
	for _, x := range s.best {
		if r.of(s.first.found.Matches[x.number].Doc) == nil {
			if x.relevance > least {
				r.scale = least / x.relevance
			}
			break // they are in order
		}
	}
	s.first.scale = r.scale
	s.best = slices.DeleteFunc(scaled(s.best, r.scale), func(x scoredMatch) bool { return !p.within.has(x.relevance) })
	if r.scale == 1 {
		return s, r
	}
	s.superseded = scaled(s.superseded, r.scale)
	if s.tally.undistributed { // all relevances are in the range, those that are scaled, too
		return s, r
	}
	s.tally = tally{}
	for _, x := range s.relevances {
		x *= r.scale
		s.tally.add(x, p.within.has(x))
	}
	return s, r
}

// scaled returns matches with scaled relevances.
func scaled(list []scoredMatch, by float64) []scoredMatch {
	out := slices.Clone(list)
	for i := range out {
		out[i].relevance *= by
	}
	return out
}

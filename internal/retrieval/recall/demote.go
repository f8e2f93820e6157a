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
	if !s.tally.undistributed && (r.scale != 1 || len(s.unread.list) > 0) { // undistributed: scaled or not, all relevances are in the range
		s.tally = s.recount(p, r.scale)
	}
	s.first.scale = r.scale
	s.best = slices.DeleteFunc(scaled(s.best, r.scale), func(x scoredMatch) bool { return !p.within.has(x.relevance) })
	if r.scale == 1 {
		return s, r
	}
	s.superseded = scaled(s.superseded, r.scale)
	return s, r
}

// recount returns the tally of all matches, with their relevances scaled.
func (s *scored) recount(p *Plan, scale float64) (t tally) {
	for _, x := range s.relevances {
		x *= scale
		t.add(x, p.within.has(x))
	}
	first := s.first
	for i := range s.unread.list {
		x := &s.unread.list[i]
		low, high := s.unread.between(x)
		if !t.distribution.AddWithin(low*scale, high*scale) {
			m, _ := first.found.Match(x.doc)
			row := first.found.Reader.Row(x.doc)
			relevance, _ := first.rank(&m, &row)
			t.distribution.Add(relevance * scale)
		}
	}
	t.total += len(s.unread.list)
	return t
}

// scaled returns matches with scaled relevances.
func scaled(list []scoredMatch, by float64) []scoredMatch {
	out := slices.Clone(list)
	for i := range out {
		out[i].relevance *= by
	}
	return out
}

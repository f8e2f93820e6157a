package recall

import "slices"

// demote returns the scores of the first stage with what was not reranked below what was: both
// stages measure relevance, but the first one knows less. The passages count with the scale of these scores.
func demote(p *Plan, s scored, r reranked) (scored, reranked) {
	if r.passages == nil || r.top == 0 {
		return s, r
	}
	out := s.demoted(r.passages, r.leastOfTop(p))
	r.scale = out.first.scale
	return out, r
}

// leastOfTop returns the least relevance of the top candidates, without relations.
func (r *reranked) leastOfTop(p *Plan) float64 {
	second := &secondStage{linear: r.linear}
	least := 0.0
	var h hit
	for i := range r.list[:r.top] {
		p.final(&h, &r.list[i], second)
		if i == 0 || h.relevance < least {
			least = h.relevance
		}
	}
	return least
}

// demoted returns the scores with what was not reranked below what was. least is the least
// relevance of what was reranked.
func (s *scored) demoted(r *passages, least float64) scored {
	most := 0.0
	for _, x := range s.best {
		if r.of(s.first.found.Matches[x.number].Doc) == nil {
			most = max(most, x.relevance)
			break // they are in order
		}
	}
	out := *s
	if most > least {
		out.first.scale = least / most
	}
	out.best = slices.DeleteFunc(scaled(s.best, out.first.scale), func(x scoredMatch) bool { return !s.first.within.has(x.relevance) })
	if out.first.scale == 1 {
		return out
	}
	out.superseded = scaled(s.superseded, out.first.scale)
	if s.tally.undistributed { // all relevances are in the range, those that are scaled, too
		return out
	}
	out.tally = tally{}
	for _, x := range s.relevances {
		x *= out.first.scale
		out.tally.add(x, s.first.within.has(x))
	}
	return out
}

// scaled returns matches with scaled relevances.
func scaled(list []scoredMatch, by float64) []scoredMatch {
	out := slices.Clone(list)
	for i := range out {
		out[i].relevance *= by
	}
	return out
}

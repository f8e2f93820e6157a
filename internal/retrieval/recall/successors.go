package recall

import (
	"cmp"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// succeed ranks successors above the memories that they supersede, as of now, or as the query asks for
// the past.
func promoteSuccessors(p *Plan, found *retrieve.Result, sc scored, r reranked, in ranking, now time.Time) ranking {
	if !p.succeeding() {
		return settle(p, found, in)
	}
	x, want := collect(found, sc, r), pastOf(p)
	if want.former() {
		x.addPredecessors(found, in)
	}
	x.follow(found.Reader)
	if len(x.list) == 0 {
		return in
	}
	x.score(&sc.first, found)
	x.useFinalScores(p, r, in)
	x.place()
	if p.ranker == hippo.RankerHippo {
		x.placeChains(want, found.Reader, now.UnixMicro())
	}
	return x.apply(p, in)
}

// collect collects the superseded matches and passages.
func collect(found *retrieve.Result, sc scored, r reranked) *successions {
	x := &successions{at: make(map[hippo.ID]int)}
	for _, m := range sc.superseded {
		s := x.add(found.Reader, found.Matches[m.number].Doc)
		s.found, s.counted = true, m.relevance
	}
	if r.passages != nil {
		for i := range r.list {
			p := &r.list[i]
			if _, ok := found.Reader.Successor(p.match.Doc); ok && p.admitted && !x.has(p.ID) {
				x.add(found.Reader, p.match.Doc)
			}
		}
	}
	return x
}

// follow adds the successors, and theirs.
func (x *successions) follow(r retrieve.Reader) {
	for i := 0; i < len(x.list); i++ {
		doc, ok := r.Successor(x.list[i].doc)
		if !ok {
			continue
		}
		id := r.Key(doc).ID
		if !x.has(id) {
			r.Admit(doc) // from now on it stands for others that say the same
			x.add(r, doc)
		}
		x.list[i].next = x.at[id]
	}
}

// score ranks each memory by itself, as the first stage does.
func (x *successions) score(f *firstStage, found *retrieve.Result) {
	for i := range x.list {
		s := &x.list[i]
		m, matched := found.Match(s.doc)
		if !matched {
			if m, s.admitted = found.Reader.Admit(s.doc); !s.admitted {
				continue
			}
			m.Cosine = found.Reader.Cosine(s.doc)
		}
		s.admitted = true
		row := found.Reader.Row(s.doc)
		if relevance, cosine, ok := f.rank(&m, &row); ok && matched {
			m.Cosine = cosine
			if !s.found {
				s.found, s.counted = true, relevance
			}
		}
		own := f.of(&m)
		s.match, s.text, s.signals = m, own.textFeatures, own.signals
		s.relevance = f.relevance(f.weights, &own.signals)
	}
}

// useFinalScores replaces the first-stage scores by those of reranking, relations and exact
// cosines.
func (x *successions) useFinalScores(p *Plan, r reranked, in ranking) {
	for i := range x.list {
		s := &x.list[i]
		if passage := r.byID(s.ID); passage != nil && passage.admitted {
			p.final(&s.hit, passage, in.second)
			s.found, s.counted, s.reranked = true, s.relevance, true
		}
	}
	for i := range in.hits {
		if at, ok := x.at[in.hits[i].ID]; ok {
			s := &x.list[at]
			s.hit = in.hits[i]
			if r.passages != nil { // relations may have made it a hit, or counted it again
				s.found, s.counted = true, s.relevance
			}
		}
	}
}

// place computes the placement of each memory, the oldest of a chain first.
func (x *successions) place() {
	predecessors := make([]int, len(x.list))
	for i := range x.list {
		if n := x.list[i].next; n >= 0 {
			predecessors[n]++
		}
	}
	var ready []int
	for i, n := range predecessors {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		s := &x.list[ready[0]]
		ready = ready[1:]
		s.placeItself()
		if s.next < 0 {
			continue
		}
		if s.placement.taken {
			x.list[s.next].consider(placement{s.placement.key, s.placement.steps + 1, true})
		}
		if predecessors[s.next]--; predecessors[s.next] == 0 {
			ready = append(ready, s.next)
		}
	}
	for i, n := range predecessors {
		if n > 0 { // in a cycle
			x.list[i].placeItself()
		}
	}
}

// placeItself considers the placement of a memory by its own relevance.
func (s *succession) placeItself() {
	if s.found {
		s.consider(placement{key: s.candidate, taken: true})
	}
}

// consider replaces the placement if p is better.
func (s *succession) consider(p placement) {
	if !s.placement.taken || better(p.key, s.placement.key) < 0 {
		s.placement = p
	}
}

// placed is a hit and its placement.
type placed struct {
	placement
	hit
}

// apply ranks successors by their placements, those of one placement by their keys, so that the order is total on every page. It
// updates the tally. If there may be more hits
// than were kept, successors after the last kept one are dropped.
func (x *successions) apply(p *Plan, in ranking) ranking {
	out := ranking{tally: in.tally, more: in.more, second: in.second}
	moved := make(map[hippo.ID]bool)
	var list []placed
	for i := range x.list {
		s := &x.list[i]
		itself := s.placement.key.ID == s.ID
		if !s.admitted || !s.placement.taken || itself && !s.chained {
			continue
		}
		moved[s.ID] = true
		var was *float64
		if s.found {
			was = &s.counted
		}
		relevance, last := s.placement.key.relevance, len(in.hits)-1
		out.tally.move(was, relevance, p.within)
		if !p.within.has(relevance) || in.more && (last < 0 || better(in.hits[last].candidate, s.placement.key) < 0) {
			continue
		}
		h := s.hit
		if h.relevance = relevance; !itself {
			h.via = hippo.ViaSuccession
		}
		list = append(list, placed{s.placement, h})
	}
	if len(moved) == 0 {
		return in
	}
	for _, h := range in.hits {
		if !moved[h.ID] {
			list = append(list, placed{placement{key: h.candidate}, h})
		}
	}
	slices.SortFunc(list, func(a, b placed) int {
		return cmp.Or(better(a.key, b.key), cmp.Compare(b.steps, a.steps), a.Compare(b.Key))
	})
	for i := range list {
		out.hits = append(out.hits, list[i].hit)
	}
	return out
}

package recall

import (
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// addPredecessors adds what the hits and the collected memories supersede, matches or not. Cost: a pass
// over the superseded memories of the scope for each step back.
func (x *successions) addPredecessors(found *retrieve.Result, in ranking) {
	wanted := make(map[hippo.ID]bool, len(in.hits)+len(x.list))
	for i := range in.hits {
		wanted[in.hits[i].ID] = true
	}
	n := 0
	for range maxPredecessors {
		for ; n < len(x.list); n++ {
			wanted[x.list[n].ID] = true
		}
		for doc, next := range found.Superseded {
			if wanted[next] && !x.has(found.Reader.Key(doc).ID) {
				x.add(found.Reader, doc)
			}
		}
		if n == len(x.list) {
			return
		}
	}
}

// nearBest is the share of the relevance of the best memory of a chain from which others count for that of
// the chain.
const nearBest = .5

// fewestVersions is the number of versions that the newest needs to rank by all of them, unless the query asks for one among
// versions: of two, one that says it in few words says as much as both.
const fewestVersions = 3

// pooled returns the best found memory of each chain by its end, with the relevance of the chain: halfway from the best to
// the mean of those near it by their own text, all reranked, because the attribute that all of a chain speak of is seen better in several than in
// one. A chain with fewer than that near it keeps the relevance of its best. The share and the half were chosen on the development half of a set of facts that change.
func (x *successions) pooled(fewest int) map[int]candidate {
	best := make(map[int]candidate)
	for i := range x.list {
		s := &x.list[i]
		if b, ok := best[s.end]; s.counted != nil && s.steps >= 0 && (!ok || better(s.candidate, b) < 0) {
			best[s.end] = s.candidate
		}
	}
	near := make(map[int][]float64, len(best))
	for i := range x.list {
		if s := &x.list[i]; s.reranked && s.via != hippo.ViaRelation && s.steps >= 0 && s.relevance >= nearBest*best[s.end].relevance {
			near[s.end] = append(near[s.end], s.relevance)
		}
	}
	for at, list := range near {
		b := best[at]
		if len(list) < fewest || !x.list[x.at[b.ID]].reranked {
			continue
		}
		slices.Sort(list) // so that the sum depends on no order
		total := 0.0
		for _, relevance := range list {
			total += relevance
		}
		b.relevance = (b.relevance + total/float64(len(list))) / 2
		best[at] = b
	}
	return best
}

// placeChains places the memories of chains by what a query asks for: the newest with the relevance of its chain
// and the others no higher; or all with that relevance, the earliest first, or the newest that has ended
// first and what holds now last. Memories in a cycle stay where they are. now is in microseconds since 1970.
func (x *successions) placeChains(oldestFirst []int, want past, r retrieve.Reader, now int64) {
	for _, i := range slices.Backward(oldestFirst) {
		if s := &x.list[i]; s.next < 0 {
			s.end, s.steps = i, 0
		} else if n := &x.list[s.next]; n.steps >= 0 {
			s.end, s.steps = n.end, n.steps+1
		}
	}
	fewest := 1
	if want == present {
		fewest = fewestVersions
	}
	best := x.pooled(fewest)
	for i := range x.list {
		s := &x.list[i]
		key, ok := best[s.end]
		steps := s.steps
		if !ok || steps < 0 || !want.former() && steps > 0 && (!s.placement.taken || better(s.placement.key, key) >= 0) {
			continue
		}
		if !want.former() || want == previous && (steps > 0 || ended(r.Details(s.match.Doc).ValidUntil, now)) {
			steps = math.MaxInt - steps
		}
		s.placement, s.chained = placement{key: key, steps: steps, taken: true}, true
	}
}

// ended reports whether a time until which a fact holds, 0 for none, has come.
func ended(until, now int64) bool { return until != 0 && until <= now }

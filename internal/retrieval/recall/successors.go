package recall

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// promoteSuccessors ranks successors above the memories that they supersede, as of now, or as the query asks for
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
	order := x.oldestFirst()
	x.place(order)
	if p.ranker == hippo.RankerHippo {
		x.placeChains(order, want, found.Reader, now.UnixMicro())
	}
	return x.apply(p, in)
}

// successions are the superseded memories that a search found, and their successors. A
// successor of a hit ranks above it: it takes the relevance of the superseded memory if its own
// is lower, with ranker hippo that of the chain, and becomes a hit if it did not match but passes the
// filters. Memories in a cycle have no successor. Where the query asks for the past, the order is another one, see
// [successions.placeChains].
type successions struct {
	list []succession
	at   map[hippo.ID]int
}

// succession is a memory in a chain of successors.
type succession struct {
	hit                // by itself
	next      int      // its successor, or -1
	admitted  bool     // it may be a hit
	counted   *float64 // its relevance in the tally; nil: it is no hit by itself
	reranked  bool     // its relevance is that of the second stage
	placement placement
	// end is the number of the newest memory of its chain, and steps how many steps that is away; steps are negative in a cycle.
	end, steps int
	chained    bool // placed with its chain
}

// placement is where a memory ranks: as a hit, itself or one that it supersedes, and how many
// steps it is from that.
type placement struct {
	key   candidate
	steps int
	taken bool
}

func (x *successions) has(id hippo.ID) bool {
	_, ok := x.at[id]
	return ok
}

func (x *successions) add(r retrieve.Reader, doc retrieve.Doc) *succession {
	key := r.Key(doc)
	x.at[key.ID] = len(x.list)
	x.list = append(x.list, succession{next: -1, steps: -1, hit: hit{candidate: candidate{Key: key, match: retrieve.Match{Doc: doc}}}})
	return &x.list[len(x.list)-1]
}

// collect collects the superseded matches and passages.
func collect(found *retrieve.Result, sc scored, r reranked) *successions {
	x := &successions{at: make(map[hippo.ID]int)}
	for i := range sc.superseded {
		m := &sc.superseded[i]
		x.add(found.Reader, found.Matches[m.number].Doc).counted = &m.relevance
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
		doc, ok := r.Successor(x.list[i].match.Doc)
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
		m, matched := found.Match(s.match.Doc)
		if !matched {
			if m, s.admitted = found.Reader.Admit(s.match.Doc); !s.admitted {
				continue
			}
			m.Cosine = found.Reader.Cosine(s.match.Doc)
		}
		s.admitted = true
		row := found.Reader.Row(m.Doc)
		if relevance, ok := f.rank(&m, &row); ok && matched && s.counted == nil {
			s.counted = &relevance
		}
		s.match, s.first = m, f.of(&m)
		s.relevance = f.relevance(f.weights, &s.signals)
	}
}

// useFinalScores replaces the first-stage scores by those of reranking, relations and exact
// cosines.
func (x *successions) useFinalScores(p *Plan, r reranked, in ranking) {
	for i := range x.list {
		s := &x.list[i]
		if passage := r.of(s.match.Doc); passage != nil && passage.ID == s.ID && passage.admitted {
			s.hit = r.final(p, passage, in.related[s.ID])
			s.counted, s.reranked = new(s.relevance), true
		}
	}
	for i := range in.hits {
		if at, ok := x.at[in.hits[i].ID]; ok {
			s := &x.list[at]
			s.hit = in.hits[i]
			if r.passages != nil { // relations may have made it a hit, or counted it again
				s.counted = new(s.relevance)
			}
		}
	}
}

// oldestFirst returns the numbers of the memories, each before that of its successor, but of those in cycles.
func (x *successions) oldestFirst() (order []int) {
	predecessors := make([]int, len(x.list))
	for i := range x.list {
		if n := x.list[i].next; n >= 0 {
			predecessors[n]++
		}
	}
	for i, n := range predecessors {
		if n == 0 {
			order = append(order, i)
		}
	}
	for i := 0; i < len(order); i++ {
		if n := x.list[order[i]].next; n >= 0 {
			if predecessors[n]--; predecessors[n] == 0 {
				order = append(order, n)
			}
		}
	}
	return order
}

// place computes the placement of each memory: its own, or that of one that it supersedes, if that is better.
func (x *successions) place(oldestFirst []int) {
	for i := range x.list {
		if s := &x.list[i]; s.counted != nil {
			s.placement = placement{key: s.candidate, taken: true}
		}
	}
	for _, i := range oldestFirst {
		s := &x.list[i]
		if s.next < 0 || !s.placement.taken {
			continue
		}
		if next := &x.list[s.next].placement; !next.taken || better(s.placement.key, next.key) < 0 {
			*next = placement{s.placement.key, s.placement.steps + 1, true}
		}
	}
}

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

// apply ranks successors by their placements, those of one placement by their keys, so that the order is total on every page. It
// updates the tally. If there may be more hits
// than were kept, successors after the last kept one are dropped.
func (x *successions) apply(p *Plan, in ranking) ranking {
	out := in
	moved := make(map[hippo.ID]placement)
	var hits []hit
	for i := range x.list {
		s := &x.list[i]
		itself := s.placement.key.ID == s.ID
		if !s.admitted || !s.placement.taken || itself && !s.chained {
			continue
		}
		moved[s.ID] = s.placement
		relevance, last := s.placement.key.relevance, len(in.hits)-1
		out.tally.move(s.counted, relevance, p.within)
		if !p.within.has(relevance) || in.more && (last < 0 || better(in.hits[last].candidate, s.placement.key) < 0) {
			continue
		}
		h := s.hit
		if h.relevance = relevance; !itself {
			h.via = hippo.ViaSuccession
		}
		hits = append(hits, h)
	}
	if len(moved) == 0 {
		return in
	}
	for _, h := range in.hits {
		if _, ok := moved[h.ID]; !ok {
			hits = append(hits, h)
		}
	}
	placed := func(h *hit) placement {
		if p, ok := moved[h.ID]; ok {
			return p
		}
		return placement{key: h.candidate}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		x, y := placed(&a), placed(&b)
		return cmp.Or(better(x.key, y.key), cmp.Compare(y.steps, x.steps), a.Compare(b.Key))
	})
	out.hits = hits
	return out
}

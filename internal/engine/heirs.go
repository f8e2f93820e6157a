package engine

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
)

// heirs are the superseded memories that a search found, and what replaces them.
// Whatever replaces a hit stands above it: it takes the relevance of what it
// replaces if its own is lower, and joins the hits if it did not match, but passes
// the filters. Memories that supersede each other in a circle replace nothing.
type heirs struct {
	list []heir
	at   map[hippo.ID]int
}

// heir is a memory in a chain of what replaces what.
type heir struct {
	ranked          // as it stands by itself
	doc      uint32 // in the View of the search
	next     int    // what replaces it, or -1
	admitted bool   // it may be a hit
	found    bool   // it is one by itself, counted with this relevance
	counted  float64
	place    place
}

// place is where a memory stands: that of a hit, its own or one that it replaces,
// and how many steps it is from that.
type place struct {
	key   candidate
	steps int
	taken bool
}

// newHeirs gathers what the superseded matches and passages lead to; nil: nothing.
// The View is that of the search. Cost: nothing if no match is superseded, else a
// pass over the matches.
func newHeirs(v *index.View, r *ranking, c *closer, matches []index.Match) *heirs {
	x := &heirs{at: make(map[hippo.ID]int)}
	for _, s := range r.replaced {
		h := x.add(v, s.match.Doc)
		h.match, h.found, h.counted = s.match, true, s.relevance
	}
	if c != nil {
		for i := range c.passages {
			if p := &c.passages[i]; p.admitted && v.Heir(p.match.Doc) != index.None && !x.has(p.id) {
				x.add(v, p.match.Doc)
			}
		}
	}
	for i := 0; i < len(x.list); i++ {
		x.list[i].next = -1
		doc := v.Heir(x.list[i].doc)
		if doc == index.None {
			continue
		}
		id := v.Row(doc).ID
		if !x.has(id) {
			x.add(v, doc)
		}
		x.list[i].next = x.at[id]
	}
	if len(x.list) == 0 {
		return nil
	}
	x.meet(matches)
	for i := range x.list {
		x.list[i].score(v, r)
	}
	return x
}

func (x *heirs) has(id hippo.ID) bool {
	_, ok := x.at[id]
	return ok
}

func (x *heirs) add(v *index.View, doc uint32) *heir {
	row := v.Row(doc)
	x.at[row.ID] = len(x.list)
	x.list = append(x.list, heir{doc: doc, ranked: ranked{candidate: candidate{id: row.ID, created: row.CreatedAt}}})
	return &x.list[len(x.list)-1]
}

// meet gives those their match that have one.
func (x *heirs) meet(matches []index.Match) {
	var most uint32
	missing := make(map[uint32]int)
	for i := range x.list {
		if h := &x.list[i]; h.match == nil {
			missing[h.doc] = i
			most = max(most, h.doc)
		}
	}
	if len(missing) == 0 {
		return
	}
	wanted := make([]uint64, most/64+1) // a map is slow for so many questions
	for doc := range missing {
		wanted[doc/64] |= 1 << (doc % 64)
	}
	for i := range matches {
		if doc := matches[i].Doc; doc <= most && wanted[doc/64]&(1<<(doc%64)) != 0 {
			x.list[missing[doc]].match = &matches[i]
		}
	}
}

// score ranks a memory by itself, as the search does.
func (h *heir) score(v *index.View, r *ranking) {
	matched := h.match != nil
	if h.admitted = matched || v.Admits(h.doc); !h.admitted {
		return
	}
	if !matched {
		h.match = &index.Match{Doc: h.doc, Cosine: v.Cosine(h.doc), Context: v.Context(h.doc)}
	}
	s := *r.signals(v, h.match)
	h.signals, h.relevance = &s, r.relevance(&r.weights, &s)
	if matched && !h.found && max(h.match.Coverage, h.match.Cosine) > r.gate {
		h.found, h.counted = true, h.relevance
	}
	h.match = nil // it lies in memory of the View
}

// lift puts what replaces a hit above it, and counts it so. If there may be more
// hits than were kept, what would come after the last that was kept is left out.
func (x *heirs) lift(r *ranking, o *order, c *closer, more bool) {
	if x == nil {
		return
	}
	x.update(o, c)
	x.settle()
	lifted := make(map[hippo.ID]bool)
	var list []placed
	for i := range x.list {
		h := &x.list[i]
		if !h.admitted || !h.place.taken || h.place.key.id == h.id {
			continue
		}
		lifted[h.id] = true
		o.recount(&passage{counted: h.found, first: h.counted}, h.place.key.relevance, r.within)
		last := len(o.hits) - 1
		if !r.within.has(h.place.key.relevance) || more && (last < 0 || better(o.hits[last].candidate, h.place.key) < 0) {
			continue
		}
		h.relevance, h.instead = h.place.key.relevance, true
		list = append(list, placed{h.place, h.ranked})
	}
	if len(lifted) == 0 {
		return
	}
	for _, hit := range o.hits {
		if !lifted[hit.id] {
			list = append(list, placed{place{key: hit.candidate}, hit})
		}
	}
	slices.SortFunc(list, func(a, b placed) int {
		if n := better(a.key, b.key); n != 0 {
			return n
		}
		return b.steps - a.steps
	})
	o.hits = o.hits[:0]
	for _, p := range list {
		o.hits = append(o.hits, p.ranked)
	}
}

// placed is a hit and where it stands.
type placed struct {
	place
	ranked
}

// update takes over what the closer look, relations and exact cosines changed.
func (x *heirs) update(o *order, c *closer) {
	if c != nil {
		for i := range c.passages {
			p := &c.passages[i]
			if at, ok := x.at[p.id]; ok && p.admitted {
				h := &x.list[at]
				s := p.signals // an order must not keep the passage
				h.found, h.counted, h.relevance, h.signals = true, p.first, p.first, &s
			}
		}
	}
	for i := range o.hits {
		if at, ok := x.at[o.hits[i].id]; ok {
			h := &x.list[at]
			h.ranked = o.hits[i]
			if c != nil { // relations made it a hit, or lifted it, and counted it anew
				h.found, h.counted = true, h.relevance
			}
		}
	}
}

// settle finds where each memory stands, the oldest of a chain first.
func (x *heirs) settle() {
	before := make([]int, len(x.list))
	for i := range x.list {
		if n := x.list[i].next; n >= 0 {
			before[n]++
		}
	}
	var ready []int
	for i, n := range before {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		h := &x.list[ready[0]]
		ready = ready[1:]
		h.stand()
		if h.next < 0 {
			continue
		}
		if h.place.taken {
			x.list[h.next].offer(place{h.place.key, h.place.steps + 1, true})
		}
		if before[h.next]--; before[h.next] == 0 {
			ready = append(ready, h.next)
		}
	}
	for i, n := range before {
		if n > 0 { // in a circle
			x.list[i].stand()
		}
	}
}

// stand takes the place that a memory has by itself, if it is better.
func (h *heir) stand() {
	if h.found {
		h.offer(place{key: h.candidate, taken: true})
	}
}

func (h *heir) offer(p place) {
	if !h.place.taken || better(p.key, h.place.key) < 0 {
		h.place = p
	}
}

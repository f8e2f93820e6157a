package recall

import (
	"cmp"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieve"
)

// about is the time that a query asks about, in microseconds since 1970: from, and until before; an instant if both are equal.
// any: it asks for what held once, so that nothing lies behind for having ended.
type about struct {
	from, until int64
	any         bool
}

// aboutOf returns the time of as_of, or that which the query names, or now.
func aboutOf(p *Plan, now time.Time) about {
	if p.temporal.named && p.search.Filter.ValidAt.IsZero() {
		return about{from: p.temporal.from, until: p.temporal.until}
	}
	at := p.at(now).UnixMicro()
	return about{at, at, pastOf(p).former()}
}

// holds reports whether what has these bounds holds at some time of those that are asked about.
func (a *about) holds(d *retrieve.Details) bool {
	return a.any || (d.ValidUntil == 0 || d.ValidUntil > a.from) && (d.ValidFrom <= a.from || d.ValidFrom < a.until)
}

// succeeding reports whether successors take the places of what they supersede.
func (p *Plan) succeeding() bool {
	return p.ranker == hippo.RankerHippo || p.ranker == hippo.RankerInsight
}

// lapsed reports whether a memory does not hold at the time that the query asks about. Where successors take the places of
// what they supersede, that one counts as if it held until they have.
func (f *firstStage) lapsed(doc retrieve.Doc, row *retrieve.Row) bool {
	if !row.Bounded && !row.Superseded || row.Superseded && f.succeeding() {
		return false
	}
	d := f.found.Reader.Details(doc)
	return !f.about.holds(&d) || row.Superseded && f.replaced(doc, &d)
}

// replaced reports whether a superseded memory without an end has a successor in the scope.
func (f *firstStage) replaced(doc retrieve.Doc, d *retrieve.Details) bool {
	next, ok := f.found.Reader.Successor(doc)
	return ok && next != doc && d.ValidUntil == 0 && !f.about.any
}

// lapse marks what does not hold, when all have their places. Memories in a cycle of successors do not supersede one another.
func (x *successions) lapse(p *Plan, r retrieve.Reader) {
	ends := x.ends()
	for i := range x.list {
		s := &x.list[i]
		d := r.Details(s.doc)
		s.lapsed = s.signals.Lapsed
		superseded := ends[i].steps > 0 && d.ValidUntil == 0 && !p.about.any
		s.signals.Lapsed = superseded || ends[i].steps >= 0 && !p.about.holds(&d)
	}
}

// settle ranks what is superseded behind the successors that are hits, with a ranker with which these do not take its place.
func settle(p *Plan, found *retrieve.Result, in ranking) ranking {
	if p.about.any || !slices.ContainsFunc(in.hits, func(h hit) bool { return h.signals.Lapsed }) {
		return in
	}
	relevance := make(map[hippo.ID]float64, len(in.hits))
	for i := range in.hits {
		relevance[in.hits[i].ID] = in.hits[i].relevance
	}
	out := in
	out.hits = slices.Clone(in.hits)
	for i := range out.hits {
		h := &out.hits[i]
		if least := leastOfSuccessors(found.Reader, h.match.Doc, relevance); h.signals.Lapsed && least < h.relevance {
			was := h.relevance
			h.relevance, h.via = least, hippo.ViaSuccession
			out.tally.move(&was, least, p.within)
		}
	}
	out.hits = slices.DeleteFunc(out.hits, func(h hit) bool { return !p.within.has(h.relevance) })
	slices.SortStableFunc(out.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.relevance, a.relevance), cmp.Compare(indicator(a.signals.Lapsed), indicator(b.signals.Lapsed)))
	})
	return out
}

// leastOfSuccessors returns the least relevance of a memory and the hits that supersede it, one after the other.
func leastOfSuccessors(r retrieve.Reader, doc retrieve.Doc, relevance map[hippo.ID]float64) float64 {
	least := relevance[r.Key(doc).ID]
	for range maxPredecessors {
		next, ok := r.Successor(doc)
		if !ok {
			break
		}
		if x, hit := relevance[r.Key(next).ID]; hit {
			least = min(least, x)
		}
		doc = next
	}
	return least
}

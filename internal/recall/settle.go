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

// lapsed reports whether a memory does not hold at the time that the query asks about, and neither does the last of its
// successors in the scope: behind one that holds it is, and not behind all that holds.
func (f *firstStage) lapsed(doc retrieve.Doc, row *retrieve.Row) bool {
	if !row.Bounded {
		return false
	}
	for range maxPredecessors {
		if d := f.found.Reader.Details(doc); f.about.holds(&d) {
			return false
		}
		next, ok := f.found.Reader.Successor(doc)
		if !row.Superseded || !ok || next == doc {
			break
		}
		doc = next
	}
	return true
}

// settle ranks what is superseded behind those of its successors that are hits, with a ranker with which these do not take its
// place. Cost: a read of the row of each hit.
func settle(p *Plan, found *retrieve.Result, in ranking) ranking {
	var superseded []int
	for i := range in.hits {
		if found.Reader.Row(in.hits[i].match.Doc).Superseded {
			superseded = append(superseded, i)
		}
	}
	if len(superseded) == 0 || p.about.any {
		return in
	}
	relevance, steps := make(map[hippo.ID]float64, len(in.hits)), make(map[hippo.ID]int)
	for i := range in.hits {
		relevance[in.hits[i].ID] = in.hits[i].relevance
	}
	out := in
	out.hits = slices.Clone(in.hits)
	for _, i := range superseded {
		h := &out.hits[i]
		least, n := behind(found.Reader, h.match.Doc, relevance)
		if steps[h.ID] = n; least < h.relevance {
			was := h.relevance
			h.relevance, h.via = least, hippo.ViaSuccession
			out.tally.move(&was, least, p.within)
		}
	}
	slices.SortStableFunc(out.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.relevance, a.relevance), cmp.Compare(steps[a.ID], steps[b.ID]))
	})
	return out
}

// behind returns the least relevance of a memory and the hits that supersede it, one after the other, and how many those are.
func behind(r retrieve.Reader, doc retrieve.Doc, relevance map[hippo.ID]float64) (least float64, steps int) {
	least = relevance[r.Key(doc).ID]
	for range maxPredecessors {
		next, ok := r.Successor(doc)
		if !ok || next == doc {
			break
		}
		if x, hit := relevance[r.Key(next).ID]; hit {
			least = min(least, x)
			steps++
		}
		doc = next
	}
	return least, steps
}

// Lapsed reports whether a memory does not hold at a time, in microseconds since 1970.
func Lapsed(r retrieve.Reader, doc retrieve.Doc, at int64) bool {
	if !r.Row(doc).Bounded {
		return false
	}
	d := r.Details(doc)
	return !(&about{from: at, until: at}).holds(&d)
}

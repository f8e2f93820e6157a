package index

import (
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// filter is the scope and the [hippo.Filter] of a query in terms of the columns of one part.
type filter struct {
	reach     extent // documents of the scope in the projects of the filter
	scope     docSet // live or hidden documents of the scope, of the kind that the query is for
	docs      docSet // those of them in reach: they may pass
	open      bool   // all of docs pass
	kinds     []uint32
	labels    labelFilter
	authors   []uint32 // nil: any
	session   uint32   // 0: any
	trust     int8
	columnSet columnSet
	times
}

// times restrict when a document is valid, when it was created, and when its event took place.
type times struct {
	validAt        int64
	created, event span
}

// columnSet says which columns a filter looks at.
type columnSet struct{ pinned, current, valid, created, event, extras bool }

// span is a half-open interval of microseconds since 1970.
type span struct{ from, until int64 }

func (s span) has(t int64) bool { return t >= s.from && t < s.until }

// spanOf returns the times from one, inclusive, to another, exclusive, and whether it bounds
// anything.
func spanOf(from, until time.Time) (s span, bound bool) {
	s = span{math.MinInt64, math.MaxInt64}
	if !from.IsZero() {
		s.from = ceil(from)
	}
	if !until.IsZero() {
		s.until = ceil(until)
	}
	return s, !from.IsZero() || !until.IsZero()
}

// ceil is t in microseconds, rounded up: what is created in whole microseconds is before t
// if and only if it is before ceil(t).
func ceil(t time.Time) int64 {
	u := t.UnixMicro()
	if t.After(time.UnixMicro(u)) {
		u++
	}
	return u
}

// compile returns the filter of a query, or false if no document of the part can pass, of whatever project. scope
// are the documents of the query's scope.
func (p *part) compile(q *retrieve.Query, scope *extent) (filter, bool) {
	f, possible := &q.Filter, true
	c := filter{reach: narrow(p.segment, scope, f.Projects), scope: p.live, trust: math.MinInt8}
	if q.Forgotten {
		c.scope = p.hidden
	}
	named := func(label string) []uint32 {
		ids := labelled(p.segment, label)
		possible = possible && len(ids) > 0
		return ids
	}
	if f.Author != "" {
		c.authors = named(f.Author)
	}
	var known bool
	c.session, known = p.names.find(f.Session)
	possible = possible && known
	for _, t := range f.Tags {
		c.labels.tags = append(c.labels.tags, named(t))
	}
	for _, t := range f.WithoutTags {
		c.labels.no = append(c.labels.no, labelled(p.segment, t)...)
	}
	c.labels.place, c.labels.source = p.names.place(&q.Place), p.names.source(q.Source)
	if len(f.Types) > 0 {
		for _, t := range f.Types {
			c.kinds = append(c.kinds, labelled(p.segment, t)...)
		}
		possible = possible && len(c.kinds) > 0
	}
	c.scope = intersection(c.scope, scope.docs, p.typed(q))
	c.docs = c.scope
	if f.Projects != nil {
		c.docs = intersection(c.scope, c.reach.docs)
	}
	if f.MinTrust > hippo.TrustNone {
		c.trust = int8(f.MinTrust)
	}
	set := &c.columnSet
	c.created, set.created = spanOf(f.CreatedAfter, f.CreatedBefore)
	c.event, set.event = spanOf(f.EventAfter, f.EventBefore)
	c.validAt, set.valid, set.pinned = f.ValidAt.UnixMicro(), !f.ValidAt.IsZero(), f.Pinned
	set.current = !f.Archived && !q.Forgotten && p.archived > 0
	set.extras = c.authors != nil || c.session != 0 || c.labels.bound() || set.valid || set.event
	c.open = *set == columnSet{} && c.kinds == nil && c.trust == math.MinInt8
	return c, possible
}

// typed returns the documents that a query for insights may find, nil for all; one that names types has a filter for them.
func (p *part) typed(q *retrieve.Query) docSet {
	if !q.Insights || len(q.Filter.Types) > 0 {
		return nil
	}
	return insightsOf(p.segment)
}

// intersection returns the members of a that are in all of others, nil ones aside. The sets are of equal length, and the result may be a.
func intersection(a docSet, others ...docSet) docSet {
	out, owned := a, false
	for _, b := range others {
		if b == nil {
			continue
		}
		if !owned {
			out, owned = slices.Clone(a), true
		}
		for i, w := range b {
			out[i] &= w
		}
	}
	return out
}

// passes reports whether a document passes.
func (c *filter) passes(p *part, doc uint32) bool {
	return c.docs.has(doc) && (c.open || c.passesRow(p, doc))
}

func (c *filter) passesRow(p *part, doc uint32) bool {
	r := p.shown.row(doc)
	return r.trust >= c.trust &&
		(!c.columnSet.created || c.created.has(r.created)) &&
		(!c.columnSet.pinned || r.flags&flagPinned != 0) &&
		(!c.columnSet.current || r.flags&flagArchived == 0) &&
		(c.kinds == nil || slices.Contains(c.kinds, r.kind)) &&
		(!c.columnSet.extras || c.passesExtras(p, r, doc))
}

func (c *filter) passesExtras(p *part, r *row, doc uint32) bool {
	x := &p.columns.extras[doc]
	if c.authors != nil && !slices.Contains(c.authors, x.author) || c.session != 0 && x.session != c.session {
		return false
	}
	if c.columnSet.valid && (x.from != 0 && c.validAt < x.from || x.until != 0 && c.validAt >= x.until) {
		return false
	}
	if c.columnSet.event && !c.event.has(when(r, x)) {
		return false
	}
	return c.labels.pass(&p.columns, x, doc)
}

// labelled returns the numbers of the tags, types and authors that a text means, in whatever case they were stored. Cost: a pass over
// the documents when it is first asked for.
func labelled(s *segment, text string) []uint32 {
	f := fold(text)
	ids := slices.Clone(foldedIn(s)[f])
	if id, ok := s.names.find(f); ok {
		ids = append(ids, id)
	}
	return ids
}

func foldedIn(s *segment) foldedNames {
	if known := s.folded.Load(); known != nil {
		return *known
	}
	used := newDocSet(s.names.len())
	for i := range s.columns.extras {
		x := &s.columns.extras[i]
		used.add(s.columns.rows[i].kind)
		used.add(x.author)
		for _, t := range s.columns.tags(x) {
			used.add(t)
		}
	}
	out := make(foldedNames)
	for id := range used.all() {
		name := s.names.text(id)
		if f := fold(name); f != name {
			out[f] = append(out[f], id)
		}
	}
	s.folded.Store(&out)
	return out
}

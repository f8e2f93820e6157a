package index

import (
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// filter is a [hippo.Filter] in terms of the columns.
type filter struct {
	all       bool // keeps everything
	namespace uint32
	projects  []uint32
	kinds     []uint32
	tags      []uint32
	author    uint32 // 0: any
	session   uint32
	after     int64 // created at or after
	before    int64 // and before
	since     int64 // of a time at or after
	until     int64 // and before
	validAt   int64
	valid     bool // validAt is asked for
	timed     bool // since or until is
	trust     int8
	pinned    bool
	detail    bool // looks at more than the row
}

// compile returns the filter for f, or false if no document can pass.
func (r *rows) compile(f hippo.Filter) (filter, bool) {
	c := filter{after: math.MinInt64, before: math.MaxInt64, trust: math.MinInt8, pinned: f.Pinned}
	c.since, c.until, c.timed = eventBounds(f)
	ok := true
	one := func(name string) uint32 {
		id, known := r.names.find(name)
		ok = ok && known
		return id
	}
	c.namespace, c.author, c.session = one(f.Namespace), one(f.Author), one(f.Session)
	for _, t := range f.Tags {
		c.tags = append(c.tags, one(t))
	}
	c.projects, c.kinds = r.any(f.Projects), r.any(f.Types)
	if len(f.Projects) > 0 && c.projects == nil || len(f.Types) > 0 && c.kinds == nil {
		ok = false
	}
	if !f.CreatedAfter.IsZero() {
		c.after = ceil(f.CreatedAfter)
	}
	if !f.CreatedBefore.IsZero() {
		c.before = ceil(f.CreatedBefore)
	}
	if !f.ValidAt.IsZero() {
		c.validAt, c.valid = f.ValidAt.UnixMicro(), true
	}
	if f.MinTrust > hippo.TrustNone {
		c.trust = int8(f.MinTrust)
	}
	c.detail = c.author != 0 || c.session != 0 || len(c.tags) > 0 || c.valid
	onlySpace := r.spaces[c.namespace] == r.live.Docs
	c.all = onlySpace && !c.detail && c.projects == nil && c.kinds == nil && !c.pinned &&
		c.after == math.MinInt64 && c.before == math.MaxInt64 && c.trust == math.MinInt8 && !c.timed
	return c, ok
}

// any returns the numbers of those names that occur.
func (r *rows) any(list []string) []uint32 {
	var out []uint32
	for _, s := range list {
		if id, ok := r.names.find(s); ok {
			out = append(out, id)
		}
	}
	return out
}

// ceil is t in microseconds, rounded up: what is created in whole microseconds
// is before t if and only if it is before ceil(t).
func ceil(t time.Time) int64 {
	u := t.UnixMicro()
	if t.After(time.UnixMicro(u)) {
		u++
	}
	return u
}

// keeps reports whether a document passes.
func (c *filter) keeps(r *rows, doc uint32) bool {
	h := &r.hot[doc]
	return h.namespace == c.namespace &&
		h.created >= c.after && h.created < c.before &&
		h.trust >= c.trust &&
		(!c.pinned || h.flags&flagPinned != 0) &&
		(c.projects == nil || slices.Contains(c.projects, h.project)) &&
		(c.kinds == nil || slices.Contains(c.kinds, h.kind)) &&
		(!c.timed || c.keepsTime(r, doc)) &&
		(!c.detail || c.keepsDetail(r, &r.cold[doc]))
}

func (c *filter) keepsDetail(r *rows, d *detail) bool {
	if c.author != 0 && d.author != c.author || c.session != 0 && d.session != c.session {
		return false
	}
	if c.valid && (d.from != 0 && c.validAt < d.from || d.until != 0 && c.validAt >= d.until) {
		return false
	}
	tags := r.tags(d)
	for _, t := range c.tags {
		if !slices.Contains(tags, t) {
			return false
		}
	}
	return true
}

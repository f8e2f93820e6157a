package index

import (
	"math"

	"github.com/hippo-memory/hippo"
)

// When is the time that a document is about, in microseconds since 1970: that of
// its event, or else of its creation.
func (v *View) When(doc uint32) int64 { return v.x.rows.when(doc) }

func (r *rows) when(doc uint32) int64 {
	if t := r.cold[doc].event; t != 0 {
		return t
	}
	return r.hot[doc].created
}

// eventBounds returns the times that a filter keeps, and whether it asks for any.
func eventBounds(f hippo.Filter) (since, until int64, asked bool) {
	since, until = math.MinInt64, math.MaxInt64
	if !f.EventAfter.IsZero() {
		since = ceil(f.EventAfter)
	}
	if !f.EventBefore.IsZero() {
		until = ceil(f.EventBefore)
	}
	return since, until, !f.EventAfter.IsZero() || !f.EventBefore.IsZero()
}

// keepsTime reports whether a document is of a time that is asked for.
func (c *filter) keepsTime(r *rows, doc uint32) bool {
	t := r.when(doc)
	return t >= c.since && t < c.until
}

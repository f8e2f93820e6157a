package engine

import (
	"fmt"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
)

// Reading a page counts as an access and so changes what the next search would
// find first. pages keeps the order of recent searches, so that the second page
// goes on where the first one ended.
type pages struct {
	now func() time.Time

	mu     sync.Mutex
	recent []*order // newest last
}

const (
	maxOrders = 16
	orderLife = 10 * time.Minute
	// orderLength is how many hits of a search are kept at least.
	orderLength = 100
)

// order is the outcome of a search, best first, cut to a bounded length.
type order struct {
	key          string
	made         time.Time
	hits         []ranked
	total        int
	distribution hippo.Distribution
	day          hippo.Day
	degraded     []string
	explain      *explainer // nil: was not asked for
	verdict
}

// ranked is one memory in an order.
type ranked struct {
	candidate
	signals *hippo.Signals
	pulled  bool // by a relation, not by what the query says
	instead bool // of what it replaces, with the relevance of that
}

func newPages(now func() time.Time) *pages { return &pages{now: now} }

// keyOf identifies what a query asks for, whatever page of it.
func keyOf(q hippo.Query) string {
	q.Offset, q.Count = 0, 0
	r := hippo.Range{}
	if q.Relevance != nil {
		r = *q.Relevance
	}
	has := q.Relevance != nil
	q.Relevance = nil
	return fmt.Sprintf("%#v %v %v", q, has, r)
}

// get returns the kept order for the query if it reaches to the end of the page.
func (p *pages) get(key string, end int) *order {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.recent {
		if o.key == key && p.now().Sub(o.made) < orderLife && (end <= len(o.hits) || len(o.hits) == o.total) {
			return o
		}
	}
	return nil
}

// put keeps o in place of an older one for the same query.
func (p *pages) put(o *order) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.recent[:0]
	for _, old := range p.recent {
		if old.key != o.key {
			kept = append(kept, old)
		}
	}
	p.recent = append(kept, o)
	if over := len(p.recent) - maxOrders; over > 0 {
		p.recent = append(p.recent[:0:0], p.recent[over:]...)
	}
}

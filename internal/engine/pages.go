package engine

import (
	"reflect"
	"slices"
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
	key          hippo.Query
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

// keyOf is what a query asks for, whatever page of it, in memory of its own.
func keyOf(q hippo.Query) hippo.Query {
	q.Offset, q.Count = 0, 0
	f := &q.Filter
	for _, list := range []*[]string{&q.Situation, &f.Projects, &f.Types, &f.Tags} {
		*list = slices.Clone(*list)
	}
	if q.Relevance != nil {
		r := *q.Relevance
		q.Relevance = &r
	}
	return q
}

// same reports whether two queries ask for the same.
func same(a, b *hippo.Query) bool { return a.Text == b.Text && reflect.DeepEqual(a, b) }

// get returns the kept order for the query if it reaches to the end of the page.
func (p *pages) get(key *hippo.Query, end int) *order {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.recent {
		if same(&o.key, key) && p.now().Sub(o.made) < orderLife && (end <= len(o.hits) || len(o.hits) == o.total) {
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
		if !same(&old.key, &o.key) {
			kept = append(kept, old)
		}
	}
	p.recent = append(kept, o)
	if over := len(p.recent) - maxOrders; over > 0 {
		p.recent = append(p.recent[:0:0], p.recent[over:]...)
	}
}

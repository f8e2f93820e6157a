package recall

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/excerpt"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// Ranking is the outcome of a search, best first, cut to a bounded length. It is immutable.
type Ranking struct {
	Hits []Hit
	// Total counts the matches in the range of relevance, Distribution all.
	Total        int
	Distribution hippo.Distribution
	Day          hippo.Day
	hippo.Judgement
	Degraded []string
	// Elsewhere is [retrieve.Result.Elsewhere].
	Elsewhere int
	// Span is the time that the text of the query names, if the hits are those of it.
	Span when.Span
	// Question is what the sentences of the hits are compared with; nil without a text.
	Question *excerpt.Question
	// Cosines are those of the vectors of the first hits with each other, 0 of each with itself; nil if they are not compared.
	Cosines [][]float32
}

// first returns the number of a hit among those whose cosines are known, -1 if it is none of them.
func (r *Ranking) first(id hippo.ID) int {
	return slices.IndexFunc(firstOf(r.Hits, len(r.Cosines)), func(h Hit) bool { return h.ID == id })
}

// Hit is one memory in a [Ranking].
type Hit struct {
	ID          hippo.ID
	Relevance   float64
	Signals     hippo.Signals
	Via         hippo.Via
	Passage     uint32             // see [retrieve.Match]
	Same        hippo.Same         // see [hippo.Hit]
	Explanation *hippo.Explanation // nil unless it was asked for
}

// Page returns some of the hits.
func (r *Ranking) Page(offset, count int) []Hit {
	from := min(offset, len(r.Hits))
	return r.Hits[from:min(len(r.Hits), from+count)]
}

// togetherHits is the number of hits of a search of ranker surprise whose co-return is learned.
const togetherHits = 10

// Together returns the pairs of the first memories of a page, of those that could be loaded.
func (r *Ranking) Together(count int, loaded func(hippo.ID) bool) []hippo.Relation {
	var ids []hippo.ID
	for _, h := range firstOf(r.Hits, min(count, togetherHits)) {
		if loaded(h.ID) {
			ids = append(ids, h.ID)
		}
	}
	var pairs []hippo.Relation
	for i, a := range ids {
		for _, b := range ids[:i] {
			pairs = append(pairs, hippo.CoRecall(a, b))
		}
	}
	return pairs
}

// Pages caches the rankings of recent searches: reading a page counts as an access, which
// changes the next ranking, but the second page must continue the first one. It is safe for
// concurrent use.
type Pages struct {
	now func() time.Time

	mu     sync.Mutex
	recent []kept // newest last
}

// kept is a cached ranking with its query.
type kept struct {
	scope   hippo.Scope
	query   hippo.Query
	made    time.Time
	ranking *Ranking
}

const (
	maxKept  = 16
	keptTime = 10 * time.Minute
)

// NewPages returns Pages with a clock.
func NewPages(now func() time.Time) *Pages { return &Pages{now: now} }

// key is a copy of a query without its page.
func key(q hippo.Query) hippo.Query {
	q.Offset, q.Count = 0, 0
	f := &q.Filter
	for _, list := range []*[]string{&q.Situation, &f.Projects, &f.Types, &f.Tags, &f.WithoutTags} {
		*list = slices.Clone(*list)
	}
	if q.Relevance != nil {
		r := *q.Relevance
		q.Relevance = &r
	}
	return q
}

// answers reports whether a ranking answers a query.
func (k *kept) answers(scope *hippo.Scope, q *hippo.Query) bool {
	return k.query.Text == q.Text && reflect.DeepEqual(&k.query, q) && reflect.DeepEqual(&k.scope, scope)
}

// Get returns the kept ranking for a later page of a query, if it reaches to the end of the
// page; else nil.
func (p *Pages) Get(scope hippo.Scope, q *hippo.Query) *Ranking {
	if q.Offset == 0 {
		return nil
	}
	k, end := key(*q), q.Offset+q.Count
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.recent {
		r := p.recent[i].ranking
		if p.recent[i].answers(&scope, &k) && p.now().Sub(p.recent[i].made) < keptTime && (end <= len(r.Hits) || len(r.Hits) == r.Total) {
			return r
		}
	}
	return nil
}

// Put caches a ranking and drops an older one for the same query.
func (p *Pages) Put(scope hippo.Scope, q *hippo.Query, r *Ranking) {
	k := key(*q)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent = slices.DeleteFunc(p.recent, func(old kept) bool { return old.answers(&scope, &k) })
	p.recent = append(p.recent, kept{scope, k, p.now(), r})
	if over := len(p.recent) - maxKept; over > 0 {
		p.recent = slices.Delete(p.recent, 0, over)
	}
}

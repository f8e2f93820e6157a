package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index/bm25"
	"github.com/hippo-memory/hippo/internal/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieve"
)

// found is one search: its working memory, which is used again, and what it found.
type found struct {
	pool     *searchPool
	snapshot *snapshot
	query    *retrieve.Query
	parts    []partFound
	stats    bm25.Stats // of the scope
	terms    []term
	totalIDF float64
	code     vector.Code // of the query's vector
	model    int         // of it, or -1
	window   window
	sessions sessionNumbers
	matches  []retrieve.Match
}

// partFound is what a search knows of one part.
type partFound struct {
	*part
	number int
	filter filter
	// possible: some document may pass the filter.
	possible bool
	// scope are the documents of the query's scope, nil for all; outside: there is none.
	scope   docSet
	outside bool
	whole   bool // all documents are live and of the scope
	fitting fitting
	cosines []float32 // by row of the vectors
	nearest docSet    // documents that match by their vectors
}

// admits reports whether a document passes the filters, whether it matches or not.
func (p *partFound) admits(doc uint32) bool {
	return p.possible && p.filter.passes(p.part, doc) && (!p.fitting.on || p.fitting.docs.has(doc))
}

// searchPool keeps working memory between searches.
type searchPool struct {
	opts     *Options
	elements *elementTable
	pool     sync.Pool
	scorer   atomic.Pointer[cachedScorer]
}

// Search implements [retrieve.Retriever]. Cost: some 4 ns for each posting of the query's
// terms, 10 ns for each match, and 384 bytes read for each vector.
func (x *Index) Search(ctx context.Context, q *retrieve.Query) (*retrieve.Result, error) {
	s := x.newest()
	if s.closed {
		return nil, fmt.Errorf("index: closed: %w", hippo.ErrUnavailable)
	}
	f, ok := x.search.pool.Get().(*found)
	if !ok {
		f = &found{}
	}
	f.begin(&x.search, s, q)
	text := strings.TrimSpace(q.Text)
	most := f.lookUp(text)
	f.situation()
	f.nearest()
	w := &f.window
	w.scorer = x.search.scorerOf(f.stats)
	if text != "" && q.Substring && !strings.ContainsAny(text, " \t\r\n") {
		w.substring = f.longestTerm(text)
	} else {
		w.substring = ""
	}
	for i := range f.parts {
		if f.parts[i].possible {
			w.search(f, &f.parts[i], text == "")
		}
	}
	f.join()
	return &retrieve.Result{
		Matches: f.matches, MaxScore: most, Terms: len(f.terms), Memories: f.stats.Docs, Reader: reader{f}, Vocabulary: vocabulary{f},
	}, ctx.Err()
}

// begin prepares the parts for a query.
func (f *found) begin(pool *searchPool, s *snapshot, q *retrieve.Query) {
	f.pool, f.snapshot, f.query = pool, s, q
	f.stats, f.terms, f.totalIDF, f.matches = bm25.Stats{}, f.terms[:0], 0, f.matches[:0]
	f.parts = slices.Grow(f.parts[:0], len(s.parts))[:len(s.parts)]
	for i, p := range s.parts {
		g := &f.parts[i]
		g.part, g.number = p, i
		var stats bm25.Stats
		g.scope, stats, g.outside = p.within(&q.Scope)
		if g.outside {
			g.possible, g.filter = false, filter{docs: newDocSet(p.docs)}
			continue
		}
		g.filter, g.possible = p.compile(q, g.scope)
		g.whole = !q.Forgotten && g.filter.docs.count() == p.docs
		f.stats.Docs += stats.Docs
		for k, n := range stats.Length {
			f.stats.Length[k] += n
		}
	}
}

// within returns the documents of a scope, nil for all, and the statistics of the live ones;
// outside: there is no document.
func (p *part) within(s *hippo.Scope) (docs docSet, stats bm25.Stats, outside bool) {
	docs, ok := p.scope(s)
	if !ok {
		return nil, stats, true
	}
	if s.Projects == nil {
		namespace, _ := p.names.find(s.Namespace)
		i := slices.IndexFunc(p.tenants, func(t tenant) bool { return t.namespace == namespace })
		if i >= 0 {
			stats = p.tenants[i].stats
		}
		return docs, stats, false
	}
	for d := range uint32(p.docs) {
		if docs.has(d) && p.live.has(d) {
			stats.Docs++
			o := p.columns.other[d]
			for k, n := range (bm25.Counts{p.columns.content[d], o[0], o[1]}) {
				stats.Length[k] += uint64(n)
			}
		}
	}
	return docs, stats, false
}

// at returns the part of a document and its number there.
func (f *found) at(d retrieve.Doc) (*partFound, uint32) {
	i, doc := split(d)
	return &f.parts[i], doc
}

package index

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// found is one search: its working memory, which is used again, and what it found.
type found struct {
	pool     *searchPool
	snapshot *snapshot
	query    *retrieve.Query
	parts    []partFound
	stats    bm25.Stats // of the scope
	sampling sampling   // of the documents that describe its cosines
	terms    queryTerms
	channels [retrieve.Channels]channel
	window   window
	sessions sessionNumbers
	matches  matches
	same     same
}

// matches are the matches of a search.
type matches struct {
	list []retrieve.Match
	sums []sum // room for those of all parts
	// best is the highest score of a match; everything: the query has no text.
	best       float64
	everything bool
	foreign    bool // the query is not English
	elsewhere  int  // see [retrieve.Result.Elsewhere]
}

// sum is what the terms of a query give a document.
type sum struct{ score, cover float64 }

// lexical are the documents of a part that match by terms.
type lexical struct {
	matched docSet
	sums    []sum // by document, of those that match; others have any
	// containing are the documents with a term that contains the substring of the query; nil: it has none.
	containing docSet
}

// channel is the query's vector in one space.
type channel struct {
	model int // its number, or -1: the query has no vector
	code  vector.Code
	// spread collects the cosines of the passages in scope.
	count        int
	sum, squares float64
}

// partFound is what a search knows of one part.
type partFound struct {
	*part
	number int
	filter filter
	// possible: some document may pass the filter, of whatever project.
	possible bool
	// scope are the documents of the query's scope; outside: there is none.
	scope     extent
	outside   bool
	whole     bool // all documents are live and of the scope
	situation situationFilter
	scans     [retrieve.Channels]scan
	nearest   docSet // documents that match by their vectors; empty: none
	lexical
	// superseded are the documents that have a successor; without elements: not asked for yet.
	superseded docSet
}

// reachable reports whether some document may pass the filter.
func (p *partFound) reachable() bool { return p.possible && !p.filter.reach.empty() }

// visited reports whether a search looks at the documents of the part, perhaps only to count those of other projects.
func (p *partFound) visited(q *retrieve.Query) bool {
	return p.reachable() || p.possible && q.Elsewhere
}

// admits reports whether a document passes the filters, whether it matches or not.
func (p *partFound) admits(doc uint32) bool {
	return p.reachable() && p.filter.passes(p.part, doc) && (!p.situation.required || p.situation.docs.has(doc))
}

// scan is what the scan of a channel finds in the vectors of a part.
type scan struct {
	cosines []float32    // by row
	runs    []vector.Run // the rows that were scanned: those of the scope, and some between them
}

// searchPool keeps working memory between searches.
type searchPool struct {
	// places are of the searches under way, turns of those that hold matches.
	places, turns chan struct{}

	opts     *Options
	elements *elementTable
	scans    *scans
	scorer   atomic.Pointer[cachedScorer]
	repeated repeats // of the segments that were searched last
	kept     reserve[*found]
	// sums and matches are of those that have a turn: room for all memories is the largest part of what a search needs.
	sums    reserve[[]sum]
	matches reserve[[]retrieve.Match]
}

func newSearchPool(o *Options, elements *elementTable, s *scans) searchPool {
	n := runtime.GOMAXPROCS(0)
	return searchPool{places: make(chan struct{}, 8*n), turns: make(chan struct{}, 2*n), opts: o, elements: elements, scans: s}
}

// enter waits for a place, or a turn.
func enter(ctx context.Context, places chan<- struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end gives back the place of a search, and its turn.
func (s *searchPool) end() {
	<-s.turns
	<-s.places
}

// statistics returns those of the live documents of an extent.
func (p *part) statistics(in *extent) (out docStats) {
	for _, x := range in.projects {
		out.all.Add(&p.totals[x.number].all)
		out.insights.Add(&p.totals[x.number].insights)
	}
	return out
}

// at returns the part of a document and its number there.
func (f *found) at(d retrieve.Doc) (*partFound, uint32) {
	i, doc := split(d)
	return &f.parts[i], doc
}

// sessionKey is a session: names repeat from project to project.
type sessionKey struct{ namespace, project, session string }

// sessionNumbers numbers the sessions that a search has met.
type sessionNumbers struct {
	local   map[localSession]uint32
	numbers map[sessionKey]uint32
	ranges  []sessionRanges // by number - 1
}

// localSession is a session in the names of one part.
type localSession struct {
	part                        int
	namespace, project, session uint32
}

// sessionRanges are where the documents of a session lie in the order of each part.
type sessionRanges []struct{ from, to int }

func (n *sessionNumbers) clear() { *n = sessionNumbers{} }

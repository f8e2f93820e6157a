package index

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Search implements [retrieve.Retriever]. Searches beyond eight times the number of processors wait, and a quarter of those under way
// hold matches, of all of the index, at a time: the others share the scan of the vectors meanwhile. Cost: some 4 ns for each posting of the query's terms, 10 ns for
// each match, and a byte read for each component of each vector.
func (x *Index) Search(ctx context.Context, q *retrieve.Query) (*retrieve.Result, error) {
	if err := enter(ctx, x.search.places); err != nil {
		return nil, err
	}
	f, err := x.scanned(ctx, q)
	if err != nil {
		return nil, err
	}
	return x.matched(ctx, f)
}

// scanned begins a search that has a place, up to its turn: it finds the terms of the query, and what is near its
// vectors. An error or a panic gives back the place.
func (x *Index) scanned(ctx context.Context, q *retrieve.Query) (f *found, err error) {
	turn := false
	defer func() {
		if !turn {
			<-x.search.places
		}
	}()
	s := x.newest()
	if s.closed {
		return nil, fmt.Errorf("index: closed: %w", hippo.ErrUnavailable)
	}
	if f = x.search.kept.take(); f == nil {
		f = &found{}
	}
	f.begin(&x.search, s, q)
	f.terms.resolve(strings.TrimSpace(q.Text), x.search.opts, f.stats, f.parts)
	f.situation()
	f.nearest()
	if err := enter(ctx, x.search.turns); err != nil {
		return nil, err
	}
	turn = true
	return f, nil
}

// matched finds the matches of a search in its turn, which ends when the result is closed, or by an error or a panic
// here, also one of what sifts.
func (x *Index) matched(ctx context.Context, f *found) (*retrieve.Result, error) {
	whole := false
	defer func() {
		if !whole {
			x.search.end()
		}
	}()
	q := f.query
	text := strings.TrimSpace(q.Text)
	f.matches.everything, f.matches.foreign = text == "", cue.IsForeign(text)
	f.matches.sums = makeRoom(f.parts, x.search.sums.take())
	w := &f.window
	w.scorer = x.search.scorerOf(f.stats)
	if text != "" && q.Substring && !strings.ContainsAny(text, " \t\r\n") {
		w.substring = f.longestTerm(text)
	} else {
		w.substring = ""
	}
	for i := range f.parts {
		p := &f.parts[i]
		if p.possible && q.Elsewhere && !f.matches.everything {
			f.matches.elsewhere += w.elsewhere.count(f, p)
		}
		if p.reachable() {
			w.search(f, p, p.filter.reach.ranges)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := resultOf(f)
	if len(f.same.repeated) > 0 {
		folding{f}.fold(r)
	}
	r.Counts.Matches = count(f.parts)
	n, kept := r.Counts.Matches, (func(*retrieve.Match) bool)(nil)
	if q.Prune != nil {
		if kept = q.Prune(r); kept != nil {
			n = min(n, prunedRoom)
		}
	}
	f.matches.list = f.collect(roomFor(x.search.matches.take(), n, f.snapshot.docs()), kept)
	r.Matches, whole = f.matches.list, true
	return r, nil
}

// resultOf returns what a search found, without the matches.
func resultOf(f *found) *retrieve.Result {
	return &retrieve.Result{
		MaxScore: f.terms.most, BestScore: f.matches.best, Counts: retrieve.Counts{Terms: f.terms.counted, Memories: f.stats.Docs, Elsewhere: f.matches.elsewhere}, Spreads: spreads(&f.channels),
		Reader: reader{f}, Vocabulary: vocabulary{f}, Superseded: func(yield func(retrieve.Doc, hippo.ID) bool) { superseded(f, yield) },
		Some:   retrieve.Marks{Archived: archived(f.parts), Bounded: bounded(f.parts)},
		Lookup: lookupOf(f),
	}
}

func lookupOf(f *found) retrieve.Lookup {
	return retrieve.Lookup{
		Outline:  func(d retrieve.Doc) retrieve.Outline { return outline(f, d) },
		Feedback: func(d retrieve.Doc) []hippo.Feedback { return feedback(f, d) },
		Same:     folding{f}.others,
		Match:    func(d retrieve.Doc) (retrieve.Match, bool) { return matchOf(f, d) },
	}
}

// begin prepares the parts for a query.
func (f *found) begin(pool *searchPool, s *snapshot, q *retrieve.Query) {
	f.pool, f.snapshot, f.query = pool, s, q
	if q.Fold != nil {
		f.same.repeated = pool.repeated.in(s.parts, q.Scope.Namespace)
	}
	f.stats = bm25.Stats{}
	f.parts = slices.Grow(f.parts[:0], len(s.parts))[:len(s.parts)]
	for i, p := range s.parts {
		g := &f.parts[i]
		g.part, g.number = p, i
		in, ok := p.scope(&q.Scope)
		if g.scope, g.outside = in, !ok; !ok {
			none := newDocSet(p.docs)
			g.possible, g.filter = false, filter{reach: extent{docs: none}, scope: none, docs: none}
			continue
		}
		g.filter, g.possible = p.compile(q, &in)
		g.whole = !q.Forgotten && g.filter.scope.count() == p.docs
		known := p.statistics(&in)
		if q.Insights && len(q.Filter.Types) == 0 {
			f.stats.Add(&known.insights)
		} else {
			f.stats.Add(&known.all)
		}
	}
	f.sampling = samplingOf(f.stats.Docs)
}

// archived reports whether some document that may pass the filter may be archived.
func archived(parts []partFound) bool {
	for i := range parts {
		if parts[i].reachable() && parts[i].archived > 0 {
			return true
		}
	}
	return false
}

// bounded reports whether the validity of some document that may pass the filter may have a bound.
func bounded(parts []partFound) bool {
	return slices.ContainsFunc(parts, func(p partFound) bool { return p.possible && p.bounded })
}

// feedback is [retrieve.Lookup.Feedback].
func feedback(f *found, d retrieve.Doc) []hippo.Feedback {
	if f.snapshot.lessons == nil {
		return nil
	}
	p, doc := f.at(d)
	return f.snapshot.lessons.of(p.columns.rows[doc].id).feedback
}

// outline is [retrieve.Lookup.Outline].
func outline(f *found, d retrieve.Doc) retrieve.Outline {
	p, doc := f.at(d)
	if len(p.superseded) == 0 {
		p.superseded = emptied(p.superseded, p.docs)
		for s := range p.shown.superseded() {
			p.superseded.add(s.doc)
		}
	}
	return retrieve.Outline{
		Length: int(p.columns.content[doc]), Superseded: p.superseded.has(doc), Bounded: p.bounded && boundedIn(p.segment).has(doc),
	}
}

package engine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

// Search answers a query: it advances the active day, filters and scores in the
// index, ranks, loads one page from the store, and counts each memory on the
// page as accessed once, after the answer.
//
// Pages of one query go on where the earlier page ended, although reading it
// counts as use, as long as the same engine is asked within ten minutes.
func (e *Engine) Search(ctx context.Context, q hippo.Query) (*hippo.Answer, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(q.Text) == "" {
		q.Text = ""
	}
	if err := e.checkWhen(&q); err != nil {
		return nil, err
	}
	q.Ranker = cmp.Or(q.Ranker, e.ranker)
	q.Count = cmp.Or(q.Count, hippo.DefaultCount)
	day, degraded, err := e.day(ctx, &q)
	if err != nil {
		return nil, err
	}
	o, err := e.order(ctx, q, day)
	if err != nil {
		return nil, err
	}
	page := pageOf(o.hits, q.Offset, q.Count)
	hits, err := e.load(ctx, page)
	if err != nil {
		return nil, err
	}
	o.explain.complete(hits, page)
	if !q.NoTouch {
		e.touch(day, hits, o.together(&q, hits))
	}
	return &hippo.Answer{
		Hits: hits, Total: o.total, Distribution: o.distribution, Ranker: q.Ranker, Day: day,
		Conflicts: e.conflicts(hits, q.Filter.ValidAt), Degraded: append(degraded, o.degraded...),
		Confidence: o.confidence, Support: o.support, Abstained: o.abstained,
	}, nil
}

// day returns the active day, advanced unless the search is to leave no trace. A
// store that cannot be written is searched without one, and the answer says so.
func (e *Engine) day(ctx context.Context, q *hippo.Query) (day hippo.Day, degraded []string, err error) {
	if !q.NoTouch {
		day, err = e.store.Today(ctx)
		if err == nil || !errors.Is(err, hippo.ErrReadOnly) && !errors.Is(err, hippo.ErrFull) && !errors.Is(err, hippo.ErrCorrupt) {
			return day, nil, err
		}
		q.NoTouch = true
		degraded = []string{"use is not counted: " + err.Error()}
	}
	h, err := e.store.Head(ctx)
	return h.Calendar.Day, degraded, err
}

// order returns the order of all matches, kept from an earlier page or computed.
func (e *Engine) order(ctx context.Context, q hippo.Query, day hippo.Day) (*order, error) {
	key, end := keyOf(q), q.Offset+q.Count
	if q.Offset > 0 {
		if o := e.pages.get(&key, end); o != nil {
			return o, nil
		}
	}
	if err := e.index.CatchUp(ctx); err != nil {
		return nil, err
	}
	a, err := e.meaning.ask(ctx, &q)
	if err != nil {
		return nil, err
	}
	const most = math.MaxInt / 2 // more can be added to that
	o, err := e.score(ctx, q, a, day, max(min(end, most), orderLength))
	if err != nil {
		return nil, err
	}
	e.judge(o, &q)
	o.key, o.made = key, e.now()
	e.pages.put(o)
	return o, nil
}

// score ranks every match and keeps the best of them.
func (e *Engine) score(ctx context.Context, q hippo.Query, a asked, day hippo.Day, keep int) (*order, error) {
	t, err := e.told(q)
	if err != nil {
		return nil, err
	}
	t.narrow(&q.Filter)
	if q.Ranker == hippo.RankerHybrid && q.Text != "" {
		return e.hybrid(ctx, q, a, day, keep)
	}
	o := &order{day: day, degraded: a.degraded}
	r := e.ranking(&q, &a, day, t)
	room := keep
	if r.closely { // what is looked at closely leaves its place: itself, and two beside it
		room += 3 * r.weights.Closely
	}
	best := newBest(room)
	if r.near = best; r.closely && !r.within.open() {
		r.near = newBest(r.weights.Closely)
	}
	var c *closer
	var later *heirs
	more := false
	e.index.View(func(v *index.View) {
		iq := e.ask(&q, &a)
		found := v.Search(iq)
		r.take(v, &found, o, best)
		list := best.Sorted()
		if q.Ranker == hippo.RankerHippo && q.Text != "" {
			words := weighed(v, q.Text)
			o.support = supportOf(v, words)
			if r.closely {
				c = newCloser(v, &r, q.Text, words, e.pieces, r.nearest(list), found.Matches)
			}
		}
		if q.Ranker == hippo.RankerHippo || q.Ranker == hippo.RankerInsight {
			later = newHeirs(v, &r, c, found.Matches) // by the cosines that were counted
		}
		list = c.others(list)
		more = len(list) >= keep
		o.hits = r.exact(v, list[:min(keep, len(list))])
		if q.Explain {
			o.explain = newExplainer(v, &r, &q, &iq, o.hits, c, found.Matches)
		}
	})
	if c != nil {
		links, err := e.relate(ctx, &q, c, &r)
		if err != nil {
			return nil, err
		}
		c.merge(&r, o, more)
		e.pull(&q, &a, c, &r, o, links, more)
		o.support.Met, o.support.Meaning = c.covered(o.hits), r.meaning
	}
	later.lift(&r, o, c, more)
	return o, nil
}

// ask returns what the index is asked for.
func (e *Engine) ask(q *hippo.Query, a *asked) index.Query {
	iq := index.Query{
		Text: q.Text, Situation: q.Situation, Filter: q.Filter,
		Elements: a.elements, ElementModel: a.elementModel,
		Vector: a.vector, Model: a.model, Nearest: e.weights.Nearest, MinCosine: e.weights.MinCosine,
	}
	switch q.Ranker {
	case hippo.RankerInsight: // content is a gate there, open to all that pass
		iq.Substring, iq.Nearest, iq.MinCosine = true, math.MaxInt, e.weights.Match
	case hippo.RankerCosine:
		iq.Nearest, iq.MinCosine = math.MaxInt, 0
	case hippo.RankerHippo, hippo.RankerHybrid, hippo.RankerBM25:
	}
	return iq
}

// ranking is what the scoring of all matches of one search has in common.
type ranking struct {
	clock     rank.Clock
	look      *rank.FirstLook
	weights   rank.Weights
	relevance rank.Func
	within    limits
	// meaning: the query has a vector.
	meaning bool
	// gate is the coverage or cosine that a match must exceed; most the highest
	// word score there can be, best the highest there is.
	gate, most, best float64
	// closely: the best are looked at closely. near are those, whatever range was asked
	// for.
	closely bool
	near    best
	// time is what the query tells of time.
	time told
	// replaced are the matches that are superseded.
	replaced []candidate
	// row and s are of the match at hand, kept here to be used again.
	row index.Row
	s   hippo.Signals
}

// ranking prepares the scoring of all matches of a query that tells t of time.
func (e *Engine) ranking(q *hippo.Query, a *asked, day hippo.Day, t told) ranking {
	r := ranking{
		clock: e.days.At(day), look: e.look, weights: e.weights, within: limits(e.rangeOf(*q)), meaning: a.vector != nil, time: t,
		closely: q.Ranker == hippo.RankerHippo && q.Text != "" && e.pieces != nil,
	}
	r.relevance, _ = rank.For(q.Ranker)
	if q.Ranker == hippo.RankerInsight {
		r.gate = e.weights.Match
	}
	return r
}

// take ranks all matches.
func (r *ranking) take(v *index.View, found *index.Result, o *order, best best) {
	r.most = found.MaxScore
	for i := range found.Matches {
		r.best = max(r.best, found.Matches[i].Score)
	}
	for some := range slices.Chunk(found.Matches, fetched) {
		v.Fetch(some)
		for i := range some {
			r.consider(v, &some[i], o, best)
		}
	}
}

// fetched is how many rows of matches are fetched together.
const fetched = 32

// limits is the range that the relevance of a hit must be in.
type limits hippo.Range

func (l limits) has(relevance float64) bool { return relevance >= l.Min && relevance <= l.Max }

// open reports whether every relevance is in the range.
func (l limits) open() bool { return l.Min <= 0 && l.Max >= 1 }

// near reports whether a relevance by a rough cosine may be on the other side of a
// limit by the exact one.
func (l limits) near(relevance float64) bool {
	const rough = .02 // what package vector keeps a scan within
	return l.Min > 0 && math.Abs(relevance-l.Min) < rough || l.Max < 1 && math.Abs(relevance-l.Max) < rough
}

// consider ranks one match, counts it, and keeps it if it is among the best.
func (r *ranking) consider(v *index.View, m *index.Match, o *order, best best) {
	if max(m.Coverage, m.Cosine) <= r.gate {
		return
	}
	relevance := r.relevance(&r.weights, r.signals(v, m))
	if r.meaning && !r.closely && r.within.near(relevance) {
		m.Cosine = v.Cosine(m.Doc)
		relevance = r.relevance(&r.weights, r.signals(v, m))
	}
	o.distribution.Add(relevance)
	if r.row.Superseded {
		r.replaced = append(r.replaced, candidate{relevance: relevance, match: m})
	}
	if r.near != best && r.near.wants(relevance) {
		r.near.Add(candidate{id: r.row.ID, created: r.row.CreatedAt, relevance: relevance, match: m})
	}
	if !r.within.has(relevance) {
		return
	}
	o.total++
	if best.wants(relevance) {
		best.Add(candidate{id: r.row.ID, created: r.row.CreatedAt, relevance: relevance, match: m})
	}
}

// nearest returns what is looked at closely, best first. The list holds the best that
// are in the range.
func (r *ranking) nearest(list []candidate) []candidate {
	if !r.within.open() {
		list = r.near.Sorted()
	}
	return list[:min(r.weights.Closely, len(list))]
}

// signals gathers what the rankers combine; valid until the next call.
func (r *ranking) signals(v *index.View, m *index.Match) *hippo.Signals {
	r.row = v.Row(m.Doc)
	s := &r.s
	s.BM25, s.Coverage, s.Context = m.Score, m.Coverage, m.Context
	s.Words = 1 // nothing was asked for
	if r.most > 0 {
		s.Words = min(1, m.Score/r.most)
	}
	s.Cosine = m.Cosine
	e := &s.Evidence
	e[hippo.EvidenceCosine], e[hippo.EvidenceShare] = m.Cosine, 0
	if r.best > 0 {
		e[hippo.EvidenceShare] = m.Score / r.best
	}
	e[hippo.EvidenceLength] = r.look.Length(v.Length(m.Doc))
	if s.Text = 1; r.most > 0 || r.meaning {
		s.Text = r.look.Of(e)
	}
	s.Time = r.time.signal(v, m.Doc)
	s.Recency = r.clock.Recency(r.row.LastAccess)
	s.Frequency = r.clock.Frequency(v.Accesses(m.Doc))
	s.Importance = r.clock.Importance(r.row.Importance, r.row.SetDay, r.row.Pinned)
	s.Prior = rank.PriorOf(&r.weights, s)
	return s
}

// exact ranks the best matches anew, by exact cosines: the index scores all
// documents by rough ones. Where the best are looked at closely, rough ones do: an error
// of .01 is little beside all that is added up there, and half of the vectors stays on
// the disk.
func (r *ranking) exact(v *index.View, list []candidate) []ranked {
	for i := range list {
		c := &list[i]
		if r.meaning && !r.closely {
			c.match.Cosine = v.Cosine(c.match.Doc)
			c.relevance = r.relevance(&r.weights, r.signals(v, c.match))
		}
	}
	slices.SortFunc(list, better)
	hits, signals := make([]ranked, len(list)), make([]hippo.Signals, len(list))
	for i, c := range list {
		signals[i] = *r.signals(v, c.match)
		hits[i] = ranked{candidate: c, signals: &signals[i]}
		hits[i].match = nil // it lies in memory of the View, and the order is kept
	}
	return hits
}

// load completes ranked memories from the store; those that were removed or
// forgotten meanwhile are left out.
func (e *Engine) load(ctx context.Context, page []ranked) ([]hippo.Hit, error) {
	ids := make([]hippo.ID, len(page))
	for i, r := range page {
		ids[i] = r.id
	}
	ms, err := e.store.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]hippo.Hit, 0, len(ms))
	for _, m := range ms {
		i := slices.Index(ids, m.ID)
		if !m.Forgotten() {
			hits = append(hits, hippo.Hit{Memory: m, Relevance: page[i].relevance, Signals: *page[i].signals})
		}
	}
	return hits, nil
}

// touch counts the hits as accessed, in the index now, in the store soon, and has the
// pairs learn that they were found together.
func (e *Engine) touch(day hippo.Day, hits []hippo.Hit, pairs []hippo.Relation) {
	ids := make([]hippo.ID, len(hits))
	for i, h := range hits {
		ids[i] = h.Memory.ID
	}
	e.index.Touch(ids, day)
	e.touches.add(day, ids, pairs)
}

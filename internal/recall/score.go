package recall

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/retrieve"
	"github.com/hippo-memory/hippo/internal/top"
)

// candidate is a match with its relevance.
type candidate struct {
	retrieve.Key
	match     retrieve.Match
	relevance float64
}

// scoredMatch is the number of a match and its relevance by the first stage: no more, because
// a search has many.
type scoredMatch struct {
	number    int
	relevance float64
}

// scored is the result of the first stage.
type scored struct {
	first firstStage
	tally tally
	// relevances are those of all matches that take part, if some are to be reranked.
	relevances []float64
	// best are the best matches, best first: as many as are kept, and room for those that
	// reranking moves. They are in the range, unless some are to be reranked.
	best []scoredMatch
	// top are those to be reranked, in the range or not: the best of the first stage, and the
	// best of each list of candidates.
	top []scoredMatch
	// superseded are the matches that have a successor.
	superseded []scoredMatch
}

// firstStage computes the signals of a match from its columns.
type firstStage struct {
	*Plan
	found *retrieve.Result
	// bestScore is the highest lexical score of a match.
	bestScore float64
	// standard maps cosines to standard scores, by channel.
	standard [retrieve.Channels]func(float64) float64
	// gate is the coverage or cosine that a match must exceed.
	gate float64
	// scale multiplies the relevance of texts, see [scored.demoted].
	scale float64
	// work is what rank computes of a match, without an allocation for each.
	work first
}

// first is the first-stage scores of a match.
type first struct {
	signals hippo.Signals
	textFeatures
}

// textFeatures are the features bm25 and length of a match, and the relevance of its text.
type textFeatures struct{ bm25, length, text float64 }

// rowBatch is the number of rows that are read at a time.
const rowBatch = 32

// score ranks every match by the first stage.
func score(p *Plan, found *retrieve.Result) scored {
	s := scored{first: newFirstStage(p, found)}
	room := p.keep
	var pool *pool
	if p.rerank { // reranking may move a candidate and its two neighbours
		pool = newPool(&s.first)
		room += 3 * pool.size()
		s.relevances = make([]float64, 0, len(found.Matches))
		if !p.within.open() { // what is in the range is known when all is ranked
			room = len(found.Matches)
		}
	}
	best := top.New(room, s.first.better)
	rows := make([]retrieve.Row, 0, rowBatch)
	for n := 0; n < len(found.Matches); n += rowBatch {
		some := found.Matches[n:min(n+rowBatch, len(found.Matches))]
		rows = found.Reader.Rows(rows[:0], some)
		for i := range some {
			relevance, _, ok := s.first.rank(&some[i], &rows[i])
			if !ok {
				continue
			}
			x, in := scoredMatch{n + i, relevance}, p.within.has(relevance)
			s.tally.add(relevance, in)
			if rows[i].Superseded {
				s.superseded = append(s.superseded, x)
			}
			if pool != nil {
				pool.add(&some[i], x)
				s.relevances = append(s.relevances, relevance)
			}
			if in || pool != nil {
				addScored(best, x)
			}
		}
	}
	s.best = best.Sorted()
	if pool != nil {
		s.top = pool.top()
	}
	return s
}

// demoted returns the scores with what was not reranked below what was: both stages measure
// relevance, but the first one knows less. least is the least relevance of what was reranked.
func (s *scored) demoted(r *passages, least float64) scored {
	most := 0.0
	for _, x := range s.best {
		if r.number(s.first.found.Matches[x.number].Doc) < 0 {
			most = max(most, x.relevance)
			break // they are in order
		}
	}
	out := *s
	if most > least {
		out.first.scale = least / most
	}
	out.best = slices.DeleteFunc(scaled(s.best, out.first.scale), func(x scoredMatch) bool { return !s.first.within.has(x.relevance) })
	if out.first.scale == 1 {
		return out
	}
	out.superseded = scaled(s.superseded, out.first.scale)
	out.tally = tally{}
	for _, x := range s.relevances {
		x *= out.first.scale
		out.tally.add(x, s.first.within.has(x))
	}
	return out
}

// scaled returns matches with scaled relevances.
func scaled(list []scoredMatch, by float64) []scoredMatch {
	out := slices.Clone(list)
	for i := range out {
		out[i].relevance *= by
	}
	return out
}

func newFirstStage(p *Plan, found *retrieve.Result) firstStage {
	f := firstStage{Plan: p, found: found, scale: 1}
	if p.ranker == hippo.RankerInsight {
		f.gate = p.weights.Insight.MinContent
	}
	for c, x := range found.Spreads {
		f.standard[c] = rank.Standard(x.Count, x.Mean, x.Deviation)
	}
	for i := range found.Matches {
		f.bestScore = max(f.bestScore, found.Matches[i].Score)
	}
	return f
}

// addScored adds a match, if it may be among the best.
func addScored(best *top.List[scoredMatch], x scoredMatch) {
	if bound := best.Bound(); bound == nil || x.relevance >= bound.relevance {
		best.Add(x)
	}
}

// candidate returns the candidate that a match is.
func (f *firstStage) candidate(x scoredMatch) candidate {
	m := f.found.Matches[x.number]
	return candidate{f.found.Reader.Key(m.Doc), m, x.relevance}
}

// better is [better]. Keys are read only of equals.
func (f *firstStage) better(a, b scoredMatch) int {
	if a.relevance != b.relevance {
		return cmp.Compare(b.relevance, a.relevance)
	}
	return better(f.candidate(a), f.candidate(b))
}

// rank returns the relevance of a match and its cosine; not ok: it does not take part. Near a
// limit of the range the exact cosine decides, unless the match may be reranked.
func (f *firstStage) rank(m *retrieve.Match, row *retrieve.Row) (relevance, cosine float64, ok bool) {
	if max(m.Coverage, m.Cosine) <= f.gate {
		return 0, 0, false
	}
	f.work.fill(f, m, row)
	relevance, cosine = f.relevance(f.weights, &f.work.signals), m.Cosine
	if f.semantic() && !f.rerank && f.within.near(relevance) {
		exact := *m
		exact.Cosine = f.found.Reader.Cosine(m.Doc)
		f.work.fill(f, &exact, row)
		relevance, cosine = f.relevance(f.weights, &f.work.signals), exact.Cosine
	}
	return relevance, cosine, true
}

// of computes the signals of a match.
func (f *firstStage) of(m *retrieve.Match) (x first) {
	row := f.found.Reader.Row(m.Doc)
	x.fill(f, m, &row)
	return x
}

// fill computes the signals of a match in place: copies of them for each match would cost a
// tenth of the search.
func (x *first) fill(f *firstStage, m *retrieve.Match, row *retrieve.Row) {
	s := &x.signals
	x.length, x.bm25 = f.scorer.Length(row.Length), 0
	s.BM25, s.Coverage, s.Cosine, s.Multilingual, s.Context = m.Score, m.Coverage, m.Cosine, m.Multilingual, m.Context
	s.Lexical = 1 // nothing was asked for
	if most := f.found.MaxScore; most > 0 {
		s.Lexical = min(1, m.Score/most)
	}
	if f.bestScore > 0 {
		x.bm25 = m.Score / f.bestScore
	}
	x.text = f.scorer.Text(x.bm25, m.Cosine, m.Multilingual, x.length)
	if s.Text = 1; f.found.MaxScore > 0 || f.semantic() {
		s.Text = x.text * f.scale
	}
	if s.Time = 1; f.temporal.named {
		s.Time = f.temporal.fit(f.found.Reader.Details(m.Doc).When)
	}
	s.Recency = f.clock.Recency(row.LastUse)
	s.Frequency = f.clock.Frequency(row.RecentUses)
	s.Importance = f.clock.Importance(row.Importance, row.SetDay, row.Pinned)
	s.Prior = rank.PriorOf(f.weights, s)
}

// better orders candidates: by relevance, equal ones by their keys, so that the order is total.
func better(a, b candidate) int {
	if a.relevance != b.relevance {
		return cmp.Compare(b.relevance, a.relevance)
	}
	return a.Compare(b.Key)
}

// tally counts matches.
type tally struct {
	// total counts those in the range, distribution all.
	total        int
	distribution hippo.Distribution
}

func (t *tally) add(relevance float64, in bool) {
	t.distribution.Add(relevance)
	if in {
		t.total++
	}
}

// move replaces the relevance by which a match is counted; nil if it is not counted yet.
func (t *tally) move(was *float64, relevance float64, within limits) {
	if was != nil {
		t.distribution.Remove(*was)
		if within.has(*was) {
			t.total--
		}
	}
	t.add(relevance, within.has(relevance))
}

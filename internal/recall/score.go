package recall

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/retrieve"
	"github.com/hippo-memory/hippo/internal/top"
)

// candidate is a match with its relevance by the first stage.
type candidate struct {
	match     retrieve.Match
	id        hippo.ID
	created   int64
	relevance float64
}

// scored is the result of the first stage.
type scored struct {
	first firstStage
	tally tally
	// best are the best candidates in the range, best first: as many as are kept, and room
	// for those that reranking moves.
	best []candidate
	// top are those to be reranked, in the range or not.
	top []candidate
	// superseded are the matches that have a successor.
	superseded []candidate
}

// firstStage computes the signals of a match from its columns.
type firstStage struct {
	*Plan
	reader retrieve.Reader
	// maxScore bounds the lexical score of any text, bestScore is the highest of a match.
	maxScore, bestScore float64
	// gate is the coverage or cosine that a match must exceed.
	gate float64
	// work is what rank computes of a match, without an allocation for each.
	work first
}

// first is the first-stage scores of a match.
type first struct {
	signals hippo.Signals
	// bm25 and length are the features of that name; text the relevance of the text.
	bm25, length, text float64
}

// rowBatch is the number of rows that are read at a time.
const rowBatch = 32

// score ranks every match by the first stage.
func score(p *Plan, found *retrieve.Result) scored {
	s := scored{first: newFirstStage(p, found)}
	room := p.keep
	if p.rerank { // reranking may move a candidate and its two neighbours
		room += 3 * p.weights.Rerank.TopK
	}
	best := newTop(room)
	nearest := best
	if p.rerank && !p.within.open() {
		nearest = newTop(p.weights.Rerank.TopK)
	}
	rows := make([]retrieve.Row, 0, rowBatch)
	for some := range slices.Chunk(found.Matches, rowBatch) {
		rows = found.Reader.Rows(rows[:0], some)
		for i := range some {
			m, row := &some[i], &rows[i]
			relevance, cosine, ok := s.first.rank(m, row)
			if !ok {
				continue
			}
			in := p.within.has(relevance)
			s.tally.add(relevance, in)
			if row.Superseded {
				s.superseded = append(s.superseded, newCandidate(m, row, relevance, cosine))
			}
			if nearest != best && nearest.wants(relevance) {
				nearest.Add(newCandidate(m, row, relevance, cosine))
			}
			if in && best.wants(relevance) {
				best.Add(newCandidate(m, row, relevance, cosine))
			}
		}
	}
	s.best = best.Sorted()
	if p.rerank {
		s.top = firstOf(nearest.Sorted(), p.weights.Rerank.TopK)
	}
	return s
}

func newFirstStage(p *Plan, found *retrieve.Result) firstStage {
	f := firstStage{Plan: p, reader: found.Reader, maxScore: found.MaxScore}
	if p.ranker == hippo.RankerInsight {
		f.gate = p.weights.Insight.MinContent
	}
	for i := range found.Matches {
		f.bestScore = max(f.bestScore, found.Matches[i].Score)
	}
	return f
}

func newCandidate(m *retrieve.Match, row *retrieve.Row, relevance, cosine float64) candidate {
	c := candidate{match: *m, id: row.ID, created: row.CreatedAt, relevance: relevance}
	c.match.Cosine = cosine
	return c
}

// candidate ranks a match; not ok: it does not take part.
func (f *firstStage) candidate(m *retrieve.Match, row *retrieve.Row) (c candidate, ok bool) {
	relevance, cosine, ok := f.rank(m, row)
	if !ok {
		return c, false
	}
	return newCandidate(m, row, relevance, cosine), true
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
		exact.Cosine = f.reader.Cosine(m.Doc)
		f.work.fill(f, &exact, row)
		relevance, cosine = f.relevance(f.weights, &f.work.signals), exact.Cosine
	}
	return relevance, cosine, true
}

// of computes the signals of a match.
func (f *firstStage) of(m *retrieve.Match, row *retrieve.Row) (x first) {
	x.fill(f, m, row)
	return x
}

// fill computes the signals of a match in place: copies of them for each match would cost a
// tenth of the search.
func (x *first) fill(f *firstStage, m *retrieve.Match, row *retrieve.Row) {
	s := &x.signals
	x.length, x.bm25 = f.scorer.Length(row.Length), 0
	s.BM25, s.Coverage, s.Cosine, s.Context = m.Score, m.Coverage, m.Cosine, m.Context
	s.Lexical = 1 // nothing was asked for
	if f.maxScore > 0 {
		s.Lexical = min(1, m.Score/f.maxScore)
	}
	if f.bestScore > 0 {
		x.bm25 = m.Score / f.bestScore
	}
	x.text = f.scorer.Text(x.bm25, m.Cosine, x.length)
	if s.Text = 1; f.maxScore > 0 || f.semantic() {
		s.Text = x.text
	}
	s.Time = f.temporal.fit(row.When)
	s.Recency = f.clock.Recency(row.LastUse)
	s.Frequency = f.clock.Frequency(row.RecentUses)
	s.Importance = f.clock.Importance(row.Importance, row.SetDay, row.Pinned)
	s.Prior = rank.PriorOf(f.weights, s)
}

// row reads one row.
func (f *firstStage) row(m retrieve.Match) retrieve.Row {
	return f.reader.Rows(nil, []retrieve.Match{m})[0]
}

// better orders candidates: by relevance, the newer first among equals, then by ID, so that
// the order is total.
func better(a, b candidate) int {
	switch {
	case a.relevance != b.relevance:
		return cmp.Compare(b.relevance, a.relevance)
	case a.created != b.created:
		return cmp.Compare(b.created, a.created)
	default:
		return a.id.Compare(b.id)
	}
}

// topList keeps the best candidates.
type topList struct{ *top.List[candidate] }

func newTop(n int) topList { return topList{top.New(n, better)} }

// wants reports whether a candidate of this relevance may be among the best.
func (t topList) wants(relevance float64) bool {
	bound := t.Bound()
	return bound == nil || relevance >= bound.relevance
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

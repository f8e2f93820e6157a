package recall

import (
	"cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
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

// firstStage computes the signals of a match from its columns.
type firstStage struct {
	*Plan
	found *retrieve.Result
	// standard maps cosines to standard scores, by channel.
	standard [retrieve.Channels]func(float64) float64
	// gate is the coverage or cosine that a match must exceed.
	gate float64
	// scale multiplies the relevance of texts, see [demote].
	scale float64
	// importanceClock is the clock by which importance counts, see [firstStage.asOfCandidates].
	importanceClock rank.Clock
	// work is what rank computes of a match, without an allocation for each.
	work first
}

// first is the first-stage scores of a match: its signals, and the features bm25 and length of its text.
type first struct {
	signals      hippo.Signals
	bm25, length float64
}

func newFirstStage(p *Plan, found *retrieve.Result) firstStage {
	f := firstStage{Plan: p, found: found, scale: 1, importanceClock: p.clock}
	if p.ranker == hippo.RankerInsight {
		f.gate = p.weights.Insight.MinContent
	}
	for c, x := range found.Spreads {
		f.standard[c] = rank.Standard(x.Count, x.Mean, x.Deviation)
	}
	return f
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

// gated reports whether a match does not take part.
func (f *firstStage) gated(m *retrieve.Match) bool {
	return max(m.Coverage, m.Cosine, m.Multilingual) <= f.gate
}

// sum is the weighted sum of the features of the text of a match that has length terms.
func (f *firstStage) sum(m *retrieve.Match, length int) float64 {
	return f.scorer.Sum(share(m.Score, f.found.BestScore), m.Cosine, m.Multilingual, f.scorer.Length(length))
}

// share is x as a share of the best, 0 if that is 0.
func share(x, best float64) float64 {
	if best <= 0 {
		return 0
	}
	return x / best
}

// rank returns the relevance of a match; not ok: it does not take part. Near a
// limit of the range the exact cosine decides, which becomes that of the match, unless it may be reranked.
func (f *firstStage) rank(m *retrieve.Match, row *retrieve.Row) (relevance float64, ok bool) {
	if f.gated(m) {
		return 0, false
	}
	f.work.fill(f, m, row)
	relevance = f.relevance(f.weights, &f.work.signals)
	if f.semantic() && !f.rerank && f.within.near(relevance) {
		m.Cosine = f.found.Reader.Cosine(m.Doc)
		f.work.fill(f, m, row)
		relevance = f.relevance(f.weights, &f.work.signals)
	}
	return relevance, true
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
	x.length, x.bm25 = f.scorer.Length(row.Length), share(m.Score, f.found.BestScore)
	s.BM25, s.Coverage, s.Cosine, s.Context = m.Score, m.Coverage, m.Cosine, m.Context
	s.Lexical = 1 // nothing was asked for
	if most := f.found.MaxScore; most > 0 {
		s.Lexical = min(1, m.Score/most)
	}
	if s.Text = 1; f.found.MaxScore > 0 || f.semantic() {
		s.Text = f.scorer.Text(f.scorer.Sum(x.bm25, m.Cosine, m.Multilingual, x.length)) * f.scale
	}
	if s.Time = 1; f.temporal.named {
		s.Time = f.temporal.fit(f.found.Reader.Details(m.Doc).When)
	}
	s.Recency = f.clock.Recency(row.LastUse)
	s.Frequency = f.clock.Frequency(row.RecentUses)
	if f.ranker == hippo.RankerHippo { // votes on questions count for those
		s.Importance = f.clock.Importance(row.Untied, row.UntiedDay, row.Pinned)
		s.Prior = f.importanceClock.Importance(row.Untied, row.UntiedDay, row.Pinned)
	} else {
		s.Importance = f.clock.Importance(row.Importance, row.SetDay, row.Pinned)
		s.Prior = s.Importance
	}
	s.Behind, s.Lapsed = f.behind && row.Archived, f.lapsed(m.Doc, row)
}

// maxPredecessors is how many steps back from a hit predecessors join that do not match by themselves.
const maxPredecessors = 8

// lapsed reports whether a memory does not hold at the time that the query asks about, and neither does the last of its
// successors in the scope: behind one that holds it is, and not behind all that holds.
func (f *firstStage) lapsed(doc retrieve.Doc, row *retrieve.Row) bool {
	if !row.Bounded {
		return false
	}
	for range maxPredecessors {
		if d := f.found.Reader.Details(doc); f.about.holds(&d) {
			return false
		}
		if !row.Superseded {
			break
		}
		next, ok := f.found.Reader.Successor(doc)
		if !ok || next == doc {
			break
		}
		doc = next
	}
	return true
}

// Lapsed reports whether a memory does not hold at a time, in microseconds since 1970.
func Lapsed(r retrieve.Reader, doc retrieve.Doc, at int64) bool {
	if !r.Row(doc).Bounded {
		return false
	}
	d := r.Details(doc)
	return !(&about{from: at, until: at}).holds(&d)
}

// asOfCandidates returns the first stage with importance as of the newest day on which that of one of these
// candidates was set: days on which nothing is recorded leave their order as it was.
func (f *firstStage) asOfCandidates(list []scoredMatch) firstStage {
	out, newest := *f, hippo.Day(0)
	for _, x := range list {
		newest = max(newest, f.found.Reader.Row(f.found.Matches[x.number].Doc).UntiedDay)
	}
	if newest > 0 {
		out.importanceClock = f.decay.At(min(newest, f.search.Day))
	}
	return out
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
	// total counts those in the range, distribution all, or none of them if undistributed.
	total         int
	distribution  hippo.Distribution
	undistributed bool
}

func (t *tally) add(relevance float64, in bool) {
	if !t.undistributed {
		t.distribution.Add(relevance)
	}
	if in {
		t.total++
	}
}

// move replaces the relevance by which a match is counted; nil if it is not counted yet.
func (t *tally) move(was *float64, relevance float64, within limits) {
	if was != nil {
		if !t.undistributed {
			t.distribution.Remove(*was)
		}
		if within.has(*was) {
			t.total--
		}
	}
	t.add(relevance, within.has(relevance))
}

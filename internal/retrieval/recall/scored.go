package recall

import (
	"iter"

	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// scored is the result of the first stage.
type scored struct {
	first firstStage
	tally tally
	// relevances are those of all matches that take part, if some are to be reranked and the
	// distribution is asked for.
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

// rowBatch is the number of rows that are read at a time.
const rowBatch = 32

// score ranks the matches by the first stage, or those of them that may be among the candidates.
func (s *selection) score() scored {
	for i := range s.remaining() {
		if s.numbers = append(s.numbers, i); len(s.numbers) == rowBatch {
			s.read()
		}
	}
	s.read()
	s.scored.best = s.best.Sorted()
	if s.pool != nil {
		s.top = s.pool.top(s.scored.best)
	}
	return s.scored
}

// selection is the first stage under way.
type selection struct {
	scored
	plan *Plan
	best *top.List[scoredMatch]
	room int   // for the best
	pool *pool // nil: nothing is reranked
	// numbers are those of the matches to be read next, matches and rows have room for them.
	numbers   []int
	matches   []retrieve.Match
	rows      []retrieve.Row
	threshold threshold
	bounds    *bounds // nil: all matches are read
}

func newSelection(p *Plan, found *retrieve.Result) *selection {
	s := &selection{scored: scored{first: newFirstStage(p, found), tally: tally{undistributed: p.undistributed}}, plan: p}
	s.numbers, s.matches, s.rows = make([]int, 0, rowBatch), make([]retrieve.Match, 0, rowBatch), make([]retrieve.Row, 0, rowBatch)
	s.threshold, s.room = newThreshold(p), p.keep
	if p.rerank { // reranking may move a candidate and its two neighbours
		s.pool = newPool(&s.first)
		s.room += 3 * s.pool.size()
		if !p.undistributed {
			s.relevances = make([]float64, 0, len(found.Matches))
		}
		if !p.within.open() { // what is in the range is known when all is ranked
			s.room = len(found.Matches)
		}
	}
	s.best = top.New(s.room, s.first.better)
	if p.prunes() {
		s.bounds = newBounds(s.room, s.pool.sizes)
	}
	return s
}

// mayRank reports whether a match may be among the candidates, by what those before it have at least; it counts those
// that may not. Most rows are not read: one takes as long as ten sums of texts.
func (s *selection) mayRank(m *retrieve.Match) bool {
	switch {
	case s.first.gated(m):
		return false
	case s.isBelowThreshold(m):
		s.tally.total++
		return false
	}
	if s.bounds.add(m, s.lowerBound(m), s.salience(m)); s.bounds.count%rowBatch == 0 {
		s.bounds.raiseTo(&s.threshold, s.first.scorer)
	}
	return true
}

// contenders yields the numbers of the matches that may be among the candidates, of all matches that are not left out, and
// counts the others.
func (s *selection) remaining() iter.Seq[int] {
	return func(yield func(int) bool) {
		if s.bounds != nil {
			s.bounds.finish()
			s.bounds.raiseTo(&s.threshold, s.first.scorer)
		}
		matches := s.first.found.Matches
		for i := range matches {
			if s.bounds != nil && s.isBelowThreshold(&matches[i]) {
				s.tally.total++
			} else if !yield(i) {
				return
			}
		}
	}
}

// isBelowThreshold reports whether a match cannot be among the candidates whatever its row says, because its text
// alone is less relevant than all of them, and it is no more important. Superseded ones are not: their successors take their places.
// Cost: some 10 ns.
func (s *selection) isBelowThreshold(m *retrieve.Match) bool {
	f, first := &s.threshold, &s.first
	if !f.set || f.lists.reachedBy(m) || first.gated(m) {
		return false
	}
	length, superseded := first.found.Outline(m.Doc)
	if superseded {
		return false
	}
	if sum := first.sum(m, length); sum >= f.sum {
		f.most.Text, f.most.Context = first.scorer.Text(sum), m.Context
		if first.relevance(first.weights, &f.most) >= f.relevance {
			return false
		}
	}
	return !s.mayEnterImportanceList(m)
}

// mayEnterImportanceList reports whether the list by importance may take a match. Only of one that has as much of a vague query as those in
// the list the row is read.
func (s *selection) mayEnterImportanceList(m *retrieve.Match) bool {
	least := s.threshold.lists[byImportance]
	return importantFirst(m, 1) >= least && importantFirst(m, s.salience(m)) >= least
}

// salience is that of a match by its row, which is read only if the query is vague; else 0.
func (s *selection) salience(m *retrieve.Match) float64 {
	if !s.pool.vague() {
		return 0
	}
	row := s.first.found.Reader.Row(m.Doc)
	return salienceOf(s.first.clock.Importance(row.Untied, row.UntiedDay, row.Pinned), row.Surprise)
}

// lowerBound is the relevance that a match has whatever its row says. The row says whether it is archived or its validity has a bound, which
// most memories have not.
func (s *selection) lowerBound(m *retrieve.Match) float64 {
	f, first := &s.threshold.least, &s.first
	length, _ := first.found.Outline(m.Doc)
	f.Text, f.Context = first.scorer.Text(first.sum(m, length)), m.Context
	if f.Behind, f.Lapsed = false, false; first.behind && first.found.Some.Archived || first.found.Some.Bounded {
		row := first.found.Reader.Row(m.Doc)
		f.Behind, f.Lapsed = first.behind && row.Archived, first.lapsed(m.Doc, &row)
	}
	return first.relevance(first.weights, f)
}

// read ranks the matches that wait for their rows.
func (s *selection) read() {
	matches := s.first.found.Matches
	s.matches = s.matches[:0]
	for _, n := range s.numbers {
		s.matches = append(s.matches, matches[n])
	}
	s.rows = s.first.found.Reader.Rows(s.rows[:0], s.matches)
	for i, n := range s.numbers {
		if relevance, _, ok := s.first.rank(&s.matches[i], &s.rows[i]); ok {
			s.add(&s.matches[i], &s.rows[i], scoredMatch{n, relevance})
		}
	}
	s.numbers = s.numbers[:0]
	if b := s.best.Bound(); b != nil && s.bounds != nil {
		s.threshold.raise(s.first.scorer, b.relevance, s.pool.least())
	}
}

// add counts a match and keeps it if it may be among the best.
func (s *selection) add(m *retrieve.Match, row *retrieve.Row, x scoredMatch) {
	in := s.plan.within.has(x.relevance)
	s.tally.add(x.relevance, in)
	if row.Superseded {
		s.superseded = append(s.superseded, x)
	}
	if s.pool != nil {
		s.pool.add(m, row, x)
		if !s.plan.undistributed {
			s.relevances = append(s.relevances, x.relevance)
		}
	}
	if in || s.pool != nil {
		addScored(s.best, x)
	}
}

package recall

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieve"
	"github.com/hippo-memory/hippo/internal/top"
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

// score ranks the matches by the first stage: all of them, or without a distribution those that may be
// among the candidates.
func score(p *Plan, found *retrieve.Result) scored {
	s := newSelection(p, found)
	for i := range found.Matches {
		if p.undistributed && s.outclassed(&found.Matches[i]) {
			s.tally.total++
			continue
		}
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
	pool *pool // nil: nothing is reranked
	// numbers are those of the matches to be read next, matches and rows have room for them.
	numbers []int
	matches []retrieve.Match
	rows    []retrieve.Row
	floor   floor
}

// floor is what a match that is not read has reached in some way, if it may be among the candidates: the score of a
// list, or as the relevance of its text that of the last of the best, with the weighted sum of such a text. It is of the
// matches read so far, so that what lies below it stays there.
type floor struct {
	set            bool // there are as many candidates as there can be
	lists          leastOf
	relevance, sum float64
	// most are the signals of a match by its text alone, all others as high as they get.
	most hippo.Signals
}

func newSelection(p *Plan, found *retrieve.Result) *selection {
	s := &selection{scored: scored{first: newFirstStage(p, found), tally: tally{undistributed: p.undistributed}}, plan: p}
	s.numbers, s.matches, s.rows = make([]int, 0, rowBatch), make([]retrieve.Match, 0, rowBatch), make([]retrieve.Row, 0, rowBatch)
	s.floor.most.Time, s.floor.most.Prior = 1, 1
	room := p.keep
	if p.rerank { // reranking may move a candidate and its two neighbours
		s.pool = newPool(&s.first)
		room += 3 * s.pool.size()
		if !p.undistributed {
			s.relevances = make([]float64, 0, len(found.Matches))
		}
		if !p.within.open() { // what is in the range is known when all is ranked
			room = len(found.Matches)
		}
	}
	s.best = top.New(room, s.first.better)
	return s
}

// outclassed reports whether a match cannot be among the candidates whatever its row says, because its text
// alone is less relevant than all of them. Superseded ones are not: their successors take their places.
// Cost: some 10 ns.
func (s *selection) outclassed(m *retrieve.Match) bool {
	f, first := &s.floor, &s.first
	if !f.set || f.lists.reachedBy(m) || first.gated(m) {
		return false
	}
	length, superseded := first.found.Outline(m.Doc)
	if superseded {
		return false
	}
	sum := first.sum(m, length)
	if sum < f.sum {
		return true
	}
	f.most.Text, f.most.Context = first.scorer.Text(sum), m.Context
	return first.relevance(first.weights, &f.most) < f.relevance
}

// raise sets the floor by what was read so far.
func (s *selection) raise() {
	b := s.best.Bound()
	if b == nil || s.pool == nil {
		return
	}
	if !s.floor.set || b.relevance != s.floor.relevance {
		s.floor.set, s.floor.relevance, s.floor.sum = true, b.relevance, s.first.scorer.LeastSum(b.relevance)
	}
	s.floor.lists = s.pool.least()
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
	s.raise()
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

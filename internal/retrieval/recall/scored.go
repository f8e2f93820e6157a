package recall

import (
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// scored is the result of the first stage.
type scored struct {
	first firstStage
	tally tally
	// relevances are those of all matches that take part and are not unread, if some are to be reranked and the
	// distribution is asked for.
	relevances []float64
	// unread are counted in tally, but not yet in its distribution.
	unread unread
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

// selection is the first stage under way.
type selection struct {
	scored
	best *top.List[scoredMatch]
	pool *pool // nil: nothing is reranked
	// numbers are those of the matches to be read next, matches and rows have room for them.
	numbers []int
	matches []retrieve.Match
	rows    []retrieve.Row
	pruning *pruning // nil: all matches are read
}

func newSelection(p *Plan, found *retrieve.Result) *selection {
	s := &selection{scored: scored{first: newFirstStage(p, found), tally: tally{undistributed: p.undistributed}}}
	s.numbers, s.matches, s.rows = make([]int, 0, rowBatch), make([]retrieve.Match, 0, rowBatch), make([]retrieve.Row, 0, rowBatch)
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
	if p.prunes() && !s.pool.vague() {
		s.pruning = newPruning(s.pool, room)
		s.unread = newUnread(s.pruning, found.Counts.Matches)
	}
	return s
}

// mayRank reports whether a match may be among the candidates, by what those before it have at least; it counts those
// that may not.
func (s *selection) mayRank(m *retrieve.Match) bool {
	if s.first.gated(m) {
		return false
	}
	if s.excludes(m) {
		return false
	}
	s.pruning.add(m)
	return true
}

// excludes reports whether a match is known to be no candidate, and counts it then.
func (s *selection) excludes(m *retrieve.Match) bool {
	t, excluded := s.pruning.excludes(m)
	if !excluded {
		return false
	}
	s.tally.total++
	if !s.first.undistributed {
		s.unread.list = append(s.unread.list, s.pruning.atMost(m, t))
	}
	return true
}

// score ranks the matches by the first stage, or those of them that may be among the candidates.
func (s *selection) score() scored {
	if s.pruning != nil {
		s.pruning.finish()
	}
	matches := s.first.found.Matches
	for i := range matches {
		if s.pruning != nil && s.excludes(&matches[i]) {
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

// read ranks the matches that wait for their rows.
func (s *selection) read() {
	matches := s.first.found.Matches
	s.matches = s.matches[:0]
	for _, n := range s.numbers {
		s.matches = append(s.matches, matches[n])
	}
	s.rows = s.first.found.Reader.Rows(s.rows[:0], s.matches)
	for i, n := range s.numbers {
		if relevance, ok := s.first.rank(&s.matches[i], &s.rows[i]); ok {
			s.add(&s.matches[i], &s.rows[i], scoredMatch{n, relevance})
		}
	}
	s.numbers = s.numbers[:0]
}

// add counts a match and keeps it if it may be among the best.
func (s *selection) add(m *retrieve.Match, row *retrieve.Row, x scoredMatch) {
	in := s.first.within.has(x.relevance)
	s.tally.add(x.relevance, in)
	if row.Superseded {
		s.superseded = append(s.superseded, x)
	}
	if s.pool != nil {
		s.pool.add(m, row, x)
		if !s.first.undistributed {
			s.relevances = append(s.relevances, x.relevance)
		}
	}
	if bound := s.best.Bound(); (in || s.pool != nil) && (bound == nil || x.relevance >= bound.relevance) {
		s.best.Add(x)
	}
}

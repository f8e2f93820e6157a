package recall

import (
	"github.com/hippo-memory/hippo/internal/retrieve"
	"github.com/hippo-memory/hippo/internal/top"
)

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
				pool.add(&some[i], &rows[i], x)
				s.relevances = append(s.relevances, relevance)
			}
			if in || pool != nil {
				addScored(best, x)
			}
		}
	}
	s.best = best.Sorted()
	if pool != nil {
		s.top = pool.top(s.best)
	}
	return s
}

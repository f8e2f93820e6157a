package recall

import (
	"cmp"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/retrieve"
	"github.com/hippo-memory/hippo/internal/top"
)

// floor is what a match has reached in some way, if it may be among the candidates: the score of a list, or as the
// relevance of its text that of the last of the best, with the weighted sum of such a text. It is of the matches seen so
// far, so that what lies below it stays there.
type floor struct {
	set            bool // there are as many candidates as there can be
	lists          leastOf
	relevance, sum float64
	// most and least are the signals of a match by its text alone, all others as high or as low as they get.
	most, least hippo.Signals
}

// newFloor returns a floor that is not set. Only a query that names a time has signals of time below 1.
func newFloor(p *Plan) floor {
	return floor{most: hippo.Signals{Time: 1, Prior: 1}, least: hippo.Signals{Time: indicator(!p.temporal.named)}}
}

// raise sets the floor to the relevance of the last of the best and the scores of lists, where it is not higher yet.
func (f *floor) raise(s *rank.Scorer, relevance float64, lists leastOf) {
	if !f.set || relevance > f.relevance {
		f.relevance, f.sum = relevance, s.LeastSum(relevance)
	}
	for i, x := range lists {
		if !f.set || x > f.lists[i] {
			f.lists[i] = x
		}
	}
	f.set = true
}

// contenders yields the numbers of the matches that may be among the candidates: all of them, or without a distribution
// those that their text and the floor do not rule out, whatever their rows say. The others count only.
func (s *selection) contenders() iter.Seq[int] {
	return func(yield func(int) bool) {
		matches := s.first.found.Matches
		if !s.plan.undistributed {
			for i := range matches {
				if !yield(i) {
					return
				}
			}
			return
		}
		for _, i := range s.outlined() {
			if s.outclassed(&matches[i]) {
				s.tally.total++
			} else if !yield(i) {
				return
			}
		}
	}
}

// outlined sets the floor without a row: by what matches have at least. It returns the numbers of those that may be
// among the candidates, and counts the others. Rows are some of the most expensive of what a search reads: one takes
// as long as ten sums of texts.
func (s *selection) outlined() (out []int) {
	have := newBounds(s)
	matches := s.first.found.Matches
	for i := range matches {
		m := &matches[i]
		switch {
		case s.first.gated(m):
		case s.outclassed(m):
			s.tally.total++
		default:
			have.add(m, s.atLeast(m))
			if out = append(out, i); len(out)%rowBatch == 0 {
				have.raise(s)
			}
		}
	}
	have.finish()
	have.raise(s)
	return out
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

// atLeast is the relevance that a match has whatever its row says. The row says whether it is archived, which most
// stores have none of.
func (s *selection) atLeast(m *retrieve.Match) float64 {
	f, first := &s.floor.least, &s.first
	length, _ := first.found.Outline(m.Doc)
	f.Text, f.Context = first.scorer.Text(first.sum(m, length)), m.Context
	f.Behind = first.behind && first.found.Archived && first.found.Reader.Row(m.Doc).Archived
	return first.relevance(first.weights, f)
}

// bounds collect the highest of what matches have at least: of relevances as many as there is room for, and of the scores of
// each list.
type bounds struct {
	best  *top.List[float64]
	lists []*top.List[float64]
}

func newBounds(s *selection) *bounds {
	higher := func(a, b float64) int { return cmp.Compare(b, a) }
	b := &bounds{best: top.New(s.room, higher)}
	for _, n := range s.pool.sizes {
		b.lists = append(b.lists, top.New(n, higher))
	}
	return b
}

// add adds a match with the relevance that it has at least.
func (b *bounds) add(m *retrieve.Match, relevance float64) {
	scores := scoresOf(m, 0)
	for i, list := range b.lists {
		addHigher(list, scores[i])
	}
	addHigher(b.best, relevance)
}

func addHigher(list *top.List[float64], x float64) {
	if b := list.Bound(); x > 0 && (b == nil || x > *b) {
		list.Add(x)
	}
}

// finish makes the bounds those of all that was added.
func (b *bounds) finish() {
	b.best.Items()
	for _, list := range b.lists {
		list.Items()
	}
}

// raise raises the floor to the bounds.
func (b *bounds) raise(s *selection) {
	if x := b.best.Bound(); x != nil {
		s.floor.raise(s.first.scorer, *x, leastOfLists(b.lists, func(x *float64) float64 { return *x }))
	}
}

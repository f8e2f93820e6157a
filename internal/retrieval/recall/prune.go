package recall

import (
	"cmp"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// pruning reports which matches cannot be among the candidates whatever their rows say, by their texts and by what the matches
// before them have at least. They are only counted: to read a row takes as long as ten sums of texts.
type pruning struct {
	first *firstStage
	// best are the highest relevances that matches have at least, as many as there is room for, and lists the highest scores of
	// each list of a [pool].
	best  *top.List[float64]
	lists []*top.List[float64]
	count int
	// A match below all of these is no candidate: relevance is that of its text, whose weighted sum is sum.
	least          scores
	relevance, sum float64
	// highest and lowest are the signals of a match by its text alone, all others as high or as low as they get.
	highest, lowest hippo.Signals
}

// raisedAfter is the number of matches after which the bounds are raised.
const raisedAfter = 32

// prunes reports whether matches that cannot be among the candidates are left out, unless the query is vague: the list by importance
// needs the rows of most.
func (p *Plan) prunes() bool { return p.undistributed && !p.explain }

// newPruning returns a pruning beside a pool; room is how many of the best are kept.
func newPruning(p *pool, room int) *pruning {
	higher := func(a, b float64) int { return cmp.Compare(b, a) }
	b := &pruning{first: p.first, best: top.New(room, higher), highest: hippo.Signals{Time: 1, Prior: 1}}
	b.lowest.Time = indicator(!p.first.temporal.named) // only a query that names a time has signals of time below 1
	for _, n := range p.sizes {
		b.lists = append(b.lists, top.New(n, higher))
	}
	return b
}

// add adds a match that may be among the candidates.
func (b *pruning) add(m *retrieve.Match) {
	higher := func(list *top.List[float64], x float64) {
		if bound := list.Bound(); x > 0 && (bound == nil || x > *bound) {
			list.Add(x)
		}
	}
	scores := scoresOf(m, 0)
	for i, list := range b.lists {
		higher(list, scores[i])
	}
	higher(b.best, b.lowerBound(m))
	if b.count++; b.count%raisedAfter == 0 {
		b.raise()
	}
}

// finish makes the bounds those of all that was added.
func (b *pruning) finish() {
	b.best.Items()
	for _, list := range b.lists {
		list.Items()
	}
	b.raise()
}

// raise raises the bounds to what was added, once there are as many candidates as there can be.
func (b *pruning) raise() {
	last := b.best.Bound()
	if last == nil {
		return
	}
	b.relevance, b.sum = *last, b.first.scorer.LeastSum(*last)
	for i, list := range b.lists {
		b.least[i] = math.SmallestNonzeroFloat64
		if x := list.Bound(); x != nil {
			b.least[i] = *x
		}
	}
}

// excludes reports whether a match cannot be among the candidates, because its text alone is less relevant than all of them.
// Superseded ones can: their successors take their places. Cost: some 10 ns.
func (b *pruning) excludes(m *retrieve.Match) bool {
	if m.Score >= b.least[0] || m.Cosine >= b.least[1] || m.Multilingual >= b.least[2] {
		return false
	}
	length, superseded := b.first.found.Outline(m.Doc)
	if superseded {
		return false
	}
	sum := b.first.sum(m, length)
	if sum < b.sum {
		return true
	}
	b.highest.Text, b.highest.Context = b.first.scorer.Text(sum), m.Context
	return b.first.relevance(b.first.weights, &b.highest) < b.relevance
}

// lowerBound is the relevance that a match has whatever its row says. The row says whether it is archived or its validity has a bound, which
// most memories have not.
func (b *pruning) lowerBound(m *retrieve.Match) float64 {
	s, f := &b.lowest, b.first
	length, _ := f.found.Outline(m.Doc)
	s.Text, s.Context = f.scorer.Text(f.sum(m, length)), m.Context
	if s.Behind, s.Lapsed = false, false; f.behind && f.found.Some.Archived || f.found.Some.Bounded {
		row := f.found.Reader.Row(m.Doc)
		s.Behind, s.Lapsed = f.behind && row.Archived, f.lapsed(m.Doc, &row)
	}
	return f.relevance(f.weights, s)
}

package recall

import (
	"cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// threshold is what a match has reached in some way, if it may be among the candidates: the score of a list, or as the
// relevance of its text that of the last of the best, with the weighted sum of such a text. It is of the matches seen so
// far, so that what lies below it stays there.
type threshold struct {
	set            bool // there are as many candidates as there can be
	lists          leastOf
	relevance, sum float64
	// most and least are the signals of a match by its text alone, all others as high or as low as they get.
	most, least hippo.Signals
}

// newThreshold returns a threshold that is not set. Only a query that names a time has signals of time below 1.
func newThreshold(p *Plan) threshold {
	return threshold{most: hippo.Signals{Time: 1, Prior: 1}, least: hippo.Signals{Time: indicator(!p.temporal.named)}}
}

// raise sets the threshold to the relevance of the last of the best and the scores of lists, where it is not higher yet.
func (f *threshold) raise(s *rank.Scorer, relevance float64, lists leastOf) {
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

// prunes reports whether matches that cannot be among the candidates are left out, and only counted: those that their
// text and the threshold rule out, whatever their rows say.
func (p *Plan) prunes() bool { return p.undistributed && !p.explain }

// bounds collect the highest of what matches have at least: of relevances as many as there is room for, and of the scores of
// each list.
type bounds struct {
	best  *top.List[float64]
	lists []*top.List[float64]
	count int
}

// newBounds collects room relevances, and of each list as many scores as its size.
func newBounds(room int, sizes []int) *bounds {
	higher := func(a, b float64) int { return cmp.Compare(b, a) }
	b := &bounds{best: top.New(room, higher)}
	for _, n := range sizes {
		b.lists = append(b.lists, top.New(n, higher))
	}
	return b
}

// add adds a match with the relevance that it has at least, and its salience if the query is vague.
func (b *bounds) add(m *retrieve.Match, relevance, salience float64) {
	scores := scoresOf(m, salience)
	for i, list := range b.lists {
		addHigher(list, scores[i])
	}
	addHigher(b.best, relevance)
	b.count++
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

// raiseTo raises a threshold to the bounds.
func (b *bounds) raiseTo(f *threshold, s *rank.Scorer) {
	if x := b.best.Bound(); x != nil {
		f.raise(s, *x, leastOfLists(b.lists, func(x *float64) float64 { return *x }))
	}
}

package recall

import (
	"cmp"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
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
	// context is that of the last match, -1 before the first one, and share its share of the relevance.
	context, share float64
}

// raisedAfter is the number of matches after which the bounds are raised.
const raisedAfter = 32

// unread are matches that are no candidates. They count in the distribution, which asks for their rows only near the limit of a bucket.
type unread struct {
	list []atMost
	// least: the relevance of a match is at least this share of the most that it may be.
	least float64
}

// newUnread returns an empty list with room for a number of matches, if there is a distribution.
func newUnread(b *pruning, matches int) (u unread) {
	if !b.first.undistributed {
		u.list, u.least = make([]atMost, 0, matches), b.leastShare()
	}
	return u
}

// atMost is a match and an upper bound of its relevance, rounded.
type atMost struct {
	doc       retrieve.Doc
	relevance float32
}

// between returns the bounds of a relevance.
func (u *unread) between(x *atMost) (low, high float64) {
	const rounding = 1e-6 // more than that of a float32, and of a relevance
	high = float64(x.relevance) * (1 + rounding)
	return float64(x.relevance) * u.least * (1 - rounding), high
}

// prunes reports whether matches that cannot be among the candidates are left out, unless the query is vague: the list by importance
// needs the rows of most.
func (p *Plan) prunes() bool { return p.rerank && p.within.open() && !p.explain }

// newPruning returns a pruning beside a pool; room is how many of the best are kept.
func newPruning(p *pool, room int) *pruning {
	higher := func(a, b float64) int { return cmp.Compare(b, a) }
	b := &pruning{first: p.first, best: top.New(room, higher), highest: hippo.Signals{Time: 1, Prior: 1}, context: -1}
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
func (b *pruning) excludes(m *retrieve.Match) (t text, excluded bool) {
	if m.Score >= b.least[0] || m.Cosine >= b.least[1] || m.Multilingual >= b.least[2] {
		return t, false
	}
	o := b.first.found.Outline(m.Doc)
	if o.Superseded {
		return t, false
	}
	if t = (text{b.first.sum(m, o.Length), o.Bounded}); t.sum < b.sum {
		return t, true
	}
	b.highest.Text, b.highest.Context = b.first.scorer.Text(t.sum), m.Context
	return t, b.first.relevance(b.first.weights, &b.highest) < b.relevance
}

// text is what is known of a match by its text: the weighted sum, and whether its validity has a bound.
type text struct {
	sum     float64
	bounded bool
}

// atMost returns the bound of the relevance of a match that no other supersedes: ranker hippo multiplies text and context.
func (b *pruning) atMost(m *retrieve.Match, t text) atMost {
	if m.Context != b.context {
		b.highest.Text, b.highest.Context = 1, m.Context
		b.context, b.share = m.Context, b.first.relevance(b.first.weights, &b.highest)
	}
	high := b.first.scorer.Text(t.sum) * b.share
	if t.bounded && b.first.lapsed(m.Doc, &retrieve.Row{Marks: retrieve.Marks{Bounded: true}}) {
		high *= rank.Lapsed
	}
	return atMost{m.Doc, float32(high)}
}

// leastShare is [unread.least]: whether a match lapsed is known.
func (b *pruning) leastShare() float64 {
	low, high, f := b.lowest, b.highest, b.first
	low.Text, low.Context, high.Text, high.Context = 1, 1, 1, 1
	low.Behind = f.behind && f.found.Some.Archived
	return f.relevance(f.weights, &low) / f.relevance(f.weights, &high)
}

// lowerBound is the relevance that a match has whatever its row says, but that it is archived or its validity has a bound: its row is read if it may.
func (b *pruning) lowerBound(m *retrieve.Match) float64 {
	s, f, o := &b.lowest, b.first, b.first.found.Outline(m.Doc)
	s.Text, s.Context = f.scorer.Text(f.sum(m, o.Length)), m.Context
	if s.Behind, s.Lapsed = false, false; f.behind && f.found.Some.Archived || o.Bounded {
		row := f.found.Reader.Row(m.Doc)
		s.Behind, s.Lapsed = f.behind && row.Archived, f.lapsed(m.Doc, &row)
	}
	return f.relevance(f.weights, s)
}

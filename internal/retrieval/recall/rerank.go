package recall

import (
	"cmp"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// reranked is the result of the second stage: the best candidates, compared with the query
// token by token, with their neighbours and with each other. The zero value has no passages.
type reranked struct {
	*passages
	words  []word
	tokens queryTokens
	// linear is the weighted sum in the context of the passages.
	linear rank.Linear
	// importanceClock is the clock by which the importance of candidates counts.
	importanceClock rank.Clock
	// scale is that of the relevances by which the passages are counted, see [demote].
	scale float64
}

// rerank computes the features of the top candidates and their neighbours.
func rerank(p *Plan, found *retrieve.Result, s scored) reranked {
	r := reranked{scale: 1}
	if p.ranker == hippo.RankerHippo && p.search.Text != "" {
		r.words = queryWords(found.Vocabulary, p.search.Text)
	}
	if !p.rerank {
		return r
	}
	first := s.first.asOfCandidates(s.top)
	r.importanceClock = first.importanceClock
	r.passages = gatherPassages(&first, s.top)
	r.keepUnsaid(found.Reader)
	r.tokens = tokenize(p.tokens, p.search.Text, r.words)
	r.tokens.read(p.tokens, found.Reader, r.list)
	r.compare(p, found.Reader)
	if p.semantic() {
		best := r.best(maxVersions)
		r.feedback(found.Reader, best)
		r.versions(p, found, best)
	}
	return r
}

// compare adds the features that compare a passage with others: the best, its neighbours, its
// session.
func (r *reranked) compare(plan *Plan, reader retrieve.Reader) {
	var best rank.Features
	around := make([]float32, len(r.tokens.tokens))
	for i := range r.list {
		p := &r.list[i]
		for k, x := range p.features {
			best[k] = max(best[k], x)
		}
		r.neighbours(p, around)
		p.features[rank.HasDetail] = indicator(p.cues&r.tokens.wants&details != 0)
	}
	r.sessions()
	r.setContext(plan.search.Text, &best)
	r.context[rank.Coherence] = r.coherence(reader)
	r.linear = rank.NewLinear(&plan.weights.Rerank, &r.context)
	for i := range r.list {
		r.list[i].weights = r.linear.Weights(&r.list[i].features)
	}
}

// setContext sets the context from the query, the top candidates and the largest values of the
// features.
func (r *reranked) setContext(query string, best *rank.Features) {
	c := &r.context
	c[rank.English], c[rank.Words], c[rank.Unread] = indicator(!cue.IsForeign(query)), rank.WordsOf(len(r.words)), r.tokens.unread
	c[rank.BM25Reach], c[rank.MaxSimReach] = best[rank.BM25Absolute], best[rank.MaxSim]
	c[rank.Verbatim] = indicator(r.tokens.verbatim && best[rank.BM25Relative] > 0)
	c[rank.Reach], c[rank.Lead] = best[rank.Coverage], best[rank.CosineStandard]
	if best[rank.Multilingual] > 0 {
		c[rank.HasMultilingual], c[rank.MultilingualLead] = 1, best[rank.MultilingualStandard]
	}
}

// coherence is the context feature [rank.Coherence].
func (r *reranked) coherence(reader retrieve.Reader) float64 {
	own, others, n := 0.0, 0.0, 0.0
	var last *passage // the next one of the candidate before, which is about the query as well
	for i := range r.list[:r.top] {
		p := &r.list[i]
		if p.next == nil {
			continue
		}
		if last != nil {
			n++
			own += reader.Similarity(p.match.Doc, p.next.match.Doc)
			others += reader.Similarity(p.match.Doc, last.match.Doc)
		}
		last = p.next
	}
	if n == 0 {
		return 0
	}
	return rank.CoherenceOf(own/n, others/n)
}

// neighbours sets the features of the neighbouring passages. around is a buffer.
func (r *reranked) neighbours(p *passage, around []float32) {
	if p.previous == nil && p.next == nil {
		return
	}
	f := &p.features
	copy(around, p.similarities)
	if previous := p.previous; previous != nil {
		f[rank.Reply] = indicator(previous.cues&cue.IsQuestion != 0) * previous.features[rank.MaxSim]
		maxInto(around, previous)
		f[rank.PreviousGain] = weightedSum(r.tokens.weights, around) - f[rank.MaxSim]
		maxInto(around, previous.previous)
	}
	if p.next != nil {
		maxInto(around, p.next)
		maxInto(around, p.next.next)
	}
	f[rank.WindowGain] = weightedSum(r.tokens.weights, around) - f[rank.MaxSim]
}

// bestOfSession is the number of memories that the score of a session is the mean of.
const bestOfSession = 3

// sessions sets the feature of the sessions.
func (r *reranked) sessions() {
	scores := make(map[uint32][]float64)
	for i := range r.list {
		if p := &r.list[i]; p.session != 0 {
			f := &p.features
			scores[p.session] = append(scores[p.session], (f[rank.BM25Relative]+f[rank.Cosine]+f[rank.MaxSim])/3)
		}
	}
	mean := make(map[uint32]float64, len(scores))
	for n, list := range scores {
		slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
		total := 0.0
		for _, x := range firstOf(list, bestOfSession) {
			total += x
		}
		mean[n] = total / bestOfSession
	}
	for i := range r.list {
		r.list[i].features[rank.Session] = mean[r.list[i].session]
	}
}

const (
	// feedbackFrom is the number of passages that are taken as relevant. It and
	// feedbackScale were chosen on the development halves.
	feedbackFrom = 5
	// feedbackScale is the difference of weighted sums at which the weight of an example
	// changes by a factor of e.
	feedbackScale = 2
	// itself is the similarity above which an example says nearly the same as the passage.
	itself = .7
	// minFeedback is the smallest weight of an example, as a fraction of the largest: less
	// has no effect.
	minFeedback = .05
)

// best returns the n best passages that may be hits, by the weighted sum of the features so far.
func (r *reranked) best(n int) []candidate {
	best := top.New(n, better)
	for i := range r.list {
		if p := &r.list[i]; p.admitted {
			best.Add(candidate{p.Key, p.match, p.sum()})
		}
	}
	return best.Sorted()
}

// versions sets the feature [rank.Timely] of the best passages.
func (r *reranked) versions(p *Plan, found *retrieve.Result, best []candidate) {
	if p.temporal.named {
		return
	}
	sign := -1.0
	if r.tokens.wants&cue.AsksFormer != 0 {
		sign = 1
	}
	for i, x := range revised(found, best) {
		r.of(best[i].match.Doc).features[rank.Timely] = sign * x
	}
}

// feedback sets the feature of pseudo-relevance feedback: the similarity of a passage with the
// best others by all other features. A passage is not its own example, because that would only
// increase its lead.
func (r *reranked) feedback(reader retrieve.Reader, best []candidate) {
	examples := firstOf(best, feedbackFrom)
	weights := make([]float64, 0, feedbackFrom)
	for i := range examples {
		weight := math.Exp((examples[i].relevance - examples[0].relevance) / feedbackScale)
		if i > 1 && weight < minFeedback { // two: the best one needs another
			break
		}
		weights = append(weights, weight)
	}
	for i := range r.list {
		p := &r.list[i]
		similar, all := 0.0, 0.0
		for k, weight := range weights {
			other := examples[k].match.Doc
			if other == p.match.Doc {
				continue
			}
			if x := reader.Similarity(p.match.Doc, other); x <= itself {
				similar += float64(weight * x)
				all += weight
			}
		}
		if all > 0 {
			p.features[rank.Feedback] = similar / all
		}
	}
}

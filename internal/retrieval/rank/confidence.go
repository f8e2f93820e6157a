package rank

import (
	"math"
	"slices"
)

// Support is what speaks for or against an answer as a whole; the fractions are in [0, 1].
type Support struct {
	// Margin is how far the best candidate stands out of the others at the second stage, see
	// [Margin]; 0 without one.
	Margin float64
	// Cosine and Multilingual are the largest cosines of the first hits, in the space of the
	// model in use and in the multilingual one; Multilingual is 0 if that one took no part.
	Cosine, Multilingual float64
	// Lead is the largest standard score of the first hits by the model in use, see [Standard].
	Lead float64
	// Coverage is the best of the first hits.
	Coverage float64
	// Tokens is the best [MaxSimIDF] of the first hits: how much of the query one of them says, in these words or in others.
	Tokens float64
	// UnknownNames is the share, weighted by idf, of the query's words that are written
	// like names and occur in no memory.
	UnknownNames float64
	// Terms is the number of distinct terms that were searched, Memories of memories in
	// the scope: among few, an answer has less to stand out of.
	Terms, Memories int
	// Semantic: vectors took part in the search.
	Semantic bool
}

// Map returns the parts by name.
func (s *Support) Map() map[string]float64 {
	semantic := 0.0
	if s.Semantic {
		semantic = 1
	}
	return map[string]float64{
		"margin": s.Margin, "cosine": s.Cosine, "multilingual": s.Multilingual, "lead": s.Lead, "tokens": s.Tokens,
		"coverage": s.Coverage, "unknown_names": s.UnknownNames,
		"terms": float64(s.Terms), "memories": float64(s.Memories), "semantic": semantic,
	}
}

// A few candidates say little about what a query finds anyway. The others therefore include
// priorOthers imagined ones, whose sums are as those of short notes on the development sets.
const (
	priorOthers                = 3
	priorSum, priorSumVariance = 1, 1.6 * 1.6
	// leastDeviation is added to the deviation, so that equally bad candidates make no margin.
	leastDeviation = 1
	// fullMargin is the number of deviations at which [Margin] is 1.
	fullMargin = 8
)

// Margin is how far the largest of the weighted sums of the candidates is above the mean of the
// others: in their standard deviations, divided by 8, in [0, 1]. An answer stands out; a topic
// that many memories share, or none, does not. 0 for no candidate. It does not allocate.
func Margin(sums []float64) float64 {
	if len(sums) == 0 {
		return 0
	}
	best := slices.Max(sums)
	total, squares := -best, -float64(best*best)
	for _, x := range sums {
		total += x
		squares += float64(x * x)
	}
	n := float64(len(sums) - 1 + priorOthers)
	mean := (total + priorOthers*priorSum) / n
	variance := (squares+priorOthers*(priorSumVariance+priorSum*priorSum))/n - float64(mean*mean)
	return unit((best - mean) / (math.Sqrt(max(variance, 0)) + leastDeviation) / fullMargin)
}

// ConfidenceOf is the confidence that what was found answers the query, in (0, 1): a logistic
// function of a weighted sum. It falls with UnknownNames and Memories, and grows with the other
// fractions.
// Source: logistic regression on questions that a store answers and on others;
// docs/ranking.md.
func ConfidenceOf(w *Weights, s *Support) float64 {
	c := w.Confidence.of(s)
	sum := c.Base
	for _, x := range [...]float64{
		c.Margin * s.Margin, c.Cosine * s.Cosine, c.Multilingual * s.Multilingual, c.Lead * s.Lead, c.Tokens * s.Tokens, c.Coverage * s.Coverage,
		c.UnknownNames * s.UnknownNames, c.Few * few(s.Memories),
	} {
		sum += x
	}
	return rounded(1 / (1 + math.Exp(-sum)))
}

// fewMemories is the size of a store at which [Logistic.Few] counts half.
const fewMemories = 10

// few is how small a store is, in (0, 1].
func few(memories int) float64 { return fewMemories / (fewMemories + float64(memories)) }

// of returns the weights for what took part in the search.
func (c *Confidence) of(s *Support) *Logistic {
	switch {
	case !s.Semantic:
		return &c.Lexical
	case s.Multilingual > 0:
		return &c.Multilingual
	default:
		return &c.Semantic
	}
}

// Weak reports whether the hits may well not answer the query. They are never weak if one of them
// has every term of the query.
func Weak(w *Weights, s *Support) bool {
	return s.Coverage < 1 && ConfidenceOf(w, s) < w.Confidence.Weak
}

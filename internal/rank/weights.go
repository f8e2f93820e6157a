// Package rank turns the signals of a memory into its relevance. It is pure: no
// store, no clock, no I/O. Every constant lives in [Weights]; docs/ranking.md
// explains each and tells where it comes from.
package rank

import "github.com/hippo-memory/hippo"

// Weights holds every constant of the rankers. The zero value is useless; start
// from [DefaultWeights].
type Weights struct {
	// RecencyRate is the exponential rate per active day: recency = exp(-rate*days).
	RecencyRate float64
	// FrequencyWindow is the number of active days, today included, that count.
	FrequencyWindow int
	// FrequencyFull is the mean number of accesses per active day of the window
	// at which frequency is 1.
	FrequencyFull float64
	// ImportanceDecay is the factor by which importance shrinks per active day.
	ImportanceDecay float64
	// Upvote and Downvote multiply the decayed importance.
	Upvote, Downvote float64

	// Insight are the shares of ranker insight; they add up to 1.
	Insight Shares
	// InsightFloor is the relevance below which ranker insight drops a hit,
	// unless the query sets a range.
	InsightFloor float64
	// First weighs what the first look at all matches knows, by which those are
	// chosen that are looked at closely: Closely of them, and what stands beside them.
	First   First
	Closely int
	// Evidence weighs what texts say about a query; EvidenceLong is added for each
	// unit that the logarithm of the length of what is looked at is above MeanLength.
	// EvidenceBase and EvidenceBaseLong are what is added whatever the evidence: they
	// bring the sums to where those of the first look are.
	Evidence, EvidenceLong         hippo.Evidence
	EvidenceBase, EvidenceBaseLong float64
	MeanLength                     float64
	// EvidenceScale is the weighted sum at which relevance is 1 - 1/e.
	EvidenceScale float64
	// Nearest is how many memories are looked at because of their meaning, whatever
	// their words, and MinCosine what their cosine must exceed.
	Nearest   int
	MinCosine float64

	// Mix are the constants of ranker hybrid.
	Mix Mix

	// Match is the content relevance that a memory must exceed to take part in
	// ranker insight.
	Match float64

	// Prior are the shares of the prior of ranker hippo; Context has no part in it.
	Prior Shares
	// PriorBound is the largest fraction of its relevance that a memory can lose
	// for lack of use: relevance is multiplied by a number in [1-PriorBound, 1].
	PriorBound float64
	// ContextBound is the same for a partial match of the situation.
	ContextBound float64
	// TimeBound is the same for being of another time than the query tells of.
	TimeBound float64

	// Relations says what relations between memories count.
	Relations Relations

	// Confidence makes the confidence of an answer of what supports it, and
	// ConfidenceWords does where meaning has no part in the search.
	Confidence, ConfidenceWords Confidence
	// Abstain is the confidence below which ranker hippo returns nothing, unless the
	// query sets a range; 0: never.
	Abstain float64
	// AbstainFrom is the number of memories below which nothing is ever held back.
	AbstainFrom int
}

// Relations are the constants of relations between memories.
type Relations struct {
	// Bound is the largest part of what a text lacks to 1 that it gains by being
	// related to what was found.
	Bound float64
	// Pull is how relevant the text of a memory is that has a relation of weight 1
	// with one of the best hits, as a part of the relevance of that one's text.
	// Below (1 - PriorBound)(1 - ContextBound) it stays behind that hit.
	Pull float64
	// PullFrom is what the weight of a learned relation must exceed to pull.
	PullFrom float64
	// Learn is the part of what its weight lacks to 1 that a learned relation gains
	// on a day on which a search found both memories.
	Learn float64
	// HalfLife is the number of days in which a learned one halves, and Forget the
	// weight below which it is dropped.
	HalfLife, Forget float64
}

// First holds the weights of the first look.
type First struct{ Share, Cosine, Length float64 }

// Shares are the parts of a weighted mean.
type Shares struct {
	Recency, Frequency, Importance, Context float64
}

// DefaultWeights returns the weights in docs/ranking.md.
func DefaultWeights() Weights {
	return Weights{
		RecencyRate:      0.05,
		FrequencyWindow:  30,
		FrequencyFull:    10,
		ImportanceDecay:  0.9,
		Upvote:           1.5,
		Downvote:         0.5,
		Insight:          Shares{Recency: 0.30, Frequency: 0.20, Importance: 0.35, Context: 0.15},
		InsightFloor:     0.1,
		First:            First{Share: 2, Cosine: 6, Length: 2},
		Closely:          64,
		Evidence:         evidenceWeights(),
		EvidenceLong:     evidenceLong(),
		EvidenceBase:     -4.407,
		EvidenceBaseLong: 1.635,
		MeanLength:       3,
		EvidenceScale:    5,
		Nearest:          50,
		MinCosine:        0.2,
		Mix:              DefaultMix(),
		Match:            0.4,
		Prior:            Shares{Recency: 0.35, Frequency: 0.25, Importance: 0.40},
		PriorBound:       0.06,
		ContextBound:     0.15,
		TimeBound:        0.15,
		Relations:        Relations{Bound: 0.05, Pull: 0.6, PullFrom: 0.3, Learn: 0.1, HalfLife: 30, Forget: 0.02},
		Confidence: Confidence{
			Base: -8.21, Evidence: 1.09, Coverage: 2.86, Met: 1.70, Strange: -6.63,
		},
		ConfidenceWords: Confidence{Base: -2.24, Coverage: 6.78, Strange: -7.36},
		Abstain:         0.02,
		AbstainFrom:     20,
	}
}

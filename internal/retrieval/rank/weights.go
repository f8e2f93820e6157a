// Package rank turns the signals of a memory into its relevance. It is pure: no store, no
// clock, no I/O. Every constant lives in [Weights]; docs/ranking.md explains each and says
// where it comes from.
package rank

// Weights holds every constant of the rankers. The zero value is useless; start from
// [DefaultWeights].
type Weights struct {
	Usage      Usage
	Insight    Insight
	FirstStage FirstStage
	Rerank     Rerank
	Prior      Prior
	Relations  Relations
	Surprise   Surprise
	Confidence Confidence
	Learning   Learning
}

// Usage says how use and votes count, by active day.
type Usage struct {
	// RecencyRate is the exponential rate per active day: recency = exp(-rate*days).
	RecencyRate float64
	// FrequencyFull is the mean number of accesses per active day of the last
	// [FrequencyWindow] days at which frequency is 1.
	FrequencyFull float64
	// ImportanceDecay is the factor by which importance shrinks per active day.
	ImportanceDecay float64
	// Upvote and Downvote multiply the decayed importance.
	Upvote, Downvote float64
}

// FrequencyWindow is the number of active days, today included, whose accesses count for
// frequency.
const FrequencyWindow = 30

// Insight are the constants of ranker insight.
type Insight struct {
	// Shares add up to 1.
	Shares Shares
	// MinRelevance is the relevance below which a hit is dropped, unless the query sets
	// a range.
	MinRelevance float64
	// MinContent is the coverage or cosine that a memory must exceed to take part.
	MinContent float64
}

// Shares are the parts of a weighted mean.
type Shares struct {
	Recency, Frequency, Importance, Context float64
}

// FirstStage says which memories are candidates, and weighs what is known of each of them
// without reading its text.
type FirstStage struct {
	BM25Relative, Cosine, Multilingual, Length float64
	// TopK memories are candidates because of their cosine, whatever their words, if it
	// exceeds MinCosine, and likewise MinMultilingual in the multilingual space. Both are
	// about a deviation above the mean of unrelated texts.
	TopK                       int
	MinCosine, MinMultilingual float64
}

// Rerank are the constants of the second stage.
type Rerank struct {
	// TopK candidates of the first stage are reranked, and their neighbours.
	TopK int
	// Lists is how many candidates of each list are reranked whatever their rank is by the
	// first stage: of those by BM25 and by the cosines of each channel.
	Lists int
	// Experts weigh the features; the context decides how much each expert counts.
	Experts [NumExperts]Expert
	// Base is added whatever the features, and BaseBy for each feature of the context: they
	// bring the sums to where those of the first stage are.
	Base   float64
	BaseBy Context
	// Verbatim are the weights for a query of identifiers: such words have no meaning, so that models decide next to nothing.
	Verbatim Weighing
	// Scale is the weighted sum at which relevance is 1 - 1/e.
	Scale float64
}

// NumExperts is the number of sets of weights of the reranker.
const NumExperts = 8

// Expert is one of the sets of weights that the reranker mixes (Jacobs et al., "Adaptive mixtures
// of local experts", 1991). Its share for a memory is the softmax, over the experts, of the bias and the
// products of its gates with the context of the query and with the kind of the memory.
type Expert struct {
	Bias     float64
	Gate     Context
	Kind     Kind
	Base     float64 // added to the weighted sum of the features
	Features Features
}

// Prior are the constants of the bounded factors of ranker hippo.
type Prior struct {
	// Bound is the largest fraction of its relevance that a memory can lose for lack of
	// importance: relevance is multiplied by a number in [1-Bound, 1]. How often and how
	// lately a search showed it has no part in it, for that is what rankings decide, and they
	// would follow themselves. ContextBound is the same for a partial match of the situation,
	// TimeBound for being of another time than the query names.
	Bound, ContextBound, TimeBound float64
}

// Relations are the constants of relations between memories.
type Relations struct {
	// Boost is the largest fraction of the headroom 1 - text that a text gains by being
	// related to what was found.
	Boost float64
	// Pull is the relevance of the text of a memory that has a relation of weight 1 with
	// one of the best hits, as a fraction of that one's. Below (1 - Prior.Bound)(1 -
	// Prior.ContextBound) it stays behind that hit.
	Pull float64
	// MinPull is what the weight of a learned relation must exceed to pull.
	MinPull float64
	// Learn is the fraction of the headroom 1 - weight that a learned relation gains on a
	// day on which both memories were voted up as answers to one question. Returned is what
	// it gains by each search of ranker surprise that returns both, up to a weight of 1.
	Learn, Returned float64
	// ByDegree: a learned relation of memories that have many counts less, see [Relations.Spread].
	ByDegree bool
	// HalfLife is the number of days in which a learned weight halves, and Forget the
	// weight below which the relation is dropped.
	HalfLife, Forget float64
}

// Confidence are the constants of the confidence in an answer.
type Confidence struct {
	// Multilingual are the weights where vectors of the model in use and of the multilingual one
	// took part in the search, Semantic where those of the first did, Lexical where none did.
	Multilingual, Semantic, Lexical Logistic
	// Weak is the confidence below which an answer is marked as weak; 0: never.
	Weak float64
}

// weakBelow is [Confidence.Weak]. It was chosen on the development halves: above it, each wrong answer
// that is marked in addition costs a mark on a right one.
const weakBelow = 0.5

// Logistic weighs the parts of a [Support]. Few is the weight of 10 / (10 + Memories).
type Logistic struct {
	Base, Margin, Cosine, Multilingual, Lead, Tokens, Coverage, UnknownNames, Few float64
}

// DefaultWeights returns the weights in docs/ranking.md.
func DefaultWeights() Weights {
	return Weights{
		Usage: Usage{RecencyRate: 0.05, FrequencyFull: 10, ImportanceDecay: 0.9, Upvote: 1.5, Downvote: 0.5},
		Insight: Insight{
			Shares:       Shares{Recency: 0.30, Frequency: 0.20, Importance: 0.35, Context: 0.15},
			MinRelevance: 0.1, MinContent: 0.4,
		},
		FirstStage: FirstStage{BM25Relative: 2, Cosine: 6, Multilingual: 4, Length: 2, TopK: 50, MinCosine: 0.17, MinMultilingual: 0.12},
		Rerank: Rerank{
			TopK: 64, Lists: 12, Experts: experts(), Base: baseWeight, BaseBy: baseWeights(), Scale: 5,
			Verbatim: Weighing{Features: Features{BM25Relative: 8, Cosine: .5}},
		},
		Prior: Prior{
			Bound: 0.024, ContextBound: 0.15, TimeBound: 0.15,
		},
		Relations:  Relations{Boost: 0.05, Pull: 0.6, MinPull: 0.3, Learn: 0.1, Returned: 0.1, ByDegree: true, HalfLife: 30, Forget: 0.02},
		Surprise:   Surprise{Similarity: 0.7, Surprise: 0.3, HalfLife: 30, Floor: 0.5, Kept: 0.8, Oversample: 6, Neighbours: 20},
		Confidence: confidence(weakBelow),
		Learning:   Learning{Shift: 8, Reach: 0.25, Near: 0.88, Same: 0.95, Unrelated: 0.5, Decay: 0.98, Opened: 0.3, Saturation: 1.5, Most: 5, Proven: 1.5, Lead: 0.12},
	}
}

package rank

import "math"

// ContextFeature numbers what the gates of the reranker depend on.
type ContextFeature int

// The features of a query and of the best that it found, each in [0, 1]: they decide how much each
// feature of a memory counts. They do not depend on the other memories that were found, so that memories unrelated to a query do not change
// the order of the others.
const (
	// Reach is the largest [Coverage]: how much of the query one memory has literally.
	Reach ContextFeature = iota
	// Lead is the largest [CosineStandard]: how far the best stands out semantically.
	Lead
	// English is 1 if the query is English, or its language is unknown.
	English
	// BM25Reach is the largest [BM25Absolute]: how strong the lexical match is.
	BM25Reach
	// Words is how long the query is: ln(1 + words) / 3.5.
	Words
	// MultilingualLead is the largest [MultilingualStandard].
	MultilingualLead
	// MaxSimReach is the largest [MaxSim].
	MaxSimReach
	// HasMultilingual is 1 if the multilingual model took part.
	HasMultilingual
	// Unread is the share of the words of the query, weighted by idf, that are no words for the model: numbers, identifiers, and
	// what is misspelled.
	Unread
	// Coherence is how much more similar the reranked memories are to the next ones of their
	// sessions than to the next ones of others: much in conversations, little where notes on
	// many things were recorded one after the other. 0 where there are no sessions. It counts for memories of sessions alone.
	Coherence
	// Verbatim is 1 if the query has no other words than identifiers (tickets, symbols, paths, versions), and some memory has one of
	// them: [Rerank.Verbatim] are the weights then.
	Verbatim

	// NumContext is the number of these features.
	NumContext
)

// Context is what the weights of the reranker depend on.
type Context [NumContext]float64

// Map returns the features by name.
func (c *Context) Map() map[string]float64 {
	names := [NumContext]string{
		"reach", "lead", "english", "reach.bm25", "words", "lead.multilingual", "reach.maxsim", "has.multilingual", "unread", "coherence", "verbatim",
	}
	out := make(map[string]float64, len(c))
	for k, name := range names {
		out[name] = c[k]
	}
	return out
}

const (
	// manyWords is ln(1 + words) of a long query.
	manyWords = 3.5
	// coherent is the difference of the mean similarities at which [Coherence] is 1.
	coherent = .2
)

// WordsOf is the feature [Words] for a number of words.
func WordsOf(n int) float64 { return unit(math.Log1p(float64(n)) / manyWords) }

// CoherenceOf is the feature [Coherence] for the mean similarity with the next memories, and with
// those of others.
func CoherenceOf(own, others float64) float64 { return unit((own - others) / coherent) }

// KindFeature numbers what the weights of a memory depend on beside the query.
type KindFeature int

// The features of a memory by itself, each in [0, 1].
const (
	// KindForeign is [IsForeign], and KindCrossing that for a query that is not English.
	KindForeign KindFeature = iota
	KindCrossing
	// KindTurn is [Coherence] if the memory has a session: how much it is a turn of a conversation.
	KindTurn
	// KindLong is by how much the memory is longer than some twenty terms.
	KindLong
	// KindCode is [IsCode].
	KindCode

	// NumKinds is the number of these features.
	NumKinds
)

// Kind is what the weights of a memory depend on beside the query.
type Kind [NumKinds]float64

// shortLength is the value of [Length] from which [KindLong] grows: that of 20 terms.
const shortLength = .6

// kindOf returns the kind of a memory with these features.
func kindOf(f *Features, english, coherence float64) Kind {
	return Kind{
		KindForeign: f[IsForeign], KindCrossing: f[IsForeign] * (1 - english), KindTurn: f[InSession] * coherence,
		KindLong: max(f[Length]-shortLength, 0), KindCode: f[IsCode],
	}
}

// unit clips x to [0, 1].
func unit(x float64) float64 { return math.Min(1, math.Max(0, x)) }

// Of a few memories the mean and the deviation of cosines say little, so that they count as much as
// priorCount imagined ones, whose cosines are as those of unrelated short texts: the means of
// sentence encoders are .05 to .14 and the deviations .06 to .11 on the development sets.
const (
	priorCount     = 10
	priorMean      = .08
	priorDeviation = .09
	// fullStandard is the number of deviations above the mean at which [Standard] is 1.
	fullStandard = 8
)

// Standard returns a function that maps a cosine to its standard score among count cosines of this
// mean and standard deviation: the number of deviations above the mean, divided by 8, in [0, 1].
func Standard(count int, mean, deviation float64) func(cosine float64) float64 {
	n := float64(count)
	all := n + priorCount
	m := (n*mean + priorCount*priorMean) / all
	second := (n*(deviation*deviation+mean*mean) + priorCount*(priorDeviation*priorDeviation+priorMean*priorMean)) / all
	scale := 1 / (fullStandard * math.Sqrt(max(second-m*m, 1e-6)))
	return func(cosine float64) float64 {
		if cosine <= 0 {
			return 0
		}
		return unit((cosine - m) * scale)
	}
}

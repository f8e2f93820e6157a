package rank

import "math"

// ContextFeature numbers what the gates of the reranker depend on.
type ContextFeature int

// The features of a query and of what it found, each in [0, 1]: they decide how much each
// feature of a memory counts.
const (
	// Long is how long the memories are that are reranked: by how much the mean of ln(1 +
	// terms) is above 3, divided by 3.
	Long ContextFeature = iota
	// Reach is the largest [Coverage]: how much of the query one memory has literally.
	Reach
	// Lead is the largest [CosineStandard]: how far the best stands out semantically.
	Lead
	// Foreign is how much further the best stands out by the multilingual model than by the
	// other, from 0, much less, to 1, much more.
	Foreign
	// Alone is the share of the reranked memories that have no session.
	Alone
	// English is 1 if the query is English, or its language is unknown.
	English
	// BM25Reach is the largest [BM25Absolute]: how strong the lexical match is.
	BM25Reach
	// Words is how long the query is: ln(1 + words) / 3.5.
	Words
	// MultilingualLead is the largest [MultilingualStandard].
	MultilingualLead
	// ReachLead is by how much the largest [Coverage] is above the mean of the next five, twice.
	ReachLead
	// MaxSimReach is the largest [MaxSim].
	MaxSimReach
	// Agreement is the [CosineRelative] of the best by BM25: whether both lists lead to the
	// same memory.
	Agreement
	// ForeignShare is the share of the reranked memories that are not English.
	ForeignShare
	// HasMultilingual is 1 if the multilingual model took part.
	HasMultilingual
	// Coherence is how much more similar the reranked memories are to the next ones of their
	// sessions than to the next ones of others: much in conversations, little where notes on
	// many things were recorded one after the other. 0 where there are no sessions.
	Coherence
	// CodeShare is the share of the reranked memories that look like source code.
	CodeShare

	// NumContext is the number of these features.
	NumContext
)

// Context is what the weights of the reranker depend on.
type Context [NumContext]float64

// Map returns the features by name.
func (c *Context) Map() map[string]float64 {
	names := [NumContext]string{
		"long", "reach", "lead", "foreign", "alone", "english", "reach.bm25", "words", "lead.multilingual", "lead.reach", "reach.maxsim", "agreement", "share.foreign", "has.multilingual",
		"coherence", "share.code",
	}
	out := make(map[string]float64, len(c))
	for k, name := range names {
		out[name] = c[k]
	}
	return out
}

const (
	// meanLength is ln(1 + terms) of memories of usual length, and lengthRange by how much
	// that of long ones is above it.
	meanLength, lengthRange = 3, 3
	// foreignRange is the difference of standard scores from one end of [Foreign] to the other.
	foreignRange = .5
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

// LongOf is the feature [Long] for a mean of ln(1 + terms).
func LongOf(mean float64) float64 { return unit((mean - meanLength) / lengthRange) }

// ForeignOf is the feature [Foreign] for the largest standard scores of both models.
func ForeignOf(cosine, multilingual float64) float64 {
	return unit(.5 + (multilingual-cosine)/foreignRange)
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

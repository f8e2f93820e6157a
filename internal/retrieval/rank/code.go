package rank

// codeOdds is what the odds of the relevance of code count for beside those of insights.
// Source: logistic regression on which of both a question is about; docs/ranking.md#insights-and-code.
const codeOdds = .77

// OfCode returns the relevance of a chunk of code, in [0, 1], on the scale of insights in ranker hippo. It is
// increasing, and keeps 0 and 1.
func OfCode(relevance float64) float64 { return withOdds(relevance, codeOdds) }

// asideOdds is what the odds of the relevance of tests, generated files and vendored copies count for beside those of implementations.
// Source: the value above which questions about functions lose, and below which tests lose that are asked for without a word
// for tests; docs/ranking.md#tests-and-implementations.
const asideOdds = .55

// Aside returns the relevance, in [0, 1], of a chunk of a test, a generated file or a vendored copy that a question does not ask for. It
// is increasing, and keeps 0 and 1: a test that is far more relevant than all implementations stays first.
func Aside(relevance float64) float64 { return withOdds(relevance, asideOdds) }

// withOdds returns a relevance with its odds r / (1 - r) multiplied.
func withOdds(relevance, by float64) float64 { return by * relevance / (1 - (1-by)*relevance) }

const (
	// tableWeight is what the cosine by the table for source code counts for where the encoder ranks.
	// Source: fitted to what the others of three sets of functions ask; docs/ranking.md#code.
	tableWeight = 3
	// tableLevel is what the features of the table add to a sum as a rule: it is taken off, so that relevance is on one scale
	// with the table and without it.
	tableLevel = 1
)

// CodeWeights returns the weights for source code: those of insights, but that the second channel, which is [Multilingual]
// there, is of the table for source code, and has one weight.
func CodeWeights() Weights {
	w := DefaultWeights()
	for i := range w.Rerank.Experts {
		e := &w.Rerank.Experts[i]
		e.Features[Multilingual], e.Features[MultilingualStandard] = tableWeight, 0
		e.Gate[HasMultilingual], e.Gate[MultilingualLead] = 0, 0
	}
	by := &w.Rerank.BaseBy
	by[HasMultilingual], by[MultilingualLead] = -tableLevel, 0
	w.Confidence.Multilingual = w.Confidence.Semantic
	return w
}

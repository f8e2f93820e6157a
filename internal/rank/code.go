package rank

// codeOdds is what the odds of the relevance of code count for beside those of insights.
// Source: logistic regression on which of both a question is about; docs/ranking.md#insights-and-code.
const codeOdds = .77

// OfCode returns the relevance of a chunk of code, in [0, 1], on the scale of insights in ranker hippo. It is
// increasing, and keeps 0 and 1.
func OfCode(relevance float64) float64 {
	return codeOdds * relevance / (1 - (1-codeOdds)*relevance)
}

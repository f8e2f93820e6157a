package rank

// confidence has the weights that lab/fit/confidence.py fitted on the development halves. weak is [Confidence.Weak].
func confidence(weak float64) Confidence {
	return Confidence{
		Multilingual: Logistic{Base: -5.791, Margin: 11.565, Cosine: 3.096, Multilingual: 1.865, Tokens: 1.019, UnknownNames: -3.762, Few: 3.035},
		Semantic:     Logistic{Base: -3.800, Margin: 14.388, Lead: 0.260, Tokens: 1.040, UnknownNames: -5.215, Few: 2.726},
		Lexical:      Logistic{Base: -1.730, Coverage: 3.984, UnknownNames: -4.002, Few: 2.243},
		Weak:         weak,
	}
}

package rank

// confidence has the weights that tools/fit/confidence.py fitted on the development halves. weak is [Confidence.Weak].
func confidence(weak float64) Confidence {
	return Confidence{
		Multilingual: Logistic{Base: -5.107, Margin: 9.875, Cosine: 1.761, Multilingual: 4.092, UnknownNames: -1.325, Few: 3.321},
		Semantic:     Logistic{Base: -2.690, Margin: 9.793, Lead: 0.766, UnknownNames: -4.636, Few: 1.556},
		Lexical:      Logistic{Base: -1.730, Coverage: 3.984, UnknownNames: -4.002, Few: 2.243},
		Weak:         weak,
	}
}

package rank

// confidence has the weights that tools/fit/confidence.py fitted on the development halves. weak is [Confidence.Weak].
func confidence(weak float64) Confidence {
	return Confidence{
		Multilingual: Logistic{Base: -5.307, Margin: 11.104, Cosine: 2.076, Multilingual: 3.349, UnknownNames: -3.412, Few: 3.808},
		Semantic:     Logistic{Base: -3.523, Margin: 11.479, Lead: 1.596, UnknownNames: -7.537, Few: 1.639},
		Lexical:      Logistic{Base: -1.915, Coverage: 4.172, UnknownNames: -7.227, Few: 1.817},
		Weak:         weak,
	}
}

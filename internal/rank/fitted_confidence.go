package rank

// confidence has the weights that tools/fit/confidence.py fitted on the development halves. weak is [Confidence.Weak].
func confidence(weak float64) Confidence {
	return Confidence{
		Multilingual: Logistic{Base: -5.853, Margin: 12.132, Cosine: 2.369, Multilingual: 2.468, Tokens: 1.121, UnknownNames: -4.102, Few: 2.850},
		Semantic:     Logistic{Base: -3.800, Margin: 14.388, Lead: 0.260, Tokens: 1.040, UnknownNames: -5.215, Few: 2.726},
		Lexical:      Logistic{Base: -1.730, Coverage: 3.984, UnknownNames: -4.002, Few: 2.243},
		Weak:         weak,
	}
}

package rank

// confidence has the weights that tools/fit/confidence.py fitted on the development halves. weak is [Confidence.Weak].
func confidence(weak float64) Confidence {
	return Confidence{
		Multilingual: Logistic{Base: -5.264, Margin: 10.468, Cosine: 1.569, Multilingual: 4.416, UnknownNames: -1.284, Few: 2.067},
		Semantic:     Logistic{Base: -2.612, Margin: 9.921, Lead: 0.637, UnknownNames: -4.630, Few: 1.191},
		Lexical:      Logistic{Base: -1.730, Coverage: 3.984, UnknownNames: -4.002, Few: 2.243},
		Weak:         weak,
	}
}

package rank

// featureWeights are those of [Rerank.Features]. Source: tools/fit on the development halves.
func featureWeights() Features {
	return Features{
		BM25Absolute:   2.329,
		Cosine:         0.872,
		CosineRelative: 1.990,
		Feedback:       3.608,
		MaxSim:         0.000,
		MaxSimRelative: 3.702,
		MaxSimIDF:      3.375,
		MaxSimLead:     0.100,
		Bigram:         0.711,
		PreviousBM25:   1.193,
		PreviousCosine: 0.567,
		PreviousMaxSim: -3.200,
		NextCosine:     0.333,
		Reply:          1.765,
		PreviousGain:   1.269,
		WindowGain:     5.444,
		Session:        1.834,
		NamesAuthor:    1.545,
		Length:         1.472,
		IsQuestion:     -0.566,
		HasTime:        0.787,
		HasNumber:      0.943,
		HasName:        1.279,
	}
}

// contextWeights are those of [Rerank.By].
func contextWeights() [NumContext]Features {
	return [NumContext]Features{
		Long: {
			BM25Absolute:   0.057,
			Cosine:         -0.870,
			CosineRelative: 2.124,
			Feedback:       -2.472,
			MaxSim:         -0.000,
			MaxSimRelative: -1.389,
			MaxSimIDF:      -3.375,
			MaxSimLead:     3.030,
			Bigram:         -0.348,
			PreviousBM25:   -1.677,
			PreviousCosine: -1.932,
			PreviousMaxSim: 3.318,
			NextCosine:     1.143,
			Reply:          -1.764,
			PreviousGain:   1.770,
			WindowGain:     -4.539,
			Session:        0.825,
			NamesAuthor:    1.119,
			Length:         -4.857,
			IsQuestion:     0.738,
			HasTime:        1.446,
			HasNumber:      -0.270,
			HasName:        -0.048,
		},
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of BaseBy.
const baseWeight = -4.407

func baseWeights() Context { return Context{Long: 4.905} }

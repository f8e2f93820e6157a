package rank

// The weights of the reranker were fitted by tools/fit on the development halves.

// featureWeights are those of [Rerank.Features].
func featureWeights() Features {
	return Features{
		BM25Absolute:         0.597,
		Coverage:             3.441,
		Cosine:               0.376,
		CosineRelative:       1.172,
		CosineStandard:       1.024,
		Multilingual:         2.210,
		MultilingualRelative: 2.689,
		MultilingualStandard: 2.795,
		IsForeign:            -0.239,
		ForeignStandard:      5.861,
		MaxSimRelative:       3.273,
		Bigram:               2.207,
		PreviousBM25:         0.665,
		PreviousCosine:       -0.017,
		PreviousMaxSim:       -1.474,
		NextCosine:           0.150,
		Reply:                2.534,
		PreviousGain:         0.427,
		WindowGain:           2.012,
		Session:              1.833,
		NamesAuthor:          0.406,
		Length:               1.683,
		IsQuestion:           -0.419,
		HasTime:              1.352,
		HasNumber:            0.893,
		HasName:              0.309,
	}
}

// contextWeights are those of [Rerank.By].
func contextWeights() [NumContext]Features {
	return [NumContext]Features{
		Long:            byLong(),
		Reach:           byReach(),
		Lead:            byLead(),
		Foreign:         byForeign(),
		Alone:           byAlone(),
		English:         byEnglish(),
		HasMultilingual: byHasMultilingual(),
	}
}

func byLong() Features {
	return Features{
		BM25Absolute:         0.811,
		MultilingualRelative: 0.106,
		IsForeign:            -0.259,
		ForeignStandard:      0.166,
		MaxSimLead:           1.966,
		PreviousBM25:         -2.128,
		PreviousCosine:       -1.237,
		PreviousMaxSim:       3.334,
		NextCosine:           1.463,
		Reply:                -1.423,
		PreviousGain:         0.021,
		WindowGain:           -0.649,
		Session:              -0.341,
		NamesAuthor:          0.014,
		Length:               -7.867,
		IsQuestion:           0.767,
		HasTime:              0.520,
		HasNumber:            -0.001,
		HasName:              -0.307,
	}
}

func byReach() Features {
	return Features{
		BM25Absolute:         1.220,
		Coverage:             0.304,
		Cosine:               -0.376,
		CosineRelative:       -0.025,
		CosineStandard:       -0.230,
		Multilingual:         -0.972,
		MultilingualRelative: -1.177,
		MultilingualStandard: -2.244,
		IsForeign:            -0.252,
		ForeignStandard:      -4.707,
		PreviousBM25:         0.981,
		PreviousCosine:       0.283,
		PreviousMaxSim:       0.107,
		NextCosine:           0.101,
		Reply:                -1.087,
		PreviousGain:         2.384,
		WindowGain:           1.494,
		Session:              -1.118,
		NamesAuthor:          2.166,
		Length:               -2.597,
		IsQuestion:           -0.068,
		HasTime:              0.935,
		HasNumber:            -0.074,
		HasName:              1.672,
	}
}

func byLead() Features {
	return Features{
		BM25Absolute:         -0.038,
		Coverage:             -0.725,
		CosineRelative:       -0.001,
		CosineStandard:       -0.794,
		MultilingualRelative: -0.132,
		MultilingualStandard: -0.486,
		IsForeign:            -0.530,
		ForeignStandard:      -0.002,
		MaxSimRelative:       -0.790,
		Bigram:               -1.433,
		PreviousBM25:         -1.660,
		PreviousCosine:       0.174,
		PreviousMaxSim:       -0.986,
		NextCosine:           -1.618,
		PreviousGain:         2.208,
		WindowGain:           3.366,
		Session:              0.887,
		NamesAuthor:          0.182,
		Length:               0.237,
		IsQuestion:           0.522,
		HasTime:              0.157,
		HasNumber:            2.011,
		HasName:              0.657,
	}
}

func byForeign() Features {
	return Features{
		Coverage:        0.997,
		CosineRelative:  -1.146,
		Multilingual:    -0.003,
		IsForeign:       -0.262,
		ForeignStandard: -1.151,
		PreviousBM25:    -0.801,
		PreviousCosine:  0.287,
		PreviousMaxSim:  -0.144,
		NextCosine:      1.457,
		PreviousGain:    2.851,
		WindowGain:      0.037,
		Session:         -0.366,
		NamesAuthor:     -0.321,
		Length:          1.721,
		IsQuestion:      0.525,
		HasTime:         -0.063,
		HasNumber:       -0.097,
		HasName:         -0.001,
	}
}

func byAlone() Features {
	return Features{
		Coverage:             2.839,
		Cosine:               2.138,
		CosineStandard:       1.111,
		MultilingualRelative: 0.662,
		IsForeign:            -0.346,
		MaxSimRelative:       -1.179,
		PreviousBM25:         -0.027,
		PreviousCosine:       -0.063,
		PreviousMaxSim:       -0.044,
		NextCosine:           -0.016,
		Reply:                0.440,
		PreviousGain:         0.626,
		WindowGain:           0.403,
		Session:              0.228,
		NamesAuthor:          0.115,
		Length:               -3.236,
		IsQuestion:           -0.372,
		HasTime:              -0.322,
		HasNumber:            0.005,
		HasName:              0.594,
	}
}

func byEnglish() Features {
	return Features{
		Coverage:             -2.716,
		Cosine:               2.341,
		CosineRelative:       0.189,
		Multilingual:         -1.221,
		MultilingualRelative: -1.380,
		MultilingualStandard: -0.059,
		IsForeign:            0.396,
		ForeignStandard:      4.183,
		Feedback:             2.231,
		MaxSimRelative:       0.810,
		MaxSimIDF:            1.715,
		MaxSimLead:           0.758,
		Bigram:               -0.774,
		PreviousBM25:         0.762,
		PreviousCosine:       0.085,
		PreviousMaxSim:       -1.608,
		NextCosine:           0.118,
		Reply:                -0.024,
		PreviousGain:         -0.283,
		WindowGain:           -0.007,
		Session:              0.523,
		NamesAuthor:          0.214,
		Length:               2.467,
		IsQuestion:           -0.340,
		HasTime:              -0.967,
		HasNumber:            -0.721,
	}
}

func byHasMultilingual() Features {
	return Features{
		BM25Absolute:         -0.559,
		Multilingual:         -0.014,
		MultilingualStandard: -0.006,
		IsForeign:            -1.438,
		MaxSimRelative:       -1.303,
		PreviousBM25:         0.090,
		PreviousCosine:       0.532,
		PreviousMaxSim:       -0.346,
		NextCosine:           -0.225,
		PreviousGain:         -0.142,
		WindowGain:           -1.354,
		Session:              0.409,
		NamesAuthor:          0.147,
		Length:               0.480,
		IsQuestion:           -0.282,
		HasTime:              0.004,
		HasNumber:            0.005,
		HasName:              -0.001,
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = -1.595

func baseWeights() Context {
	return Context{Long: 7.341, Reach: 2.479, Lead: -0.075, Foreign: -0.689, Alone: 3.724, English: -5.806, HasMultilingual: 0.935}
}

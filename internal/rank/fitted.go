package rank

// The weights of the reranker were fitted by tools/fit on the development halves.

// experts are those of [Rerank.Experts].
func experts() [NumExperts]Expert {
	return [NumExperts]Expert{expert1(), expert2(), expert3(), expert4(), expert5(), expert6()}
}

func expert1() Expert {
	return Expert{
		Bias: 0.158,
		Gate: Context{
			Long:             0.375,
			Reach:            -0.458,
			Lead:             -0.429,
			Foreign:          -0.997,
			Alone:            1.351,
			English:          -1.529,
			BM25Reach:        -2.821,
			Words:            2.772,
			MultilingualLead: -0.837,
			ReachLead:        1.417,
			MaxSimReach:      -0.991,
			Agreement:        -0.394,
			ForeignShare:     -1.459,
			HasMultilingual:  2.435,
		},
		Features: Features{
			Cosine:               0.194,
			CosineRelative:       2.804,
			CosineStandard:       3.588,
			Multilingual:         1.609,
			MultilingualStandard: 7.224,
			IsForeign:            -1.246,
			ForeignStandard:      12.437,
			Feedback:             2.246,
			PreviousBM25:         -8.613,
			PreviousCosine:       0.367,
			PreviousMaxSim:       0.812,
			NextCosine:           -0.056,
			Session:              1.195,
			NamesAuthor:          0.155,
			Length:               -14.504,
			IsQuestion:           -3.258,
			HasNumber:            2.738,
			HasName:              0.004,
		},
	}
}

func expert2() Expert {
	return Expert{
		Bias: -0.289,
		Gate: Context{
			Long:             -2.341,
			Reach:            -0.427,
			Lead:             0.972,
			Foreign:          0.446,
			Alone:            -1.906,
			English:          1.513,
			BM25Reach:        0.505,
			Words:            0.280,
			MultilingualLead: 0.091,
			ReachLead:        -0.221,
			MaxSimReach:      0.200,
			Agreement:        0.254,
			ForeignShare:     1.289,
			HasMultilingual:  0.343,
		},
		Features: Features{
			Coverage:             1.695,
			Multilingual:         0.012,
			MultilingualRelative: 3.522,
			IsForeign:            -2.044,
			ForeignStandard:      9.399,
			Feedback:             1.488,
			MaxSim:               3.272,
			MaxSimRelative:       1.176,
			MaxSimIDF:            0.754,
			Bigram:               1.302,
			PreviousBM25:         2.329,
			PreviousCosine:       1.763,
			PreviousMaxSim:       -5.952,
			NextCosine:           -0.806,
			Reply:                3.015,
			PreviousGain:         4.437,
			WindowGain:           4.235,
			Session:              3.458,
			NamesAuthor:          1.418,
			Length:               10.655,
			IsQuestion:           -0.926,
			HasTime:              0.792,
			HasNumber:            0.676,
			HasName:              0.554,
		},
	}
}

func expert3() Expert {
	return Expert{
		Bias: -0.443,
		Gate: Context{
			Long:             0.691,
			Reach:            0.396,
			Lead:             -0.281,
			Foreign:          0.577,
			Alone:            0.850,
			English:          0.101,
			BM25Reach:        -0.501,
			Words:            1.610,
			MultilingualLead: 1.009,
			ReachLead:        -1.474,
			MaxSimReach:      -0.378,
			Agreement:        -0.054,
			ForeignShare:     -3.301,
			HasMultilingual:  -0.211,
		},
		Features: Features{
			Cosine:         7.726,
			CosineRelative: 7.498,
			CosineStandard: 3.452,
			IsForeign:      -2.626,
			Feedback:       3.526,
			MaxSim:         1.799,
			MaxSimRelative: 0.043,
			MaxSimIDF:      9.097,
			MaxSimLead:     0.701,
			PreviousBM25:   -0.623,
			PreviousCosine: 2.409,
			PreviousMaxSim: -0.406,
			NextCosine:     5.897,
			Length:         -3.150,
			IsQuestion:     1.101,
			HasNumber:      1.586,
			HasName:        4.633,
		},
	}
}

func expert4() Expert {
	return Expert{
		Bias: 1.176,
		Gate: Context{
			Long:             0.748,
			Reach:            0.402,
			Lead:             -0.970,
			Foreign:          0.427,
			Alone:            1.791,
			English:          -1.571,
			BM25Reach:        1.084,
			Words:            -4.254,
			MultilingualLead: -0.145,
			ReachLead:        1.159,
			MaxSimReach:      1.125,
			Agreement:        -0.754,
			ForeignShare:     1.833,
			HasMultilingual:  -0.003,
		},
		Features: Features{
			Coverage:             15.156,
			Multilingual:         0.813,
			MultilingualRelative: 6.222,
			IsForeign:            -3.513,
			ForeignStandard:      3.019,
			Bigram:               1.395,
			PreviousBM25:         0.488,
			PreviousCosine:       -0.074,
			PreviousMaxSim:       0.287,
			NextCosine:           -0.262,
			PreviousGain:         2.630,
			WindowGain:           1.072,
			Session:              0.244,
			NamesAuthor:          0.677,
			Length:               -0.932,
			IsQuestion:           -0.917,
			HasTime:              2.028,
			HasNumber:            1.624,
			HasName:              0.775,
		},
	}
}

func expert5() Expert {
	return Expert{
		Bias: 0.026,
		Gate: Context{
			Long:             -0.060,
			Reach:            -0.713,
			Lead:             -0.262,
			Foreign:          -0.918,
			Alone:            -0.706,
			English:          1.160,
			BM25Reach:        0.007,
			Words:            0.157,
			MultilingualLead: -1.110,
			ReachLead:        -0.139,
			MaxSimReach:      -0.216,
			Agreement:        0.728,
			ForeignShare:     1.334,
			HasMultilingual:  -2.063,
		},
		Features: Features{
			BM25Absolute:    6.152,
			Coverage:        0.016,
			Cosine:          0.004,
			CosineRelative:  0.029,
			CosineStandard:  0.690,
			Multilingual:    0.411,
			IsForeign:       2.707,
			ForeignStandard: 5.332,
			Feedback:        0.299,
			MaxSim:          3.057,
			MaxSimRelative:  7.684,
			MaxSimIDF:       0.173,
			MaxSimLead:      2.341,
			Bigram:          0.036,
			PreviousBM25:    0.174,
			PreviousCosine:  -0.840,
			PreviousMaxSim:  0.311,
			NextCosine:      0.116,
			Reply:           0.287,
			WindowGain:      5.902,
			Session:         1.383,
			NamesAuthor:     1.534,
			Length:          -4.576,
			IsQuestion:      -0.228,
			HasNumber:       0.608,
		},
	}
}

func expert6() Expert {
	return Expert{
		Bias: -0.619,
		Gate: Context{
			Long:             0.585,
			Reach:            0.807,
			Lead:             0.970,
			Foreign:          0.456,
			Alone:            -1.378,
			English:          0.319,
			BM25Reach:        1.728,
			Words:            -0.532,
			MultilingualLead: 0.981,
			ReachLead:        -0.745,
			MaxSimReach:      0.255,
			Agreement:        0.224,
			ForeignShare:     0.311,
			HasMultilingual:  -0.504,
		},
		Features: Features{
			BM25Absolute:   3.577,
			IsForeign:      0.644,
			Feedback:       2.987,
			MaxSimLead:     2.480,
			Bigram:         0.868,
			PreviousBM25:   -0.485,
			PreviousCosine: -2.399,
			PreviousMaxSim: 0.577,
			NextCosine:     1.658,
			PreviousGain:   4.161,
			WindowGain:     1.118,
			Session:        3.395,
			NamesAuthor:    4.294,
			Length:         -6.020,
			IsQuestion:     0.244,
			HasTime:        2.716,
			HasNumber:      1.484,
			HasName:        4.255,
		},
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = 3.614

func baseWeights() Context {
	return Context{Long: 4.914, Reach: -3.017, Lead: -2.445, Foreign: -2.684, Alone: 3.701, English: -7.346, BM25Reach: -0.767, Words: 1.187, MultilingualLead: -1.022, ReachLead: 3.644, MaxSimReach: 2.294, Agreement: -1.002, ForeignShare: -2.242, HasMultilingual: 2.342}
}

package rank

// The weights of the reranker were fitted by tools/fit on the development halves.

// experts are those of [Rerank.Experts].
func experts() [NumExperts]Expert {
	return [NumExperts]Expert{expert1(), expert2(), expert3(), expert4(), expert5(), expert6()}
}

func expert1() Expert {
	return Expert{
		Bias: 1.953,
		Gate: Context{
			Long:             0.118,
			Reach:            -0.649,
			Lead:             0.282,
			Foreign:          -1.092,
			Alone:            -1.228,
			English:          -1.498,
			BM25Reach:        -2.872,
			Words:            2.672,
			MultilingualLead: -1.002,
			ReachLead:        1.424,
			MaxSimReach:      -1.149,
			Agreement:        -0.081,
			ForeignShare:     -1.598,
			HasMultilingual:  2.716,
			Coherence:        -4.099,
		},
		Features: Features{
			Cosine:               0.001,
			CosineRelative:       6.453,
			CosineStandard:       1.346,
			MultilingualStandard: 6.192,
			IsForeign:            -0.275,
			Feedback:             4.440,
			PreviousBM25:         1.543,
			PreviousCosine:       -1.546,
			PreviousMaxSim:       -4.201,
			NextCosine:           -2.321,
			Reply:                9.073,
			WindowGain:           1.496,
			Session:              1.969,
			NamesAuthor:          0.744,
			Length:               -18.583,
			IsQuestion:           -2.634,
			HasNumber:            6.250,
			HasName:              1.601,
		},
	}
}

func expert2() Expert {
	return Expert{
		Bias: -1.023,
		Gate: Context{
			Long:             1.204,
			Reach:            -2.567,
			Lead:             -0.259,
			Foreign:          0.034,
			Alone:            -0.205,
			English:          0.202,
			BM25Reach:        0.602,
			Words:            -1.527,
			MultilingualLead: 0.324,
			ReachLead:        0.786,
			MaxSimReach:      -0.427,
			Agreement:        -0.002,
			ForeignShare:     3.366,
			HasMultilingual:  1.752,
			Coherence:        0.668,
		},
		Features: Features{
			Coverage:             2.089,
			Multilingual:         6.954,
			MultilingualRelative: 9.055,
			IsForeign:            -0.661,
			MaxSimRelative:       1.148,
			Bigram:               0.173,
			PreviousBM25:         -0.098,
			PreviousCosine:       4.546,
			PreviousMaxSim:       -1.680,
			NextCosine:           -0.359,
			Reply:                0.167,
			NamesAuthor:          0.005,
			Length:               3.698,
			IsQuestion:           -1.529,
			HasTime:              1.682,
			HasNumber:            0.416,
			HasName:              0.183,
		},
	}
}

func expert3() Expert {
	return Expert{
		Bias: -0.915,
		Gate: Context{
			Long:             1.718,
			Reach:            0.631,
			Lead:             -0.026,
			Foreign:          -0.254,
			Alone:            1.015,
			English:          0.140,
			BM25Reach:        -0.567,
			Words:            1.205,
			MultilingualLead: 0.839,
			ReachLead:        -1.605,
			MaxSimReach:      -0.044,
			Agreement:        0.402,
			ForeignShare:     -1.944,
			HasMultilingual:  -0.932,
			Coherence:        0.160,
		},
		Features: Features{
			Cosine:               6.913,
			CosineRelative:       4.636,
			CosineStandard:       4.196,
			MultilingualStandard: 0.555,
			IsForeign:            -0.255,
			Feedback:             5.593,
			MaxSimIDF:            8.177,
			MaxSimLead:           2.144,
			Bigram:               1.138,
			PreviousBM25:         -3.378,
			PreviousCosine:       1.278,
			PreviousMaxSim:       0.170,
			NextCosine:           6.247,
			Session:              0.050,
			NamesAuthor:          0.006,
			Length:               -3.184,
			IsQuestion:           0.441,
			HasNumber:            0.031,
			HasName:              3.750,
		},
	}
}

func expert4() Expert {
	return Expert{
		Bias: 1.248,
		Gate: Context{
			Long:             0.628,
			Reach:            0.974,
			Lead:             -0.872,
			Foreign:          0.521,
			Alone:            1.593,
			English:          -0.522,
			BM25Reach:        0.619,
			Words:            -3.299,
			MultilingualLead: -0.012,
			ReachLead:        0.666,
			MaxSimReach:      0.675,
			Agreement:        -0.628,
			ForeignShare:     1.171,
			HasMultilingual:  -1.386,
			Coherence:        1.182,
		},
		Features: Features{
			BM25Absolute:   1.597,
			Coverage:       15.944,
			IsForeign:      -2.207,
			Bigram:         4.586,
			PreviousBM25:   -2.931,
			PreviousCosine: -2.113,
			PreviousMaxSim: -2.749,
			NextCosine:     -3.123,
			WindowGain:     0.003,
			Session:        0.532,
			NamesAuthor:    1.969,
			Length:         -4.291,
			IsQuestion:     -0.877,
			HasTime:        1.132,
			HasNumber:      2.193,
			HasName:        1.706,
		},
	}
}

func expert5() Expert {
	return Expert{
		Bias: -0.538,
		Gate: Context{
			Long:             -4.123,
			Reach:            0.400,
			Lead:             -0.142,
			Foreign:          0.580,
			Alone:            -0.291,
			English:          1.465,
			BM25Reach:        0.858,
			Words:            1.420,
			MultilingualLead: -0.355,
			ReachLead:        -0.549,
			MaxSimReach:      0.683,
			Agreement:        -0.477,
			ForeignShare:     -0.900,
			HasMultilingual:  -1.049,
			Coherence:        1.448,
		},
		Features: Features{
			CosineRelative:       4.578,
			CosineStandard:       0.562,
			MultilingualRelative: 1.377,
			IsForeign:            1.263,
			ForeignStandard:      0.002,
			Feedback:             0.398,
			MaxSim:               0.064,
			MaxSimRelative:       7.141,
			MaxSimIDF:            1.002,
			Bigram:               0.348,
			PreviousBM25:         1.753,
			PreviousCosine:       1.522,
			PreviousMaxSim:       -5.605,
			NextCosine:           -0.106,
			Reply:                2.529,
			PreviousGain:         5.002,
			WindowGain:           5.966,
			Session:              1.241,
			NamesAuthor:          1.467,
			Length:               9.805,
			IsQuestion:           -0.822,
			HasNumber:            0.711,
			HasName:              0.588,
		},
	}
}

func expert6() Expert {
	return Expert{
		Bias: -0.710,
		Gate: Context{
			Long:             0.451,
			Reach:            1.224,
			Lead:             1.016,
			Foreign:          0.194,
			Alone:            -0.882,
			English:          0.202,
			BM25Reach:        1.365,
			Words:            -0.412,
			MultilingualLead: 0.185,
			ReachLead:        -0.727,
			MaxSimReach:      0.255,
			Agreement:        0.794,
			ForeignShare:     -0.080,
			HasMultilingual:  -1.106,
			Coherence:        0.645,
		},
		Features: Features{
			BM25Absolute:   3.720,
			IsForeign:      0.878,
			Feedback:       1.359,
			MaxSimLead:     1.989,
			PreviousBM25:   0.305,
			PreviousCosine: -1.768,
			PreviousMaxSim: 0.844,
			NextCosine:     1.379,
			PreviousGain:   4.542,
			WindowGain:     1.348,
			Session:        3.881,
			NamesAuthor:    3.922,
			Length:         -5.084,
			IsQuestion:     0.450,
			HasTime:        3.668,
			HasNumber:      2.181,
			HasName:        5.401,
		},
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = 7.515

func baseWeights() Context {
	return Context{Long: 6.027, Reach: -2.212, Lead: -2.333, Foreign: -4.778, Alone: -2.024, English: -5.116, BM25Reach: -0.831, Words: -1.753, MultilingualLead: 0.074, ReachLead: 3.930, MaxSimReach: 1.299, Agreement: -0.278, ForeignShare: -0.683, HasMultilingual: 3.814, Coherence: -8.978}
}

package rank

// The weights of the reranker were fitted by tools/fit on the development halves.

// experts are those of [Rerank.Experts].
func experts() [NumExperts]Expert {
	return [NumExperts]Expert{expert1(), expert2(), expert3(), expert4(), expert5(), expert6()}
}

func expert1() Expert {
	return Expert{
		Bias: 0.185,
		Gate: Context{
			Long:             1.081,
			Reach:            0.014,
			Lead:             1.394,
			Foreign:          -0.684,
			Alone:            -1.840,
			English:          -1.530,
			BM25Reach:        1.392,
			Words:            -1.929,
			MultilingualLead: 0.380,
			ReachLead:        -0.145,
			MaxSimReach:      1.653,
			Agreement:        0.476,
			ForeignShare:     2.212,
			HasMultilingual:  0.033,
			Coherence:        1.021,
		},
		Features: Features{
			Coverage:             0.039,
			MultilingualRelative: 6.998,
			IsForeign:            -2.982,
			ForeignStandard:      2.800,
			Former:               2.204,
			Bigram:               2.696,
			PreviousBM25:         -2.006,
			PreviousCosine:       -1.542,
			PreviousMaxSim:       -0.426,
			NextCosine:           0.486,
			PreviousGain:         5.207,
			WindowGain:           6.992,
			Session:              4.253,
			NamesAuthor:          4.135,
			Length:               0.126,
			IsQuestion:           -0.135,
			HasTime:              3.411,
			HasNumber:            4.502,
		},
	}
}

func expert2() Expert {
	return Expert{
		Bias: -0.729,
		Gate: Context{
			Long:             -3.038,
			Reach:            0.244,
			Lead:             0.132,
			Foreign:          0.345,
			Alone:            0.370,
			English:          1.343,
			BM25Reach:        0.448,
			Words:            0.396,
			MultilingualLead: -0.001,
			ReachLead:        -0.421,
			MaxSimReach:      0.684,
			Agreement:        0.191,
			ForeignShare:     -1.404,
			HasMultilingual:  -0.639,
			Coherence:        0.969,
		},
		Features: Features{
			BM25Absolute:   0.030,
			Coverage:       0.624,
			Cosine:         2.247,
			CosineRelative: 1.829,
			IsForeign:      1.144,
			Feedback:       0.268,
			MaxSimRelative: 5.004,
			MaxSimIDF:      3.374,
			PreviousBM25:   3.710,
			PreviousCosine: 2.145,
			PreviousMaxSim: -7.020,
			NextCosine:     -0.063,
			Reply:          2.613,
			PreviousGain:   4.093,
			WindowGain:     5.746,
			Session:        2.062,
			NamesAuthor:    1.840,
			Length:         11.056,
			IsQuestion:     -0.866,
			HasTime:        0.189,
			HasNumber:      0.693,
			HasName:        4.667,
		},
	}
}

func expert3() Expert {
	return Expert{
		Bias: -1.295,
		Gate: Context{
			Long:             1.289,
			Reach:            0.505,
			Lead:             -0.425,
			Foreign:          -0.149,
			Alone:            0.401,
			English:          0.414,
			BM25Reach:        1.311,
			Words:            1.230,
			MultilingualLead: 0.040,
			ReachLead:        -1.272,
			MaxSimReach:      0.715,
			Agreement:        -0.061,
			ForeignShare:     -1.364,
			HasMultilingual:  -0.846,
			Coherence:        1.140,
		},
		Features: Features{
			BM25Absolute:    1.805,
			Cosine:          0.078,
			CosineRelative:  3.256,
			CosineStandard:  3.419,
			IsForeign:       0.325,
			ForeignStandard: 0.002,
			Feedback:        3.758,
			Former:          0.666,
			MaxSim:          0.002,
			MaxSimRelative:  1.698,
			MaxSimIDF:       2.973,
			MaxSimLead:      3.995,
			PreviousBM25:    0.517,
			PreviousCosine:  -0.204,
			PreviousMaxSim:  -0.392,
			NextCosine:      1.125,
			PreviousGain:    2.474,
			Session:         0.327,
			NamesAuthor:     0.285,
			Length:          -5.767,
			IsQuestion:      0.449,
			HasTime:         1.511,
			HasName:         0.608,
		},
	}
}

func expert4() Expert {
	return Expert{
		Bias: -0.997,
		Gate: Context{
			Long:             0.600,
			Reach:            -2.202,
			Lead:             -0.388,
			Foreign:          0.608,
			Alone:            0.413,
			English:          0.665,
			BM25Reach:        -0.942,
			Words:            0.776,
			MultilingualLead: 0.579,
			ReachLead:        0.586,
			MaxSimReach:      -1.972,
			Agreement:        -0.116,
			ForeignShare:     1.630,
			HasMultilingual:  1.085,
			Coherence:        0.870,
		},
		Features: Features{
			Coverage:             0.002,
			Multilingual:         3.781,
			MultilingualRelative: 7.915,
			MultilingualStandard: 3.453,
			IsForeign:            0.246,
			Feedback:             1.201,
			MaxSimRelative:       0.932,
			MaxSimIDF:            3.354,
			PreviousBM25:         -6.531,
			PreviousCosine:       0.179,
			PreviousMaxSim:       -1.659,
			NextCosine:           -0.839,
			Reply:                3.825,
			Session:              1.286,
			Length:               5.279,
			IsQuestion:           -2.559,
			HasTime:              1.019,
		},
	}
}

func expert5() Expert {
	return Expert{
		Bias: 1.463,
		Gate: Context{
			Long:             0.710,
			Reach:            1.235,
			Lead:             -1.534,
			Foreign:          0.509,
			Alone:            1.435,
			English:          -0.411,
			BM25Reach:        0.433,
			Words:            -3.117,
			MultilingualLead: -0.434,
			ReachLead:        0.547,
			MaxSimReach:      0.342,
			Agreement:        -0.696,
			ForeignShare:     0.952,
			HasMultilingual:  -1.159,
			Coherence:        0.994,
		},
		Features: Features{
			BM25Absolute:   10.911,
			Coverage:       14.277,
			IsForeign:      -1.031,
			Feedback:       0.006,
			MaxSimLead:     0.001,
			Bigram:         8.155,
			PreviousBM25:   -2.439,
			PreviousCosine: 0.882,
			PreviousMaxSim: 0.176,
			NextCosine:     1.927,
			PreviousGain:   1.779,
			WindowGain:     1.359,
			Session:        0.001,
			NamesAuthor:    2.885,
			Length:         -3.901,
			IsQuestion:     -0.961,
			HasTime:        0.069,
			HasName:        4.700,
		},
	}
}

func expert6() Expert {
	return Expert{
		Bias: 1.376,
		Gate: Context{
			Long:             -0.641,
			Reach:            0.198,
			Lead:             0.823,
			Foreign:          -0.632,
			Alone:            -0.778,
			English:          -0.460,
			BM25Reach:        -2.649,
			Words:            2.641,
			MultilingualLead: -0.565,
			ReachLead:        0.707,
			MaxSimReach:      -1.416,
			Agreement:        0.206,
			ForeignShare:     -2.025,
			HasMultilingual:  1.538,
			Coherence:        -4.992,
		},
		Features: Features{
			Cosine:               6.928,
			CosineRelative:       6.397,
			MultilingualRelative: 0.014,
			MultilingualStandard: 3.797,
			IsForeign:            -0.447,
			Feedback:             4.147,
			Current:              4.093,
			Former:               2.652,
			PreviousBM25:         2.065,
			PreviousCosine:       -1.957,
			PreviousMaxSim:       -3.877,
			NextCosine:           -1.858,
			Reply:                6.884,
			WindowGain:           2.354,
			Session:              2.059,
			NamesAuthor:          1.491,
			Length:               -17.044,
			IsQuestion:           -1.756,
			HasNumber:            6.684,
			HasName:              2.315,
		},
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = 7.765

func baseWeights() Context {
	return Context{Long: 6.314, Reach: -2.188, Lead: -3.019, Foreign: -4.416, Alone: -1.498, English: -6.605, BM25Reach: -0.194, Words: -0.307, MultilingualLead: 2.415, ReachLead: 1.973, MaxSimReach: 1.335, Agreement: -1.006, ForeignShare: -1.359, HasMultilingual: 1.559, Coherence: -6.721}
}

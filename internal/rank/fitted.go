package rank

// The weights of the reranker were fitted by tools/fit on the development halves.

// experts are those of [Rerank.Experts].
func experts() [NumExperts]Expert {
	return [NumExperts]Expert{expert1(), expert2(), expert3(), expert4(), expert5(), expert6()}
}

func expert1() Expert {
	return Expert{
		Bias: 1.921,
		Gate: Context{
			Long:             -0.053,
			Reach:            -0.654,
			Lead:             0.288,
			Foreign:          -1.160,
			Alone:            -1.243,
			English:          -1.497,
			BM25Reach:        -2.767,
			Words:            2.702,
			MultilingualLead: -0.959,
			ReachLead:        1.436,
			MaxSimReach:      -1.243,
			Agreement:        -0.057,
			ForeignShare:     -1.565,
			HasMultilingual:  2.739,
			Coherence:        -4.060,
		},
		Features: Features{
			CosineRelative:       6.258,
			CosineStandard:       1.620,
			MultilingualStandard: 6.358,
			IsForeign:            -0.283,
			Feedback:             3.690,
			PreviousBM25:         1.593,
			PreviousCosine:       -1.603,
			PreviousMaxSim:       -4.525,
			NextCosine:           -2.168,
			Reply:                8.575,
			WindowGain:           1.520,
			Session:              2.224,
			NamesAuthor:          0.885,
			Length:               -18.571,
			IsQuestion:           -2.284,
			HasNumber:            6.050,
			HasName:              1.725,
		},
	}
}

func expert2() Expert {
	return Expert{
		Bias: -1.071,
		Gate: Context{
			Long:             1.089,
			Reach:            -2.496,
			Lead:             -0.117,
			Foreign:          -0.002,
			Alone:            -0.183,
			English:          0.214,
			BM25Reach:        0.655,
			Words:            -1.509,
			MultilingualLead: 0.503,
			ReachLead:        0.780,
			MaxSimReach:      -0.447,
			Agreement:        0.012,
			ForeignShare:     3.326,
			HasMultilingual:  1.650,
			Coherence:        0.801,
		},
		Features: Features{
			Coverage:             2.099,
			Multilingual:         6.442,
			MultilingualRelative: 9.135,
			IsForeign:            -0.682,
			MaxSimRelative:       1.075,
			Bigram:               0.205,
			PreviousBM25:         0.052,
			PreviousCosine:       4.390,
			PreviousMaxSim:       -2.053,
			NextCosine:           -0.271,
			Reply:                0.002,
			Session:              0.033,
			NamesAuthor:          0.033,
			Length:               3.741,
			IsQuestion:           -1.480,
			HasTime:              1.722,
			HasNumber:            0.485,
			HasName:              0.209,
		},
	}
}

func expert3() Expert {
	return Expert{
		Bias: -0.928,
		Gate: Context{
			Long:             1.689,
			Reach:            0.660,
			Lead:             -0.131,
			Foreign:          -0.161,
			Alone:            0.940,
			English:          0.151,
			BM25Reach:        -0.510,
			Words:            1.366,
			MultilingualLead: 0.782,
			ReachLead:        -1.553,
			MaxSimReach:      -0.072,
			Agreement:        0.339,
			ForeignShare:     -2.018,
			HasMultilingual:  -0.920,
			Coherence:        0.047,
		},
		Features: Features{
			Cosine:               7.405,
			CosineRelative:       4.369,
			CosineStandard:       4.621,
			MultilingualStandard: 0.521,
			IsForeign:            -0.475,
			Feedback:             5.510,
			MaxSimIDF:            7.692,
			MaxSimLead:           2.753,
			Bigram:               0.486,
			PreviousBM25:         -1.529,
			PreviousCosine:       1.229,
			PreviousMaxSim:       0.671,
			NextCosine:           6.813,
			Session:              0.018,
			NamesAuthor:          0.001,
			Length:               -3.498,
			IsQuestion:           0.226,
			HasNumber:            0.196,
			HasName:              3.644,
		},
	}
}

func expert4() Expert {
	return Expert{
		Bias: 1.269,
		Gate: Context{
			Long:             0.664,
			Reach:            1.273,
			Lead:             -1.113,
			Foreign:          0.600,
			Alone:            1.534,
			English:          -0.448,
			BM25Reach:        0.384,
			Words:            -3.255,
			MultilingualLead: -0.162,
			ReachLead:        0.639,
			MaxSimReach:      0.660,
			Agreement:        -0.629,
			ForeignShare:     1.265,
			HasMultilingual:  -1.344,
			Coherence:        0.771,
		},
		Features: Features{
			BM25Absolute:   2.554,
			Coverage:       14.563,
			IsForeign:      -2.127,
			Bigram:         5.049,
			PreviousBM25:   0.009,
			PreviousCosine: -0.424,
			PreviousMaxSim: -0.796,
			NextCosine:     -1.892,
			PreviousGain:   0.006,
			WindowGain:     0.004,
			Session:        0.284,
			NamesAuthor:    1.991,
			Length:         -4.147,
			IsQuestion:     -0.943,
			HasTime:        1.055,
			HasNumber:      1.541,
			HasName:        2.185,
		},
	}
}

func expert5() Expert {
	return Expert{
		Bias: -0.509,
		Gate: Context{
			Long:             -3.906,
			Reach:            0.216,
			Lead:             0.022,
			Foreign:          0.482,
			Alone:            -0.240,
			English:          1.469,
			BM25Reach:        0.785,
			Words:            1.125,
			MultilingualLead: -0.299,
			ReachLead:        -0.480,
			MaxSimReach:      0.723,
			Agreement:        -0.384,
			ForeignShare:     -0.860,
			HasMultilingual:  -0.990,
			Coherence:        1.546,
		},
		Features: Features{
			CosineRelative:       4.792,
			CosineStandard:       0.165,
			MultilingualRelative: 1.277,
			IsForeign:            1.504,
			ForeignStandard:      0.003,
			Feedback:             0.662,
			MaxSim:               0.052,
			MaxSimRelative:       6.925,
			MaxSimIDF:            1.402,
			Bigram:               0.338,
			PreviousBM25:         1.790,
			PreviousCosine:       1.488,
			PreviousMaxSim:       -5.825,
			NextCosine:           -0.273,
			Reply:                2.520,
			PreviousGain:         5.185,
			WindowGain:           6.037,
			Session:              1.291,
			NamesAuthor:          1.539,
			Length:               10.106,
			IsQuestion:           -0.800,
			HasNumber:            0.888,
			HasName:              0.875,
		},
	}
}

func expert6() Expert {
	return Expert{
		Bias: -0.679,
		Gate: Context{
			Long:             0.516,
			Reach:            1.003,
			Lead:             1.052,
			Foreign:          0.237,
			Alone:            -0.806,
			English:          0.108,
			BM25Reach:        1.454,
			Words:            -0.414,
			MultilingualLead: 0.129,
			ReachLead:        -0.824,
			MaxSimReach:      0.378,
			Agreement:        0.720,
			ForeignShare:     -0.143,
			HasMultilingual:  -1.136,
			Coherence:        0.896,
		},
		Features: Features{
			BM25Absolute:   4.088,
			IsForeign:      0.340,
			Feedback:       0.586,
			MaxSimLead:     1.824,
			PreviousBM25:   -0.244,
			PreviousCosine: -2.036,
			PreviousMaxSim: 0.862,
			NextCosine:     1.253,
			PreviousGain:   3.791,
			WindowGain:     1.250,
			Session:        3.940,
			NamesAuthor:    3.632,
			Length:         -5.236,
			IsQuestion:     0.406,
			HasTime:        3.713,
			HasNumber:      1.986,
			HasName:        4.587,
		},
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = 7.272

func baseWeights() Context {
	return Context{Long: 6.389, Reach: -1.874, Lead: -2.360, Foreign: -4.633, Alone: -2.073, English: -5.097, BM25Reach: -0.912, Words: -1.268, MultilingualLead: -0.342, ReachLead: 3.612, MaxSimReach: 1.076, Agreement: -0.271, ForeignShare: -0.643, HasMultilingual: 3.943, Coherence: -9.161}
}

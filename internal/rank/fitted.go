package rank

// The weights of the reranker were fitted by tools/fit on the development halves.

// experts are those of [Rerank.Experts].
func experts() [NumExperts]Expert {
	return [NumExperts]Expert{expert1(), expert2(), expert3(), expert4(), expert5(), expert6(), expert7(), expert8()}
}

func expert1() Expert {
	return Expert{
		Bias: -0.235,
		Base: -0.614,
		Gate: Context{
			Reach:            -0.236,
			Lead:             0.978,
			English:          0.246,
			BM25Reach:        -0.600,
			Words:            -0.965,
			MultilingualLead: 0.332,
			MaxSimReach:      1.099,
			HasMultilingual:  0.367,
			Unread:           -0.899,
			Coherence:        -0.359,
		},
		Kind: Kind{
			KindForeign:  -0.595,
			KindCrossing: 0.045,
			KindTurn:     -0.359,
			KindLong:     -1.089,
			KindCode:     0.074,
		},
		Features: Features{
			IsForeign:    0.104,
			Timely:       0.006,
			MaxSim:       0.001,
			MaxSimIDF:    0.001,
			Code:         6.710,
			IsCode:       -0.164,
			Reply:        16.402,
			PreviousGain: 0.019,
			WindowGain:   0.710,
			Session:      2.396,
			NamesAuthor:  0.124,
			Length:       -0.749,
			HasDetail:    0.253,
		},
	}
}

func expert2() Expert {
	return Expert{
		Bias: 0.036,
		Base: 1.807,
		Gate: Context{
			Reach:            1.013,
			Lead:             0.337,
			English:          1.236,
			BM25Reach:        1.240,
			Words:            -0.712,
			MultilingualLead: -0.279,
			MaxSimReach:      0.939,
			HasMultilingual:  -1.764,
			Unread:           0.692,
			Coherence:        2.267,
		},
		Kind: Kind{
			KindForeign:  1.313,
			KindCrossing: -0.700,
			KindTurn:     2.267,
			KindLong:     -1.442,
			KindCode:     1.626,
		},
		Features: Features{
			BM25Absolute:   1.422,
			CosineStandard: 4.726,
			IsForeign:      -0.051,
			MaxSim:         3.812,
			MaxSimIDF:      2.575,
			Code:           6.876,
			IsCode:         -3.689,
			Reply:          0.139,
			PreviousGain:   0.874,
			WindowGain:     3.005,
			Session:        4.433,
			NamesAuthor:    1.163,
			Length:         4.174,
			HasDetail:      1.550,
		},
	}
}

func expert3() Expert {
	return Expert{
		Bias: -0.610,
		Base: -0.368,
		Gate: Context{
			Reach:            -0.237,
			Lead:             0.457,
			English:          -0.258,
			BM25Reach:        -0.498,
			Words:            -0.888,
			MultilingualLead: 0.067,
			MaxSimReach:      0.461,
			HasMultilingual:  -0.177,
			Unread:           -0.679,
			Coherence:        -0.278,
		},
		Kind: Kind{
			KindForeign:  -0.418,
			KindCrossing: 0.021,
			KindTurn:     -0.278,
			KindLong:     -0.739,
			KindCode:     -0.070,
		},
		Features: Features{
			IsForeign:    0.012,
			Timely:       0.003,
			MaxSim:       0.001,
			MaxSimIDF:    0.001,
			Code:         3.342,
			IsCode:       -0.031,
			Reply:        7.107,
			PreviousGain: 0.057,
			WindowGain:   0.464,
			Session:      1.238,
			NamesAuthor:  0.102,
			Length:       -0.117,
			HasDetail:    0.074,
		},
	}
}

func expert4() Expert {
	return Expert{
		Bias: 1.150,
		Base: -0.000,
		Gate: Context{
			Reach:            2.730,
			Lead:             -0.987,
			English:          -1.526,
			BM25Reach:        2.232,
			Words:            -3.225,
			MultilingualLead: -0.353,
			MaxSimReach:      1.064,
			HasMultilingual:  -1.189,
			Unread:           3.344,
			Coherence:        1.045,
		},
		Kind: Kind{
			KindForeign:  0.361,
			KindCrossing: 1.514,
			KindTurn:     1.045,
			KindLong:     4.985,
			KindCode:     0.163,
		},
		Features: Features{
			Coverage:             11.415,
			MultilingualStandard: 7.763,
			IsForeign:            -0.460,
			Timely:               1.360,
			MaxSimIDF:            1.134,
			IsCode:               -1.416,
			PreviousGain:         2.281,
			WindowGain:           9.983,
			NamesAuthor:          6.631,
			Length:               -2.876,
			HasDetail:            1.366,
		},
	}
}

func expert5() Expert {
	return Expert{
		Bias: 0.418,
		Base: 0.019,
		Gate: Context{
			Reach:            -3.031,
			Lead:             -0.601,
			English:          -0.950,
			BM25Reach:        -0.260,
			Words:            3.100,
			MultilingualLead: 1.189,
			MaxSimReach:      -3.120,
			HasMultilingual:  1.485,
			Unread:           0.381,
			Coherence:        0.029,
		},
		Kind: Kind{
			KindForeign:  2.357,
			KindCrossing: -0.879,
			KindTurn:     0.029,
			KindLong:     -0.806,
			KindCode:     -0.500,
		},
		Features: Features{
			Cosine:               2.755,
			Multilingual:         2.203,
			MultilingualStandard: 16.463,
			IsForeign:            -0.893,
			Feedback:             2.447,
			MaxSimIDF:            0.022,
			IsCode:               -0.662,
			Reply:                7.784,
			Session:              2.004,
			Length:               3.586,
			HasDetail:            0.330,
		},
	}
}

func expert6() Expert {
	return Expert{
		Bias: -0.563,
		Base: -0.410,
		Gate: Context{
			Reach:            -0.246,
			Lead:             0.543,
			English:          -0.188,
			BM25Reach:        -0.528,
			Words:            -0.916,
			MultilingualLead: 0.108,
			MaxSimReach:      0.559,
			HasMultilingual:  -0.099,
			Unread:           -0.721,
			Coherence:        -0.296,
		},
		Kind: Kind{
			KindForeign:  -0.448,
			KindCrossing: 0.026,
			KindTurn:     -0.296,
			KindLong:     -0.807,
			KindCode:     -0.064,
		},
		Features: Features{
			IsForeign:    0.020,
			Timely:       0.004,
			MaxSim:       0.002,
			MaxSimIDF:    0.001,
			Code:         3.425,
			IsCode:       -0.044,
			Reply:        8.306,
			PreviousGain: 0.050,
			WindowGain:   0.486,
			Session:      1.410,
			NamesAuthor:  0.114,
			Length:       -0.181,
			HasDetail:    0.095,
		},
	}
}

func expert7() Expert {
	return Expert{
		Bias: -0.360,
		Base: 2.671,
		Gate: Context{
			Reach:            1.001,
			Lead:             -0.532,
			English:          0.377,
			BM25Reach:        -1.623,
			Words:            2.562,
			MultilingualLead: -0.793,
			MaxSimReach:      -0.747,
			HasMultilingual:  1.461,
			Unread:           -2.343,
			Coherence:        -1.152,
		},
		Kind: Kind{
			KindForeign:  0.149,
			KindCrossing: -0.197,
			KindTurn:     -1.152,
			KindLong:     -7.793,
			KindCode:     0.291,
		},
		Features: Features{
			CosineStandard:       21.968,
			MultilingualStandard: 3.352,
			IsForeign:            -0.109,
			Timely:               12.227,
			Code:                 10.277,
			IsCode:               -0.186,
			Reply:                11.709,
			WindowGain:           0.025,
			Session:              12.938,
			Length:               2.883,
			HasDetail:            4.450,
		},
	}
}

func expert8() Expert {
	return Expert{
		Bias: 0.178,
		Base: -3.104,
		Gate: Context{
			Reach:            -0.992,
			Lead:             -0.195,
			English:          1.062,
			BM25Reach:        0.039,
			Words:            1.043,
			MultilingualLead: -0.270,
			MaxSimReach:      -0.255,
			HasMultilingual:  -0.085,
			Unread:           0.224,
			Coherence:        -1.255,
		},
		Kind: Kind{
			KindForeign:  -2.718,
			KindCrossing: 0.169,
			KindTurn:     -1.255,
			KindLong:     7.690,
			KindCode:     -1.520,
		},
		Features: Features{
			Cosine:       12.067,
			IsForeign:    0.261,
			Feedback:     14.077,
			MaxSim:       5.375,
			MaxSimIDF:    4.452,
			Code:         2.708,
			IsCode:       -1.534,
			PreviousGain: 5.431,
			WindowGain:   4.609,
			NamesAuthor:  6.918,
			Length:       -4.667,
		},
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = -0.830

func baseWeights() Context {
	return Context{Reach: 0.090, Lead: 0.040, English: -0.320, BM25Reach: 0.130, Words: -0.140, MultilingualLead: 0.120, MaxSimReach: 0.190, HasMultilingual: 0.170, Unread: 0.470, Coherence: -0.230}
}

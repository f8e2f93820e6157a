package rank

// The weights of the reranker were fitted by lab/fit on the development halves.

// experts are those of [Rerank.Experts].
func experts() [NumExperts]Expert {
	return [NumExperts]Expert{expert1(), expert2(), expert3(), expert4(), expert5(), expert6(), expert7(), expert8()}
}

func expert1() Expert {
	return Expert{
		Bias: -0.282,
		Base: 0.808,
		Gate: Context{
			Reach:            0.113,
			Lead:             1.768,
			English:          1.451,
			BM25Reach:        0.757,
			Words:            -2.503,
			MultilingualLead: -0.252,
			MaxSimReach:      2.494,
			HasMultilingual:  -0.679,
			Unread:           -0.649,
			Coherence:        1.499,
			Verbatim:         -0.008,
		},
		Kind: Kind{
			KindForeign:  0.328,
			KindCrossing: -0.385,
			KindTurn:     1.499,
			KindLong:     -1.752,
			KindCode:     1.226,
		},
		Features: Features{
			CosineStandard: 5.896,
			IsForeign:      0.423,
			Feedback:       0.257,
			MaxSimIDF:      2.820,
			Code:           9.736,
			IsCode:         -3.885,
			Reply:          0.985,
			PreviousGain:   0.378,
			WindowGain:     3.823,
			Session:        7.591,
			NamesAuthor:    1.656,
			Length:         6.242,
			HasDetail:      2.028,
		},
	}
}

func expert2() Expert {
	return Expert{
		Bias: 0.323,
		Base: 1.181,
		Gate: Context{
			Reach:            -0.125,
			Lead:             -1.793,
			English:          1.481,
			BM25Reach:        0.704,
			Words:            0.275,
			MultilingualLead: -0.020,
			MaxSimReach:      0.040,
			HasMultilingual:  -1.337,
			Unread:           2.411,
			Coherence:        1.803,
			Verbatim:         0.002,
		},
		Kind: Kind{
			KindForeign:  0.445,
			KindCrossing: -0.108,
			KindTurn:     1.803,
			KindLong:     -0.335,
			KindCode:     0.794,
		},
		Features: Features{
			BM25Absolute:         5.132,
			CosineStandard:       1.763,
			MultilingualStandard: 0.015,
			IsForeign:            0.002,
			MaxSim:               11.347,
			MaxSimIDF:            2.315,
			IsCode:               -1.046,
			NamesAuthor:          0.190,
			Length:               3.176,
		},
	}
}

func expert3() Expert {
	return Expert{
		Bias: -0.598,
		Base: -0.044,
		Gate: Context{
			Reach:            -0.133,
			Lead:             -0.149,
			English:          -0.537,
			BM25Reach:        -0.268,
			Words:            -0.435,
			MultilingualLead: -0.186,
			MaxSimReach:      -0.163,
			HasMultilingual:  -0.486,
			Unread:           -0.191,
			Coherence:        -0.028,
		},
		Kind: Kind{
			KindForeign:  -0.227,
			KindCrossing: -0.039,
			KindTurn:     -0.028,
			KindLong:     -0.063,
			KindCode:     -0.165,
		},
		Features: Features{
			IsForeign:    0.018,
			Code:         0.688,
			IsCode:       0.022,
			Reply:        1.128,
			PreviousGain: 0.015,
			WindowGain:   0.093,
			Session:      0.072,
			NamesAuthor:  0.049,
			Length:       -0.057,
			HasDetail:    0.001,
		},
	}
}

func expert4() Expert {
	return Expert{
		Bias: 1.374,
		Base: -0.778,
		Gate: Context{
			Reach:            3.229,
			Lead:             0.095,
			English:          -2.331,
			BM25Reach:        2.377,
			Words:            -3.312,
			MultilingualLead: -0.388,
			MaxSimReach:      0.389,
			HasMultilingual:  -0.516,
			Unread:           2.584,
			Coherence:        0.906,
			Verbatim:         0.005,
		},
		Kind: Kind{
			KindForeign:  0.425,
			KindCrossing: 1.303,
			KindTurn:     0.906,
			KindLong:     4.271,
			KindCode:     0.067,
		},
		Features: Features{
			BM25Absolute:         0.878,
			Coverage:             10.059,
			Multilingual:         0.003,
			MultilingualStandard: 8.412,
			IsForeign:            -0.796,
			Timely:               1.620,
			MaxSimIDF:            0.146,
			IsCode:               -1.558,
			PreviousGain:         1.571,
			WindowGain:           7.891,
			NamesAuthor:          8.240,
			Length:               -1.647,
			HasDetail:            0.692,
		},
	}
}

func expert5() Expert {
	return Expert{
		Bias: 0.320,
		Base: -0.010,
		Gate: Context{
			Reach:            -3.388,
			Lead:             -0.329,
			English:          -1.098,
			BM25Reach:        -0.837,
			Words:            3.483,
			MultilingualLead: 1.252,
			MaxSimReach:      -2.910,
			HasMultilingual:  2.040,
			Unread:           -0.313,
			Coherence:        -0.606,
		},
		Kind: Kind{
			KindForeign:  2.306,
			KindCrossing: -0.609,
			KindTurn:     -0.606,
			KindLong:     -1.120,
			KindCode:     -0.412,
		},
		Features: Features{
			Cosine:               6.169,
			Multilingual:         1.127,
			MultilingualStandard: 17.204,
			IsForeign:            -1.076,
			Feedback:             0.428,
			IsCode:               -1.960,
			Reply:                11.769,
			WindowGain:           0.031,
			Session:              1.799,
			Length:               3.036,
			HasDetail:            0.442,
		},
	}
}

func expert6() Expert {
	return Expert{
		Bias: -0.599,
		Base: -0.044,
		Gate: Context{
			Reach:            -0.133,
			Lead:             -0.149,
			English:          -0.537,
			BM25Reach:        -0.268,
			Words:            -0.435,
			MultilingualLead: -0.186,
			MaxSimReach:      -0.163,
			HasMultilingual:  -0.486,
			Unread:           -0.191,
			Coherence:        -0.028,
		},
		Kind: Kind{
			KindForeign:  -0.226,
			KindCrossing: -0.039,
			KindTurn:     -0.028,
			KindLong:     -0.063,
			KindCode:     -0.165,
		},
		Features: Features{
			IsForeign:    0.018,
			Code:         0.679,
			IsCode:       0.022,
			Reply:        1.096,
			PreviousGain: 0.013,
			WindowGain:   0.094,
			Session:      0.066,
			NamesAuthor:  0.051,
			Length:       -0.057,
			HasDetail:    0.001,
		},
	}
}

func expert7() Expert {
	return Expert{
		Bias: -0.631,
		Base: 2.527,
		Gate: Context{
			Reach:            1.436,
			Lead:             0.230,
			English:          0.302,
			BM25Reach:        -2.398,
			Words:            2.031,
			MultilingualLead: -0.072,
			MaxSimReach:      0.195,
			HasMultilingual:  1.412,
			Unread:           -3.111,
			Coherence:        -1.566,
		},
		Kind: Kind{
			KindForeign:  0.135,
			KindCrossing: -0.183,
			KindTurn:     -1.566,
			KindLong:     -7.786,
			KindCode:     0.063,
		},
		Features: Features{
			CosineStandard:       16.821,
			MultilingualStandard: 1.907,
			IsForeign:            0.650,
			Timely:               11.493,
			Code:                 20.318,
			IsCode:               0.356,
			Reply:                11.584,
			Session:              12.514,
			Length:               3.077,
			HasDetail:            4.279,
		},
	}
}

func expert8() Expert {
	return Expert{
		Bias: 0.107,
		Base: -3.639,
		Gate: Context{
			Reach:            -0.999,
			Lead:             0.326,
			English:          1.269,
			BM25Reach:        -0.067,
			Words:            0.896,
			MultilingualLead: -0.148,
			MaxSimReach:      0.118,
			HasMultilingual:  0.054,
			Unread:           -0.541,
			Coherence:        -1.978,
		},
		Kind: Kind{
			KindForeign:  -3.187,
			KindCrossing: 0.060,
			KindTurn:     -1.978,
			KindLong:     6.848,
			KindCode:     -1.408,
		},
		Features: Features{
			Cosine:       17.119,
			IsForeign:    0.236,
			Feedback:     8.969,
			MaxSim:       4.166,
			MaxSimIDF:    3.420,
			Code:         8.128,
			IsCode:       -3.183,
			PreviousGain: 6.223,
			WindowGain:   6.925,
			NamesAuthor:  2.801,
			Length:       -4.087,
		},
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = -0.981

func baseWeights() Context {
	return Context{Reach: 0.029, Lead: 0.030, English: -0.391, BM25Reach: 0.136, Words: -0.070, MultilingualLead: 0.114, MaxSimReach: 0.134, HasMultilingual: 0.134, Unread: 0.446, Coherence: -0.214, Verbatim: 0.001}
}

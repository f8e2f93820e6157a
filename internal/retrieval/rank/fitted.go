package rank

// The weights of the reranker were fitted by lab/fit on the development halves. In the tables each expert has a column.

// experts are those of [Rerank.Experts].
func experts() (out [NumExperts]Expert) {
	bias := [NumExperts]float64{-0.282, 0.323, -0.598, 1.374, 0.320, -0.599, -0.631, 0.107}
	base := [NumExperts]float64{0.808, 1.181, -0.044, -0.778, -0.010, -0.044, 2.527, -3.639}
	gates := [NumContext][NumExperts]float64{
		Reach:            {0.113, -0.125, -0.133, 3.229, -3.388, -0.133, 1.436, -0.999},
		Lead:             {1.768, -1.793, -0.149, 0.095, -0.329, -0.149, 0.230, 0.326},
		English:          {1.451, 1.481, -0.537, -2.331, -1.098, -0.537, 0.302, 1.269},
		BM25Reach:        {0.757, 0.704, -0.268, 2.377, -0.837, -0.268, -2.398, -0.067},
		Words:            {-2.503, 0.275, -0.435, -3.312, 3.483, -0.435, 2.031, 0.896},
		MultilingualLead: {-0.252, -0.020, -0.186, -0.388, 1.252, -0.186, -0.072, -0.148},
		MaxSimReach:      {2.494, 0.040, -0.163, 0.389, -2.910, -0.163, 0.195, 0.118},
		HasMultilingual:  {-0.679, -1.337, -0.486, -0.516, 2.040, -0.486, 1.412, 0.054},
		Unread:           {-0.649, 2.411, -0.191, 2.584, -0.313, -0.191, -3.111, -0.541},
		Coherence:        {1.499, 1.803, -0.028, 0.906, -0.606, -0.028, -1.566, -1.978},
		Verbatim:         {-0.008, 0.002, 0, 0.005, 0, 0, 0, 0},
	}
	kinds := [NumKinds][NumExperts]float64{
		KindForeign:  {0.328, 0.445, -0.227, 0.425, 2.306, -0.226, 0.135, -3.187},
		KindCrossing: {-0.385, -0.108, -0.039, 1.303, -0.609, -0.039, -0.183, 0.060},
		KindTurn:     {1.499, 1.803, -0.028, 0.906, -0.606, -0.028, -1.566, -1.978},
		KindLong:     {-1.752, -0.335, -0.063, 4.271, -1.120, -0.063, -7.786, 6.848},
		KindCode:     {1.226, 0.794, -0.165, 0.067, -0.412, -0.165, 0.063, -1.408},
	}
	features := expertFeatures()
	for i := range out {
		e := &out[i]
		e.Bias, e.Base = bias[i], base[i]
		for k := range gates {
			e.Gate[k] = gates[k][i]
		}
		for k := range kinds {
			e.Kind[k] = kinds[k][i]
		}
		for k := range features {
			e.Features[k] = features[k][i]
		}
	}
	return out
}

// expertFeatures are [Expert.Features].
func expertFeatures() [NumFeatures][NumExperts]float64 {
	return [NumFeatures][NumExperts]float64{
		BM25Absolute:         {0, 5.132, 0, 0.878, 0, 0, 0, 0},
		Coverage:             {0, 0, 0, 10.059, 0, 0, 0, 0},
		Cosine:               {0, 0, 0, 0, 6.169, 0, 0, 17.119},
		CosineStandard:       {5.896, 1.763, 0, 0, 0, 0, 16.821, 0},
		Multilingual:         {0, 0, 0, 0.003, 1.127, 0, 0, 0},
		MultilingualStandard: {0, 0.015, 0, 8.412, 17.204, 0, 1.907, 0},
		IsForeign:            {0.423, 0.002, 0.018, -0.796, -1.076, 0.018, 0.650, 0.236},
		Feedback:             {0.257, 0, 0, 0, 0.428, 0, 0, 8.969},
		Timely:               {0, 0, 0, 1.620, 0, 0, 11.493, 0},
		MaxSim:               {0, 11.347, 0, 0, 0, 0, 0, 4.166},
		MaxSimIDF:            {2.820, 2.315, 0, 0.146, 0, 0, 0, 3.420},
		Code:                 {9.736, 0, 0.688, 0, 0, 0.679, 20.318, 8.128},
		IsCode:               {-3.885, -1.046, 0.022, -1.558, -1.960, 0.022, 0.356, -3.183},
		Reply:                {0.985, 0, 1.128, 0, 11.769, 1.096, 11.584, 0},
		PreviousGain:         {0.378, 0, 0.015, 1.571, 0, 0.013, 0, 6.223},
		WindowGain:           {3.823, 0, 0.093, 7.891, 0.031, 0.094, 0, 6.925},
		Session:              {7.591, 0, 0.072, 0, 1.799, 0.066, 12.514, 0},
		NamesAuthor:          {1.656, 0.190, 0.049, 8.240, 0, 0.051, 0, 2.801},
		Length:               {6.242, 3.176, -0.057, -1.647, 3.036, -0.057, 3.077, -4.087},
		HasDetail:            {2.028, 0, 0.001, 0.692, 0.442, 0.001, 4.279, 0},
	}
}

// baseWeight is that of [Rerank.Base], baseWeights of [Rerank.BaseBy].
const baseWeight = -0.981

func baseWeights() Context {
	return Context{Reach: 0.029, Lead: 0.030, English: -0.391, BM25Reach: 0.136, Words: -0.070, MultilingualLead: 0.114, MaxSimReach: 0.134, HasMultilingual: 0.134, Unread: 0.446, Coherence: -0.214, Verbatim: 0.001}
}

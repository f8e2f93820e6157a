package rank

import "github.com/hippo-memory/hippo"

// evidenceWeights are those of [Weights.Evidence]. Source: tools/fit on the development
// halves.
func evidenceWeights() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceStrength:          2.329,
		hippo.EvidenceCosine:            0.872,
		hippo.EvidenceCosineBest:        1.990,
		hippo.EvidenceFeedback:          3.608,
		hippo.EvidenceInteraction:       0.000,
		hippo.EvidenceInteractionBest:   3.702,
		hippo.EvidenceRare:              3.375,
		hippo.EvidenceLead:              0.100,
		hippo.EvidencePhrase:            0.711,
		hippo.EvidenceBeforeShare:       1.193,
		hippo.EvidenceBeforeCosine:      0.567,
		hippo.EvidenceBeforeInteraction: -3.200,
		hippo.EvidenceAfterCosine:       0.333,
		hippo.EvidenceReply:             1.765,
		hippo.EvidenceCompleted:         1.269,
		hippo.EvidenceAround:            5.444,
		hippo.EvidenceSession:           1.834,
		hippo.EvidenceNamed:             1.545,
		hippo.EvidenceLength:            1.472,
		hippo.EvidenceAsks:              -0.566,
		hippo.EvidenceTellsTime:         0.787,
		hippo.EvidenceTellsNumber:       0.943,
		hippo.EvidenceTellsName:         1.279,
	}
}

// evidenceLong are those of [Weights.EvidenceLong].
func evidenceLong() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceStrength:          0.019,
		hippo.EvidenceCosine:            -0.290,
		hippo.EvidenceCosineBest:        0.708,
		hippo.EvidenceFeedback:          -0.824,
		hippo.EvidenceInteraction:       -0.000,
		hippo.EvidenceInteractionBest:   -0.463,
		hippo.EvidenceRare:              -1.125,
		hippo.EvidenceLead:              1.010,
		hippo.EvidencePhrase:            -0.116,
		hippo.EvidenceBeforeShare:       -0.559,
		hippo.EvidenceBeforeCosine:      -0.644,
		hippo.EvidenceBeforeInteraction: 1.106,
		hippo.EvidenceAfterCosine:       0.381,
		hippo.EvidenceReply:             -0.588,
		hippo.EvidenceCompleted:         0.590,
		hippo.EvidenceAround:            -1.513,
		hippo.EvidenceSession:           0.275,
		hippo.EvidenceNamed:             0.373,
		hippo.EvidenceLength:            -1.619,
		hippo.EvidenceAsks:              0.246,
		hippo.EvidenceTellsTime:         0.482,
		hippo.EvidenceTellsNumber:       -0.090,
		hippo.EvidenceTellsName:         -0.016,
	}
}

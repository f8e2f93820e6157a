package rank

import "github.com/hippo-memory/hippo"

// evidenceWeights are those of [Weights.Evidence]. Source: tools/fit on the development
// halves.
func evidenceWeights() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceStrength:          2.409,
		hippo.EvidenceCosine:            2.246,
		hippo.EvidenceCosineBest:        0.927,
		hippo.EvidenceFeedback:          2.515,
		hippo.EvidenceInteraction:       4.850,
		hippo.EvidenceInteractionBest:   3.441,
		hippo.EvidenceSharp:             -5.226,
		hippo.EvidenceRare:              5.904,
		hippo.EvidenceLead:              -0.169,
		hippo.EvidencePhrase:            0.994,
		hippo.EvidenceBeforeShare:       1.360,
		hippo.EvidenceBeforeCosine:      1.057,
		hippo.EvidenceBeforeInteraction: -3.794,
		hippo.EvidenceAfterCosine:       -0.068,
		hippo.EvidenceReply:             1.855,
		hippo.EvidenceCompleted:         2.968,
		hippo.EvidenceAround:            6.396,
		hippo.EvidenceSession:           1.314,
		hippo.EvidenceNamed:             1.942,
		hippo.EvidenceLength:            0.715,
		hippo.EvidenceAsks:              -0.610,
		hippo.EvidenceTellsTime:         1.369,
		hippo.EvidenceTellsNumber:       1.379,
	}
}

// evidenceLong are those of [Weights.EvidenceLong].
func evidenceLong() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceStrength:          -0.075,
		hippo.EvidenceCosine:            -1.439,
		hippo.EvidenceCosineBest:        1.501,
		hippo.EvidenceFeedback:          -0.796,
		hippo.EvidenceInteraction:       -2.171,
		hippo.EvidenceInteractionBest:   2.037,
		hippo.EvidenceSharp:             -0.098,
		hippo.EvidenceRare:              -2.556,
		hippo.EvidenceLead:              1.067,
		hippo.EvidencePhrase:            0.168,
		hippo.EvidenceBeforeShare:       -0.478,
		hippo.EvidenceBeforeCosine:      -0.673,
		hippo.EvidenceBeforeInteraction: 1.156,
		hippo.EvidenceAfterCosine:       0.344,
		hippo.EvidenceReply:             -0.644,
		hippo.EvidenceCompleted:         -0.121,
		hippo.EvidenceAround:            -1.964,
		hippo.EvidenceSession:           0.659,
		hippo.EvidenceNamed:             0.270,
		hippo.EvidenceLength:            -1.612,
		hippo.EvidenceAsks:              0.243,
		hippo.EvidenceTellsTime:         0.131,
		hippo.EvidenceTellsNumber:       -0.181,
	}
}

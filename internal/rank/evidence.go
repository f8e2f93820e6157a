package rank

import "github.com/hippo-memory/hippo"

// evidenceWeights are those of [Weights.Evidence]. Source: tools/fit on the development
// halves.
func evidenceWeights() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceShare:             0.256,
		hippo.EvidenceStrength:          1.340,
		hippo.EvidenceExact:             2.271,
		hippo.EvidenceCosine:            0.507,
		hippo.EvidenceCosineBest:        1.209,
		hippo.EvidenceFeedback:          2.425,
		hippo.EvidenceInteraction:       5.579,
		hippo.EvidenceInteractionBest:   3.866,
		hippo.EvidenceSharp:             -7.867,
		hippo.EvidenceRare:              6.904,
		hippo.EvidenceLead:              -0.054,
		hippo.EvidencePhrase:            0.598,
		hippo.EvidenceBeforeShare:       1.370,
		hippo.EvidenceBeforeCosine:      1.017,
		hippo.EvidenceBeforeInteraction: -3.507,
		hippo.EvidenceAfterCosine:       -0.128,
		hippo.EvidenceReply:             1.864,
		hippo.EvidenceCompleted:         2.567,
		hippo.EvidenceAround:            7.122,
		hippo.EvidenceSession:           0.997,
		hippo.EvidenceNamed:             2.048,
		hippo.EvidenceLength:            -0.117,
		hippo.EvidenceAsks:              -0.665,
		hippo.EvidenceTellsTime:         1.283,
		hippo.EvidenceTellsNumber:       1.405,
	}
}

// evidenceLong are those of [Weights.EvidenceLong].
func evidenceLong() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceShare:             0.684,
		hippo.EvidenceStrength:          -0.189,
		hippo.EvidenceExact:             -1.719,
		hippo.EvidenceCosine:            -3.311,
		hippo.EvidenceCosineBest:        2.934,
		hippo.EvidenceFeedback:          -0.722,
		hippo.EvidenceInteraction:       -1.688,
		hippo.EvidenceInteractionBest:   0.710,
		hippo.EvidenceSharp:             1.747,
		hippo.EvidenceRare:              -3.013,
		hippo.EvidenceLead:              0.987,
		hippo.EvidencePhrase:            0.629,
		hippo.EvidenceBeforeShare:       -0.479,
		hippo.EvidenceBeforeCosine:      -0.820,
		hippo.EvidenceBeforeInteraction: 1.198,
		hippo.EvidenceAfterCosine:       0.418,
		hippo.EvidenceReply:             -0.660,
		hippo.EvidenceCompleted:         -0.051,
		hippo.EvidenceAround:            -2.189,
		hippo.EvidenceSession:           0.836,
		hippo.EvidenceNamed:             0.322,
		hippo.EvidenceLength:            -1.258,
		hippo.EvidenceAsks:              0.244,
		hippo.EvidenceTellsTime:         0.211,
		hippo.EvidenceTellsNumber:       -0.262,
	}
}

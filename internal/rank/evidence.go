package rank

import "github.com/hippo-memory/hippo"

// evidenceWeights are those of [Weights.Evidence]. Source: tools/fit on the development
// halves.
func evidenceWeights() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceStrength:          1.860,
		hippo.EvidenceCosine:            1.858,
		hippo.EvidenceCosineBest:        1.299,
		hippo.EvidenceFeedback:          2.474,
		hippo.EvidenceInteraction:       0.000,
		hippo.EvidenceInteractionBest:   3.568,
		hippo.EvidenceRare:              4.930,
		hippo.EvidenceLead:              0.000,
		hippo.EvidencePhrase:            0.543,
		hippo.EvidenceBeforeShare:       1.382,
		hippo.EvidenceBeforeCosine:      1.061,
		hippo.EvidenceBeforeInteraction: -3.756,
		hippo.EvidenceAfterCosine:       -0.016,
		hippo.EvidenceReply:             1.907,
		hippo.EvidenceCompleted:         2.884,
		hippo.EvidenceAround:            6.574,
		hippo.EvidenceSession:           1.224,
		hippo.EvidenceNamed:             1.860,
		hippo.EvidenceLength:            1.377,
		hippo.EvidenceAsks:              -0.644,
		hippo.EvidenceTellsTime:         1.345,
		hippo.EvidenceTellsNumber:       1.293,
	}
}

// evidenceLong are those of [Weights.EvidenceLong].
func evidenceLong() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceStrength:          0.040,
		hippo.EvidenceCosine:            -0.619,
		hippo.EvidenceCosineBest:        1.022,
		hippo.EvidenceFeedback:          -0.816,
		hippo.EvidenceInteraction:       0.000,
		hippo.EvidenceInteractionBest:   -0.286,
		hippo.EvidenceRare:              -1.643,
		hippo.EvidenceLead:              0.876,
		hippo.EvidencePhrase:            -0.120,
		hippo.EvidenceBeforeShare:       -0.520,
		hippo.EvidenceBeforeCosine:      -0.664,
		hippo.EvidenceBeforeInteraction: 1.162,
		hippo.EvidenceAfterCosine:       0.279,
		hippo.EvidenceReply:             -0.635,
		hippo.EvidenceCompleted:         -0.075,
		hippo.EvidenceAround:            -1.955,
		hippo.EvidenceSession:           0.639,
		hippo.EvidenceNamed:             0.361,
		hippo.EvidenceLength:            -1.818,
		hippo.EvidenceAsks:              0.247,
		hippo.EvidenceTellsTime:         0.210,
		hippo.EvidenceTellsNumber:       -0.092,
	}
}

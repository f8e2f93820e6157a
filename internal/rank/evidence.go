package rank

import "github.com/hippo-memory/hippo"

// evidenceWeights are those of [Weights.Evidence]. Source: tools/fit on the development
// halves.
func evidenceWeights() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceStrength:          2.535,
		hippo.EvidenceCosine:            0.361,
		hippo.EvidenceCosineBest:        1.217,
		hippo.EvidenceFeedback:          2.644,
		hippo.EvidenceInteraction:       5.366,
		hippo.EvidenceInteractionBest:   3.414,
		hippo.EvidenceSharp:             -5.573,
		hippo.EvidenceRare:              6.778,
		hippo.EvidenceLead:              -0.076,
		hippo.EvidencePhrase:            0.928,
		hippo.EvidenceBeforeShare:       1.383,
		hippo.EvidenceBeforeCosine:      0.946,
		hippo.EvidenceBeforeInteraction: -3.558,
		hippo.EvidenceAfterCosine:       -0.086,
		hippo.EvidenceReply:             1.875,
		hippo.EvidenceCompleted:         2.789,
		hippo.EvidenceAround:            6.972,
		hippo.EvidenceSession:           1.199,
		hippo.EvidenceNamed:             2.061,
		hippo.EvidenceLength:            -0.281,
		hippo.EvidenceAsks:              -0.665,
		hippo.EvidenceTellsTime:         1.315,
		hippo.EvidenceTellsNumber:       1.426,
	}
}

// evidenceLong are those of [Weights.EvidenceLong].
func evidenceLong() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceStrength:          -0.040,
		hippo.EvidenceCosine:            -3.960,
		hippo.EvidenceCosineBest:        3.424,
		hippo.EvidenceFeedback:          -0.839,
		hippo.EvidenceInteraction:       -1.707,
		hippo.EvidenceInteractionBest:   1.550,
		hippo.EvidenceSharp:             0.089,
		hippo.EvidenceRare:              -3.116,
		hippo.EvidenceLead:              1.045,
		hippo.EvidencePhrase:            0.230,
		hippo.EvidenceBeforeShare:       -0.502,
		hippo.EvidenceBeforeCosine:      -0.768,
		hippo.EvidenceBeforeInteraction: 1.265,
		hippo.EvidenceAfterCosine:       0.399,
		hippo.EvidenceReply:             -0.698,
		hippo.EvidenceCompleted:         -0.258,
		hippo.EvidenceAround:            -2.096,
		hippo.EvidenceSession:           0.715,
		hippo.EvidenceNamed:             0.345,
		hippo.EvidenceLength:            -1.225,
		hippo.EvidenceAsks:              0.250,
		hippo.EvidenceTellsTime:         0.187,
		hippo.EvidenceTellsNumber:       -0.266,
	}
}

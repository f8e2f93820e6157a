package rank

import "github.com/hippo-memory/hippo"

// evidenceWeights are those of [Weights.Evidence], evidenceLong of
// [Weights.EvidenceLong]. Source: tools/fit on the development halves.
func evidenceWeights() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceShare: 2.67, hippo.EvidenceCosine: 3.85, hippo.EvidenceInteraction: 5.59, hippo.EvidenceNamed: 1.95,
		hippo.EvidenceBeforeShare: 1.78, hippo.EvidenceSession: 1.49, hippo.EvidenceLength: 1.79,
	}
}

func evidenceLong() hippo.Evidence {
	return hippo.Evidence{
		hippo.EvidenceShare: -.37, hippo.EvidenceCosine: .93, hippo.EvidenceInteraction: -.37, hippo.EvidenceNamed: .18,
		hippo.EvidenceBeforeShare: -.62, hippo.EvidenceSession: .41, hippo.EvidenceLength: -2.09,
	}
}

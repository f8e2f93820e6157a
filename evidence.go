package hippo

import (
	"encoding/json"
	"fmt"
)

// EvidenceKind is one kind of [Evidence].
type EvidenceKind int

// The kinds of evidence. Those of neighbours are 0 where a memory has no session;
// before and after are the memories beside it there. See docs/ranking.md for the
// formulas.
const (
	// EvidenceShare is [Signals.BM25] as a share of the best match's; of the first look.
	EvidenceShare EvidenceKind = iota
	// EvidenceStrength is BM25 / 20, at most EvidenceShare: low where even the best
	// match has little of the query.
	EvidenceStrength
	// EvidenceCosine is [Signals.Cosine].
	EvidenceCosine
	// EvidenceCosineBest is the cosine as a share of the best one's.
	EvidenceCosineBest
	// EvidenceFeedback is the mean cosine with the best five others by all other
	// evidence, of which the better ones count more.
	EvidenceFeedback
	// EvidenceInteraction says how well each word of the query is met by some word
	// of the text, by meaning.
	EvidenceInteraction
	// EvidenceInteractionBest is that as a share of the best one's.
	EvidenceInteractionBest
	// EvidenceRare is the interaction with words weighed by their rarity alone.
	EvidenceRare
	// EvidenceLead is the interaction with the first 24 pieces of the text.
	EvidenceLead
	// EvidencePhrase is the share of the pairs of pieces that stand side by side in
	// the query and in the text.
	EvidencePhrase
	// EvidenceBeforeShare and the next three are the evidence of the neighbours.
	EvidenceBeforeShare
	EvidenceBeforeCosine
	EvidenceBeforeInteraction
	EvidenceAfterCosine
	// EvidenceReply is the interaction of the memory before, if that is a question.
	EvidenceReply
	// EvidenceCompleted is what the memory before adds to the interaction, and
	// EvidenceAround what the two before and the two after add together.
	EvidenceCompleted
	EvidenceAround
	// EvidenceSession is the mean evidence of the best three memories of the session.
	EvidenceSession
	// EvidenceNamed is 1 if the query names the author.
	EvidenceNamed
	// EvidenceLength is ln(1 + words of the content) / 5.
	EvidenceLength
	// EvidenceAsks is 1 if the text is a question.
	EvidenceAsks
	// EvidenceTellsTime is 1 if the query asks for a time and the text tells one,
	// EvidenceTellsNumber and EvidenceTellsName likewise.
	EvidenceTellsTime
	EvidenceTellsNumber
	EvidenceTellsName

	// NumEvidence is the number of kinds.
	NumEvidence
)

// Evidence is what the text of a memory says about a query: a number of about [0, 1]
// for each kind, higher is more. As JSON it is an object of those that are not 0.
type Evidence [NumEvidence]float64

// evidenceNames returns the names of the kinds, in their order.
func evidenceNames() [NumEvidence]string {
	return [NumEvidence]string{
		"share", "strength", "cosine", "cosine.best", "feedback", "interaction", "interaction.best",
		"rare", "lead", "phrase", "before.share", "before.cosine", "before.interaction", "after.cosine",
		"reply", "completed", "around", "session", "named", "length", "asks", "tells.time", "tells.number", "tells.name",
	}
}

// String returns the name of the kind, as in JSON.
func (k EvidenceKind) String() string {
	if k < 0 || k >= NumEvidence {
		return fmt.Sprintf("EvidenceKind(%d)", int(k))
	}
	return evidenceNames()[k]
}

// MarshalJSON implements [json.Marshaler].
func (e Evidence) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for k, name := range evidenceNames() {
		if e[k] == 0 {
			continue
		}
		v, err := json.Marshal(e[k])
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(append(b, '"'), name...), `":`...), v...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. Names that are not known are left out.
func (e *Evidence) UnmarshalJSON(b []byte) error {
	var by map[string]float64
	if err := json.Unmarshal(b, &by); err != nil {
		return err
	}
	for k, name := range evidenceNames() {
		e[k] = by[name]
	}
	return nil
}

package rank

import "fmt"

// Feature numbers the features of the reranker.
type Feature int

// The features, each of about [0, 1], higher is more. Those of neighbours are 0 where a
// memory has no session; previous and next are the memories beside it there. docs/ranking.md
// has the formulas.
const (
	// BM25Relative is the BM25 score as a share of the best match's; only the first stage
	// uses it by itself.
	BM25Relative Feature = iota
	// BM25Absolute is BM25 / 20, at most BM25Relative: low where even the best match has
	// little of the query.
	BM25Absolute
	Cosine
	// CosineRelative is the cosine as a share of the best one's.
	CosineRelative
	// Feedback is the mean cosine with the best five others by all other features, the
	// better ones weighing more (pseudo-relevance feedback).
	Feedback
	// MaxSim is the mean over the query's tokens of the highest cosine with a token of the
	// text, weighted by idf and by the model (late interaction).
	MaxSim
	// MaxSimRelative is that as a share of the best one's.
	MaxSimRelative
	// MaxSimIDF is MaxSim with tokens weighted by idf alone.
	MaxSimIDF
	// MaxSimLead is MaxSim with the first 24 tokens of the text.
	MaxSimLead
	// Bigram is the share of the query's token bigrams that the text has.
	Bigram
	// PreviousBM25 and the next three are features of the neighbours.
	PreviousBM25
	PreviousCosine
	PreviousMaxSim
	NextCosine
	// Reply is the MaxSim of the previous memory if that is a question.
	Reply
	// PreviousGain is what the previous memory adds to MaxSim, WindowGain what the two
	// before and the two after add together.
	PreviousGain
	WindowGain
	// Session is the mean score of the best three memories of the session.
	Session
	// NamesAuthor is 1 if the query names the author.
	NamesAuthor
	// Length is ln(1 + terms of the content) / 5.
	Length
	// IsQuestion is 1 if the text is a question.
	IsQuestion
	// HasTime is 1 if the query asks for a time and the text has one; HasNumber and
	// HasName likewise.
	HasTime
	HasNumber
	HasName

	// NumFeatures is the number of features.
	NumFeatures
)

// Features are the values of the reranker for one memory.
type Features [NumFeatures]float64

// featureNames returns the names of the features, in their order.
func featureNames() [NumFeatures]string {
	return [NumFeatures]string{
		"bm25.relative", "bm25.absolute", "cosine", "cosine.relative", "feedback", "maxsim", "maxsim.relative",
		"maxsim.idf", "maxsim.lead", "bigram", "previous.bm25", "previous.cosine", "previous.maxsim", "next.cosine",
		"reply", "previous.gain", "window.gain", "session", "names.author", "length", "is.question",
		"has.time", "has.number", "has.name",
	}
}

// String returns the name of the feature, as in explanations.
func (f Feature) String() string {
	if f < 0 || f >= NumFeatures {
		return fmt.Sprintf("Feature(%d)", int(f))
	}
	return featureNames()[f]
}

// Map returns the features by name.
func (f *Features) Map() map[string]float64 {
	out := make(map[string]float64, len(f))
	for k, name := range featureNames() {
		out[name] = f[k]
	}
	return out
}

// featureWeights are those of [Rerank.Features]. Source: tools/fit on the development halves.
func featureWeights() Features {
	return Features{
		BM25Absolute:   2.329,
		Cosine:         0.872,
		CosineRelative: 1.990,
		Feedback:       3.608,
		MaxSim:         0.000,
		MaxSimRelative: 3.702,
		MaxSimIDF:      3.375,
		MaxSimLead:     0.100,
		Bigram:         0.711,
		PreviousBM25:   1.193,
		PreviousCosine: 0.567,
		PreviousMaxSim: -3.200,
		NextCosine:     0.333,
		Reply:          1.765,
		PreviousGain:   1.269,
		WindowGain:     5.444,
		Session:        1.834,
		NamesAuthor:    1.545,
		Length:         1.472,
		IsQuestion:     -0.566,
		HasTime:        0.787,
		HasNumber:      0.943,
		HasName:        1.279,
	}
}

// lengthWeights are those of [Rerank.ByLength].
func lengthWeights() Features {
	return Features{
		BM25Absolute:   0.019,
		Cosine:         -0.290,
		CosineRelative: 0.708,
		Feedback:       -0.824,
		MaxSim:         -0.000,
		MaxSimRelative: -0.463,
		MaxSimIDF:      -1.125,
		MaxSimLead:     1.010,
		Bigram:         -0.116,
		PreviousBM25:   -0.559,
		PreviousCosine: -0.644,
		PreviousMaxSim: 1.106,
		NextCosine:     0.381,
		Reply:          -0.588,
		PreviousGain:   0.590,
		WindowGain:     -1.513,
		Session:        0.275,
		NamesAuthor:    0.373,
		Length:         -1.619,
		IsQuestion:     0.246,
		HasTime:        0.482,
		HasNumber:      -0.090,
		HasName:        -0.016,
	}
}

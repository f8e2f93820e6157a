package rank

import "fmt"

// Feature numbers the features of the reranker.
type Feature int

// The features, each of about [0, 1] unless noted, higher is more. Those of neighbours are 0 where a
// memory has no session; previous and next are the memories beside it there. docs/ranking.md
// has the formulas.
const (
	// BM25Relative is the BM25 score as a share of the best match's; only the first stage
	// uses it by itself.
	BM25Relative Feature = iota
	// BM25Absolute is BM25 / 20, at most BM25Relative: low where even the best match has
	// little of the query.
	BM25Absolute
	// Coverage is the share of the query's terms, weighted by idf, that the memory has.
	Coverage
	Cosine
	// CosineStandard is how far the cosine stands out of those of all memories, see [Standard].
	CosineStandard
	// Multilingual and the next one are the same for the multilingual model.
	Multilingual
	MultilingualStandard
	// IsForeign is 1 if the memory is not English.
	IsForeign
	// Feedback is the mean cosine with the best five others by all other features, the
	// better ones weighing more (pseudo-relevance feedback). Those that say nearly the same as the memory are left out: copies would
	// raise each other.
	Feedback
	// Timely is how much a later memory looks like a new version: it is similar, about as relevant, and says about as much. It is
	// in [-1, 0], or in [0, 1] if the query asks for the past. It is 0 if the query names a time.
	Timely
	// MaxSim is the mean over the query's tokens of the highest cosine with a token of the
	// text, weighted by idf and by the model (late interaction).
	MaxSim
	// MaxSimIDF is MaxSim with tokens weighted by idf alone.
	MaxSimIDF
	// Code is the cosine with the query by the table for source code, and IsCode is 1; both are 0 if the text does not look like source
	// code.
	Code
	IsCode
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
	// Length is ln(1 + terms of the content) / 5 within the bounds of [BoundedLength].
	Length
	// HasDetail is 1 if the query asks for a time, a number or a name, and the text has one of these.
	HasDetail
	// InSession is 1 if the memory has a session; it counts for [Kind] only.
	InSession

	// NumFeatures is the number of features.
	NumFeatures
)

// Features are the values of the reranker for one memory.
type Features [NumFeatures]float64

// featureNames returns the names of the features, in their order.
func featureNames() [NumFeatures]string {
	return [NumFeatures]string{
		"bm25.relative", "bm25.absolute", "coverage", "cosine", "cosine.standard", "multilingual", "multilingual.standard", "is.foreign",
		"feedback", "timely", "maxsim", "maxsim.idf", "code", "is.code", "reply", "previous.gain", "window.gain", "session", "names.author",
		"length", "has.detail", "in.session",
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

// shortestLength and longestLength are the values of [Length] for some 11 and 400 terms.
const shortestLength, longestLength = .5, 1.2

// BoundedLength bounds a [Length]: a line of chat gains nothing over the notes that it mentions by being short, and a long
// document does not fall behind everything else, however much of the query it contains.
func BoundedLength(length float64) float64 {
	return min(max(length, shortestLength), longestLength)
}

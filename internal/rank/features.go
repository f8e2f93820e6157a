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
	// Coverage is the share of the query's terms, weighted by idf, that the memory has.
	Coverage
	Cosine
	// CosineRelative is the cosine as a share of the best one's, CosineStandard how far it
	// stands out of those of all memories, see [Standard].
	CosineRelative
	CosineStandard
	// Multilingual and the next two are the same for the multilingual model.
	Multilingual
	MultilingualRelative
	MultilingualStandard
	// IsForeign is 1 if the memory is not English, and ForeignStandard is MultilingualStandard
	// then: other models know English only. ForeignCoverage is Coverage then: names and numbers are
	// what languages share.
	IsForeign
	ForeignStandard
	ForeignCoverage
	// Feedback is the mean cosine with the best five others by all other features, the
	// better ones weighing more (pseudo-relevance feedback).
	Feedback
	// Current is 1 less how much a later memory looks like a new version: it is similar, and about
	// as relevant. Former is how much one does, where the query asks for the past, and Current is 0
	// then. Both are 0 where the query names a time.
	Current
	Former
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
	// Code is the cosine with the query by the table for source code, CodeRelative that as a share
	// of the best one's, and IsCode is 1; all are 0 if the text does not look like source code.
	Code
	CodeRelative
	IsCode
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
		"bm25.relative", "bm25.absolute", "coverage", "cosine", "cosine.relative", "cosine.standard",
		"multilingual", "multilingual.relative", "multilingual.standard",
		"is.foreign", "foreign.standard", "foreign.coverage", "feedback", "current", "former", "maxsim", "maxsim.relative",
		"maxsim.idf", "maxsim.lead", "bigram", "code", "code.relative", "is.code", "previous.bm25", "previous.cosine", "previous.maxsim", "next.cosine",
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

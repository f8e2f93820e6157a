package hippo

// Via is how a memory became a hit, or a more relevant one.
type Via string

// The ways.
const (
	// ViaText: by its own text.
	ViaText Via = ""
	// ViaRelation: by a relation with a better hit.
	ViaRelation Via = "relation"
	// ViaSuccession: it supersedes a memory that was found, and takes its place.
	ViaSuccession Via = "succession"
	// ViaImportance: it is among the most important of many memories that a vague query matches.
	ViaImportance Via = "importance"
)

// Explanation says why a hit has its relevance: its rank in each list of candidates, and what
// each feature contributed. It is made for [Query.Explain] only. The names of features may
// change with every version.
type Explanation struct {
	// LexicalRank is the rank of the memory, from 1, by BM25, SemanticRank by cosine and
	// GraphRank by the graph of ranker hybrid; ties share a rank. 0: it is not in that list.
	LexicalRank, SemanticRank, GraphRank int
	// Via is not [ViaText] if the relevance is that of another memory. There are no
	// contributions then.
	Via Via
	// Reranked says that the memory was reranked, and Context by which features of the query
	// and of what it found the weights were chosen.
	Reranked bool
	Context  map[string]float64
	// Features are the values of the reranker by name; nil if it was not reranked.
	Features map[string]float64
	// Text are the terms of the weighted sum of [Signals.Text]. Empty if the ranker does
	// not use it, or the query has no text.
	Text []Contribution
	// Prior are the terms of [Signals.Prior] in ranker hippo, and of the relevance in
	// ranker insight; empty in others.
	Prior []Contribution
	// Factors multiply Signals.Text in ranker hippo; nil in others.
	Factors *Factors
	// Validity is the factor of the relevance for which [Signals.Lapsed] is set; 0: there is none.
	Validity float64
}

// Factors are the bounded factors of ranker hippo, each in (0, 1]. Archived is that of a memory for which [Signals.Behind] is
// set; 0: there is none.
type Factors struct{ Context, Time, Prior, Archived float64 }

// Contribution is one term of a weighted sum: Value * Weight = Sum. Lists of them begin with
// the largest, whatever its sign, and leave out those of 0.
type Contribution struct {
	Feature string
	Value   float64
	Weight  float64
	Sum     float64
}

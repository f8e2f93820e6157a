package hippo

// Explanation says why a hit has the relevance it has: where each channel put the
// memory, and what each signal gave. It is made for [Query.Explain] only.
type Explanation struct {
	// WordsRank is the place of the memory, from 1, among all that were found by
	// words, CosineRank among those found by meaning; equals share a place. 0: that
	// channel did not find it.
	WordsRank  int `json:"words_rank"`
	CosineRank int `json:"cosine_rank"`
	// GraphRank is likewise the place among what the walk of ranker hybrid found.
	GraphRank int `json:"graph_rank,omitempty"`
	// Because says why the relevance is not what the evidence makes of it: "related" if a
	// relation with a better hit gives it, "replaces" if the memory stands where one that
	// it replaces would; else empty. There are no parts then.
	Because string `json:"because,omitempty"`
	// Closely says that the memory was looked at closely, and Longer by how much the
	// logarithm of the length of what was looked at is above that of usual memories.
	Closely bool    `json:"closely,omitempty"`
	Longer  float64 `json:"longer,omitempty"`
	// Evidence are the parts of the sum that [Signals.Text] is made of. Empty if the
	// ranker does not use it, or the query has no text.
	Evidence []Contribution `json:"evidence,omitempty"`
	// Prior are the parts of [Signals.Prior] in ranker hippo, and of the relevance
	// in ranker insight; empty in others.
	Prior []Contribution `json:"prior,omitempty"`
	// ContextFactor, TimeFactor and PriorFactor are what the text signal is multiplied
	// by in ranker hippo, each in (0, 1]; 0 in others.
	ContextFactor float64 `json:"context_factor,omitempty"`
	TimeFactor    float64 `json:"time_factor,omitempty"`
	PriorFactor   float64 `json:"prior_factor,omitempty"`
}

// Contribution is what one signal gives: Value * Weight = Adds. Lists of them begin
// with the largest Adds, whatever its sign, and leave out signals of 0.
type Contribution struct {
	// Signal is the name of the signal, as in the JSON of [Signals] and [Evidence].
	Signal string  `json:"signal"`
	Value  float64 `json:"value"`
	Weight float64 `json:"weight"`
	Adds   float64 `json:"adds"`
}

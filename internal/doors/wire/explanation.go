package wire

import "github.com/hippo-memory/hippo"

// Signals are [hippo.Signals] as JSON.
type Signals struct {
	BM25     float64 `json:"bm25"`
	Lexical  float64 `json:"lexical"`
	Coverage float64 `json:"coverage"`
	Cosine   float64 `json:"cosine"`
	Related  float64 `json:"related"`
	Text     float64 `json:"text"`
	Context  float64 `json:"context"`
	Time     float64 `json:"time"`

	Recency    float64 `json:"recency"`
	Frequency  float64 `json:"frequency"`
	Importance float64 `json:"importance"`
	Prior      float64 `json:"prior"`
}

func signalsOf(s *hippo.Signals) *Signals {
	return &Signals{
		BM25: s.BM25, Lexical: s.Lexical, Coverage: s.Coverage, Cosine: s.Cosine, Related: s.Related, Text: s.Text, Context: s.Context, Time: s.Time,
		Recency: s.Recency, Frequency: s.Frequency, Importance: s.Importance, Prior: s.Prior,
	}
}

// Explanation is a [hippo.Explanation] as JSON.
type Explanation struct {
	LexicalRank  int                `json:"lexical_rank,omitempty"`
	SemanticRank int                `json:"semantic_rank,omitempty"`
	GraphRank    int                `json:"graph_rank,omitempty"`
	Via          hippo.Via          `json:"via,omitempty"`
	Reranked     bool               `json:"reranked,omitempty"`
	Context      map[string]float64 `json:"context,omitempty"`
	Features     map[string]float64 `json:"features,omitempty"`
	Text         []Contribution     `json:"text,omitempty"`
	Prior        []Contribution     `json:"prior,omitempty"`
	Factors      *Factors           `json:"factors,omitempty"`
	// Validity is the factor of what does not hold; absent for what does.
	Validity float64 `json:"validity,omitempty"`
}

// Contribution is one term of a weighted sum: value * weight = sum.
type Contribution struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
	Sum     float64 `json:"sum"`
}

// Factors are the bounded factors of ranker hippo.
type Factors struct {
	Context float64 `json:"context"`
	Time    float64 `json:"time"`
	Prior   float64 `json:"prior"`
	// Archived is absent unless the memory is archived, and the query did not ask for such.
	Archived float64 `json:"archived,omitempty"`
}

func explanationOf(x *hippo.Explanation) *Explanation {
	return &Explanation{
		LexicalRank: x.LexicalRank, SemanticRank: x.SemanticRank, GraphRank: x.GraphRank, Via: x.Via,
		Reranked: x.Reranked, Context: x.Context, Features: x.Features,
		Text: contributions(x.Text), Prior: contributions(x.Prior), Factors: (*Factors)(x.Factors), Validity: x.Validity,
	}
}

func contributions(list []hippo.Contribution) []Contribution {
	var out []Contribution
	for _, c := range list {
		out = append(out, Contribution(c))
	}
	return out
}

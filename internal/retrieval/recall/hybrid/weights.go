package hybrid

// Weights are the constants of the ranker. The zero value is useless; start from
// [DefaultWeights].
type Weights struct {
	// TopK is the length of the lexical and of the semantic list, Seeds the number of
	// their best memories from which the walk starts, and K the constant of reciprocal rank
	// fusion, 1 / (K + rank).
	TopK, Seeds int
	K           float64
	Walk        Walk
	Edges       Edges
	// Cosine, BM25 and Graph are the shares of the relevance; they add up to 1.
	Cosine, BM25, Graph float64
}

// Walk are the constants of personalised PageRank.
type Walk struct {
	// Damping is the probability that the walk follows an edge; it ends within Tolerance
	// of its limit.
	Damping, Tolerance float64
	// SeedShare is the share of restarts at the seeds themselves; the rest is that at the
	// entities that they and the query mention, of which QueryShare is at those of the
	// query.
	SeedShare, QueryShare float64
	// SeedPower is the power of its fused score with which a seed starts, so that few good
	// seeds count more than many middling ones.
	SeedPower float64
}

// Edges are the constants of the graph.
type Edges struct {
	// MaxMentions is how many memories may mention an entity that leads anywhere,
	// MaxPhraseMentions likewise for pairs of words, and for each word of them.
	MaxMentions, MaxPhraseMentions int
	// MaxEntities is how many entities a graph has: those that most restarts are at.
	MaxEntities int
	// Mention, Situation and Session are the weights of edges: from a memory to an entity,
	// to a situation element, and to its neighbour in its session.
	Mention, Situation, Session float64
}

// DefaultWeights returns the constants in docs/ranking.md. Sources: reciprocal rank fusion and
// its 60, Cormack et al. 2009; the damping, and restarts at entities by how few memories
// mention them, HippoRAG 2, Gutiérrez et al. 2025.
func DefaultWeights() Weights {
	return Weights{
		TopK: 50, Seeds: 20, K: 60,
		Walk:   Walk{Damping: .5, Tolerance: 1e-9, SeedShare: .8, QueryShare: .5, SeedPower: 5},
		Edges:  Edges{MaxMentions: 100, MaxPhraseMentions: 20, MaxEntities: 64, Mention: 1, Situation: 1, Session: 1},
		Cosine: .40, BM25: .15, Graph: .45,
	}
}

// fuse is the weighted mean of three scores, each in [0, 1].
func (w *Weights) fuse(cosine, bm25, graph float64) float64 {
	return float64(w.Cosine*cosine) + float64(w.BM25*bm25) + float64(w.Graph*graph)
}

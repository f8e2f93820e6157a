package rank

// Mix holds the constants of ranker hybrid. The zero value is useless; start from
// [DefaultMix].
type Mix struct {
	// List is how many memories each of the lists by words and by meaning holds, and
	// Seeds from how many of them the walk starts.
	List, Seeds int
	// Place is what is added to a place in a list before its reciprocal counts.
	Place float64
	// Damping is the probability that the walk follows an edge; it ends when it is
	// within Tolerance of where it leads.
	Damping, Tolerance float64
	// Common is how many memories may mention an entity that leads anywhere, and
	// CommonPhrase likewise for pairs of words, and for each word of them.
	Common, CommonPhrase int
	// Things is how many entities a graph has at most: those that most walks start at.
	Things int
	// SeedShare is the share of starts at the seeds themselves, and the rest is that
	// at what they and the query mention. Of that, QueryShare starts at what the query
	// mentions.
	SeedShare, QueryShare float64
	// SeedPower is the power of the score by words and meaning that a seed starts with,
	// so that few good seeds count more than many middling ones.
	SeedPower float64
	// Mention, Situation and Session are the weights of edges: from a memory to an
	// entity, to a situation element, and to what stands beside it in its session.
	Mention, Situation, Session float64
	// Cosine, Words and Graph are the shares of the relevance; they add up to 1.
	Cosine, Words, Graph float64
}

// DefaultMix returns the constants in docs/ranking.md. Sources: reciprocal rank fusion
// and its 60, Cormack et al. 2009; the damping, and starting at entities by how few
// memories mention them, HippoRAG 2, Gutiérrez et al. 2025.
func DefaultMix() Mix {
	return Mix{
		List:         50,
		Seeds:        20,
		Place:        60,
		Damping:      .5,
		Tolerance:    1e-9,
		Common:       100,
		CommonPhrase: 20,
		Things:       64,
		SeedShare:    .8,
		QueryShare:   .5,
		SeedPower:    5,
		Mention:      1,
		Situation:    1,
		Session:      1,
		Cosine:       .40,
		Words:        .15,
		Graph:        .45,
	}
}

// MixOf is the weighted mean of three signals, each in [0, 1].
func MixOf(m *Mix, cosine, words, graph float64) float64 {
	return float64(m.Cosine*cosine) + float64(m.Words*words) + float64(m.Graph*graph)
}
